// Package completion writes scripts that make bash, zsh and fish complete a command line: verbs,
// flags, the values of flags that have a few, and names of files.
//
// The scripts are made of the outlines of the commands themselves, so that they know what the
// parser knows. They are plain text that calls no program: completing costs nothing, and needs
// nothing installed but the shell.
package completion

import (
	"strings"

	"bayestream/internal/shell/config"
)

// Program is a program whose first argument is a verb.
type Program struct {
	Name  string
	Verbs []Verb
}

// Verb is one of them.
type Verb struct {
	Name    string
	Summary string
	Outline config.Outline
}

// Script returns the script for bash, zsh or fish.
func Script(shell string, p Program) string {
	switch shell {
	case "bash":
		return bash(p)
	case "zsh":
		return zsh(p)
	}
	return fish(p)
}

func (p Program) names() []string {
	var out []string
	for _, v := range p.Verbs {
		out = append(out, v.Name)
	}
	return out
}

// first returns the first sentence of a help text, short enough for a list: what stands before a
// colon where it is long.
func first(help string) string {
	const most = 72
	if end := strings.Index(help, ". "); end >= 0 {
		help = help[:end]
	}
	help = strings.TrimSuffix(help, ".")
	for _, cut := range []string{": ", "; ", ", "} {
		if end := strings.Index(help, cut); len(help) > most && end > 0 {
			help = help[:end]
		}
	}
	return help
}
