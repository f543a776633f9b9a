// Package demo runs the whole pipeline in one process: a Kafka broker, ingest and classify exactly as
// they run in production (over TCP to that broker), and somebody who writes documents and labels and
// watches the answers.
//
// Every record is tested, then learned: its document goes to the documents topic without its label,
// the decision is compared with the label, and only then does the labelled record go to the training
// topic. The accuracy shown is therefore that on documents the model has never seen.
package demo
