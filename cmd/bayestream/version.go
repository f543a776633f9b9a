package main

import (
	"context"
	"encoding/json"
	"fmt"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name:    "version",
		place:   2,
		group:   "Other",
		summary: "Print the version of this build and the revision of its tokenizer.",
		example: "bayestream version --json",
		run:     runVersion,
		outline: outline[versionFlags](&versionCommand),
	})
}

// versionFlags are the flags of the verb version.
type versionFlags struct {
	JSON bool `name:"json" help:"Write one JSON object instead of a line."`
}

var versionCommand = config.Command{
	Name: program + " version",
	About: "Prints the version, the commit, the Go version of the build, and the revision of the tokenizer. Two models can share counts only if their " +
		"revisions are equal.",
	Examples: []config.Example{
		{What: "For people", Type: "bayestream version"},
		{What: "For a script", Type: "bayestream version --json"},
	},
}

func runVersion(_ context.Context, p cli.Process) error {
	var flags versionFlags
	if err := versionCommand.Parse(&flags, p.Args); err != nil {
		return err
	}
	if flags.JSON {
		return json.NewEncoder(p.Stdout).Encode(version.Read())
	}
	_, err := fmt.Fprintln(p.Stdout, program, version.Read())
	return err
}
