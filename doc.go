// Package bayestream labels documents with naive Bayes inside a Go program: with a model file, with
// a model that the program trains itself, or with the model that the workers of a Kafka cluster are
// learning at this moment.
//
//		m, err := bayestream.New("")                                 // train here
//		err = m.Learn("spam", bayestream.Document{Text: "cheap pills"})
//		d, err := m.Classify(bayestream.Document{Text: "pills"})
//		fmt.Println(d.Label, d.Status)
//
//	  - [New] begins a model in memory, [Open] one that is kept in a file, and [Load] reads a file that others may hold,
//	    or the snapshot of a worker.
//	  - Package follow reads the model topic that ingest writes and keeps up with it: a label
//	    costs no network call, and a correction changes it within milliseconds.
//
// Counting and scoring are the code that the workers run, so a document gets the same decision
// here, there and from the verbs of the command line. Counts are integers: [Model.Unlearn] leaves
// the counts of a model that never saw the document.
//
// A [Model] is safe for concurrent use. There is no global state. This package is the stable one:
// names and meanings stay; fields may be added to its structs.
package bayestream
