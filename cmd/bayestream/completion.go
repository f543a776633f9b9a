package main

import (
	"context"
	"io"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/completion"
)

func init() {
	register(verb{
		name: "completion", group: "Other", place: 1,
		summary: "Write a completion script for bash, zsh or fish.",
		example: "bayestream completion bash",
		run:     runCompletion,
		outline: outline[completionFlags](&completionCommand),
	})
}

// completionFlags are the flags of the verb completion.
type completionFlags struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash (4 or later), zsh or fish."`
}

var completionCommand = config.Command{
	Name: program + " completion",
	About: "Writes a script for a shell to standard output, with which the tab key completes verbs, flags, values and names of files. It is generated from the flags of " +
		"this build: generate it again after an update. The shells load the files in the examples automatically.",
	Examples: []config.Example{
		{What: "This bash, until it ends", Type: "source <(bayestream completion bash)"},
		{What: "Every bash", Type: "bayestream completion bash > ~/.local/share/bash-completion/completions/bayestream"},
		{What: "Every zsh, in a folder of fpath", Type: `bayestream completion zsh > "${fpath[1]}/_bayestream"`},
		{What: "Every fish", Type: "bayestream completion fish > ~/.config/fish/completions/bayestream.fish"},
	},
}

func runCompletion(_ context.Context, p cli.Process) error {
	var f completionFlags
	if err := completionCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	toComplete := completion.Program{Name: program}
	for _, name := range verbNames() {
		v := verbs[name]
		toComplete.Verbs = append(toComplete.Verbs, completion.Verb{Name: v.name, Summary: v.summary, Outline: v.outline()})
	}
	script, err := completion.Script(f.Shell, toComplete)
	if err != nil {
		return cli.WrongInput(err)
	}
	_, err = io.WriteString(p.Stdout, script)
	return err
}
