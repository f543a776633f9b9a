package config

// Parse returns the configuration of a worker from the command line, the environment and the file.
// program is its name as typed. The error is an Answer or a *UsageError.
func Parse[T Ingest | Classify](program string, args []string, lookup Lookup) (T, error) {
	var c T
	err := titled(workerCommand(&c), program).parse(&c, args, lookup)
	return c, err
}

// Default returns the configuration of a worker without any settings.
func Default[T Ingest | Classify]() T {
	var c T
	for _, flag := range workerCommand(&c).grammar(&c).app.Model.Flags {
		if err := flag.Reset(); err != nil {
			panic("config: a default cannot be read: " + err.Error())
		}
	}
	return c
}

// workerCommand returns the command of the worker whose configuration c points to.
func workerCommand(c any) Command {
	if _, ok := c.(*Ingest); ok {
		return Command{
			Layered: true,
			Records: true,
			About: "Learns from labelled records. It reads the training topic, counts the records into deltas, and appends " +
				"these to the model topic, from which every worker folds the same model. Every record is counted exactly once, " +
				"also after failures and restarts. Records that cannot be used are written to the dead-letter topic with the " +
				"reason. Instances divide the partitions through their consumer group.",
			Examples: []Example{
				{"Learn, and create the topics on the first start", "PROGRAM --create-topics --spec=sms.yaml"},
				{"Settings from a file, with one override", "PROGRAM --config=ingest.yaml --http=0.0.0.0:7431"},
				{"A cluster with TLS and SASL", "PROGRAM --cluster=production"},
			},
		}
	}
	return Command{
		Layered: true,
		Records: true,
		About: "Labels documents. It folds the model topic into a model in memory, decides a label for every record of the " +
			"documents topic, and writes the decision, with the log posterior and the evidence, to the same partition of the " +
			"labels topic with the same key. Each new delta of the model changes the decisions that follow. Instances divide " +
			"the partitions through their consumer group.",
		Examples: []Example{
			{"Label, and create the topics on the first start", "PROGRAM --create-topics"},
			{"Keep the documents unchanged, with decisions in headers", "PROGRAM --emit=headers"},
			{"Settings from a file, with one override", "PROGRAM --config=classify.yaml --log=debug"},
			{"Start from the snapshot of a running worker", "PROGRAM --bootstrap=http://10.0.0.7:7431/v1/snapshot"},
		},
	}
}
