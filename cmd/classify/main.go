// Command classify labels the records of a Kafka topic:
// see "classify --help" and docs/configuration.md. "bayestream classify" is the same.
package main

import (
	"os"

	"bayestream/internal/shell/classify"
	"bayestream/internal/tools/cli"
)

// main turns the first signal into the end of the worker's context, reads the
// configuration, runs the worker, and exits: all with cli.Main.
func main() {
	os.Exit(cli.Main("classify", cli.Worker("classify", classify.Run)))
}
