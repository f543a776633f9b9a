package main

import (
	"context"
	"encoding/json"
	"fmt"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/config/version"
)

func init() {
	register(verb{
		name:    "version",
		place:   2,
		group:   "Other",
		summary: "Say which build this is, and the revision of its tokenizer.",
		example: "bayestream version --json",
		run:     runVersion,
		outline: outline[versionFlags](&versionCommand),
	})
}

// versionFlags are the flags of the verb version.
type versionFlags struct {
	JSON bool `name:"json" help:"One JSON object instead of a line."`
}

var versionCommand = config.Command{
	Name: program + " version",
	About: "Says which build this is: version, commit, the Go it was built with, and the revision of the tokenizer, which two models must share " +
		"to count alike.",
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
