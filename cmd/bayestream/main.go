// Command bayestream is the toolbox: a verb for each thing that can be done with a
// model, the workers among them. Each verb is a file, which registers itself in its
// init function; see verbs.go.
package main

import (
	"os"

	"bayestream/internal/cli"
)

func main() { os.Exit(cli.Main(program, toolbox)) }
