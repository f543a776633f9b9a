package completion

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/config"
)

func fish(p Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %[1]s for fish. Made by \"%[1]s --completion=fish\".\n", p.Name)
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "complete -c %s "+format+"\n", append([]any{p.Name}, args...)...)
	}
	line("-f")
	line("-n __fish_use_subcommand -l help -s h -d 'Show the first page'")
	line("-n __fish_use_subcommand -l version -d 'Show the version'")
	line("-n __fish_use_subcommand -a help -d 'Explain a verb'")
	line("-n '__fish_seen_subcommand_from help' -a %s", fishQuoted(strings.Join(p.names(), " ")))
	for _, v := range p.Verbs {
		line("-n __fish_use_subcommand -a %s -d %s", v.Name, fishQuoted(first(v.Summary)))
		on := fishQuoted("__fish_seen_subcommand_from " + v.Name)
		for _, f := range v.Outline.Flags {
			short := ""
			if f.Short != "" {
				short = " -s " + f.Short
			}
			line("-n %s -l %s%s%s -d %s", on, f.Name, short, fishValue(f), fishQuoted(first(f.Help)))
		}
		for _, a := range v.Outline.Args {
			if len(a.Values) > 0 {
				line("-n %s -a %s", on, fishQuoted(strings.Join(a.Values, " ")))
			}
		}
		if slices.ContainsFunc(v.Outline.Args, func(a config.Parameter) bool { return a.Files }) {
			line("-n %s -F", on)
		}
	}
	return b.String()
}

// fishValue says how the value of a flag is completed.
func fishValue(f config.Parameter) string {
	switch {
	case f.Switch:
		return ""
	case f.Files:
		return " -r -F"
	case len(f.Values) > 0:
		return " -x -a " + fishQuoted(strings.Join(f.Values, " "))
	}
	return " -x"
}

// fishQuoted puts a text between single quotes, in which fish reads \\ and \'.
func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
