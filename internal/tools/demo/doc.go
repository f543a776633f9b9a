// Package demo runs the whole pipeline in one process: a Kafka broker, ingest and classify exactly
// as they run in production (over TCP to that broker), and a client that writes documents and
// labels and reads the answers.
//
// Every record is tested and then learned: its document goes to the documents topic without its
// label, the decision is compared with the label, and only then does the labelled record go to the
// training topic. So the accuracy is measured on documents that the model has not learned.
package demo
