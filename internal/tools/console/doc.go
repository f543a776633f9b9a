// Package console serves the pages on which a person watches the stream, sees why a message was
// labelled as it was, corrects it, and sees the model learn. openapi.yaml describes the calls that
// the pages make.
//
// A console is a process beside the workers. It follows the model topic with a replica of its own,
// reads the tail of the topics of labels and of the training topic, and fetches the text of a
// message when somebody looks at it. Corrections are records of the training topic. So Kafka is its
// database, any number of consoles may run, and their memory is bounded.
package console
