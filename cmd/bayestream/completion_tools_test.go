//go:build tools

package main

import (
	"os/exec"
	"testing"
)

func TestFishCompletes(t *testing.T) {
	file := script(t, "fish")
	for _, c := range completions {
		out, err := exec.CommandContext(t.Context(), "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file, c.line).CombinedOutput()
		compare(t, "fish", c.line, string(out), err, c.want)
	}
}

// Of zsh, which completes only at a terminal, the script is read.
func TestZshReadsItsScript(t *testing.T) {
	file := script(t, "zsh")
	ask := `autoload -U compinit; compinit -D; source $1; print $_comps[bayestream]`
	out, err := exec.CommandContext(t.Context(), "zsh", "-f", "-c", ask, "zsh", file).CombinedOutput()
	if err != nil || string(out) != "_bayestream\n" {
		t.Errorf("got %q, %v", out, err)
	}
}
