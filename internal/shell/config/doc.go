// Package config reads and validates the settings of the workers and the flags of the verbs.
//
// Each worker has a struct, Ingest or Classify, whose tags are its documentation: the help and
// docs/configuration.md are generated from them. A setting has the value of the first of these that
// sets it:
//
//	command line   --checkpoint-each=5s
//	environment    BAYESTREAM_CHECKPOINT_EACH=5s
//	YAML file      checkpoint-each: 5s        (--config FILE or BAYESTREAM_CONFIG)
//	default        2s
//
// Contracts:
//
//   - Parse returns a valid configuration, or all problems at once, each with the flag, the
//     variable, or the line of the file.
//   - An unknown key of the file is an error. An unknown variable of the environment is not: it may
//     belong to another program.
//   - No help, message or log shows a Secret.
//   - The environment and the command line are arguments; nothing here reads those of the process.
//
// Command also serves the verbs of the toolbox. They read only the command line: a
// BAYESTREAM_BROKERS set for the workers must not connect a demo to their brokers.
package config
