package config

// Parse returns the configuration of a worker from the command line, the
// environment and the file. program is its name as it is typed. The error is an
// Answer or a *UsageError.
func Parse[T Ingest | Classify](program string, args []string, lookup Lookup) (T, error) {
	var c T
	err := titled(workerCommand(&c), program).parse(&c, args, lookup)
	return c, err
}

// Default returns the configuration of a worker that nobody configured.
func Default[T Ingest | Classify]() T {
	var c T
	for _, flag := range workerCommand(&c).grammar(&c, true).app.Model.Flags {
		if err := flag.Reset(); err != nil {
			panic("config: a default cannot be read: " + err.Error())
		}
	}
	return c
}

// workerCommand returns the page of the worker whose configuration c points to.
func workerCommand(c any) Command {
	if _, ok := c.(*Ingest); ok {
		return Command{
			About: "Learns from labelled records. It reads the training topic, counts what the records say into deltas, and appends them to the model " +
				"topic, from which every worker folds the same model. Every record is counted exactly once, whatever stops and starts; what cannot be used " +
				"goes to the dead-letter topic with the reason. Any number of instances share the work through their consumer group.",
			Examples: []Example{
				{"Learn, and make the topics on the first start", "PROGRAM --create-topics --spec=sms.yaml"},
				{"A label that comes in a header, ids in the key", "PROGRAM --label-header=label --id-from=key"},
				{"Settings from a file, one of them replaced", "PROGRAM --config=ingest.yaml --http=0.0.0.0:7431"},
				{"A cluster with TLS and a login", "BAYESTREAM_SASL_PASSWORD=... PROGRAM --brokers=k1:9093,k2:9093 --tls --sasl=scram-sha-512 --sasl-user=bayes"},
			},
		}
	}
	return Command{
		About: "Labels documents. It folds the model topic into a model of its own, gives every record of the documents topic a label, its log posterior and the " +
			"words that speak for it, and writes these to the same partition of the labels topic under the same key. A label that is learned " +
			"changes its next decisions. Any number of instances share the work through their consumer group.",
		Examples: []Example{
			{"Label, and make the topics on the first start", "PROGRAM --create-topics"},
			{"Leave the documents as they are, decisions in headers", "PROGRAM --emit=headers"},
			{"Settings from a file, one of them replaced", "PROGRAM --config=classify.yaml --log=debug"},
			{"A new machine that starts from a running worker", "PROGRAM --bootstrap=http://10.0.0.7:7431/v1/snapshot"},
		},
	}
}
