// Command ingest learns from the labelled records of a Kafka topic:
// see "ingest --help" and docs/configuration.md. "bayestream ingest" is the same.
package main

import (
	"os"

	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/cli"
)

// main turns the first signal into the end of the worker's context, reads the
// configuration, runs the worker, and exits: all with cli.Main.
func main() {
	os.Exit(cli.Main("ingest", cli.Worker("ingest", ingest.Run)))
}
