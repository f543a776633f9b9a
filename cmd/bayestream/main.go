// Command bayestream is the toolbox: a subcommand, called verb, for each task, including the
// workers. Each verb has a file; verbs.go lists them.
package main

import (
	"os"

	"bayestream/internal/tools/cli"
)

func main() { os.Exit(cli.Main(program, toolbox)) }
