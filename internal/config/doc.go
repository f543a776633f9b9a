// Package config says what can be set, where a setting comes from, and what is
// wrong with it before anything starts.
//
// There is one struct per worker, Ingest and Classify, whose tags are the
// documentation: the help pages and docs/configuration.md are made from them. A
// setting is taken from the first of these that has it:
//
//	command line   --checkpoint-each=5s
//	environment    BAYESTREAM_CHECKPOINT_EACH=5s
//	YAML file      checkpoint-each: 5s        (--config FILE or BAYESTREAM_CONFIG)
//	default        2s
//
// Contracts:
//
//   - Parse answers with a configuration that is valid, or with all that is wrong
//     with it at once, in sentences that name the flag, the variable, or the file
//     and its line.
//   - A key of the file that is no setting is an error; a variable of the
//     environment that is none is not: other programs have theirs.
//   - A Secret is shown by no help page, no message and no log.
//   - Nothing here reads the process's own environment or command line: both are
//     handed in.
//
// Command serves the verbs of the toolbox too. These have the command line only: a
// BAYESTREAM_BROKERS that was set for the workers must not lead a demo to the
// brokers they work with.
package config
