package main

import (
	"context"
	"encoding/json"
	"fmt"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/version"
)

func init() {
	register(verb{
		name:    "version",
		group:   "Other",
		summary: "Say which build this is, and the revision of its tokenizer.",
		example: "bayestream version --json",
		run:     showVersion,
	})
}

// versionFlags are the flags of the verb version.
type versionFlags struct {
	JSON bool `name:"json" help:"One JSON object instead of a line."`
}

func showVersion(_ context.Context, p cli.Process) error {
	var flags versionFlags
	command := config.Command{
		Name: program + " version",
		About: "Says which build this is: version, commit, the Go it was built with, and the revision of the tokenizer, which two models must share " +
			"to count alike.",
		Examples: []config.Example{{What: "For a script", Type: "bayestream version --json"}},
	}
	if err := command.Parse(&flags, p.Args); err != nil {
		return err
	}
	if flags.JSON {
		return json.NewEncoder(p.Stdout).Encode(version.Read())
	}
	_, err := fmt.Fprintln(p.Stdout, program, version.Read())
	return err
}
