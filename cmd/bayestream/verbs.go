package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
)

// program is the name of the command.
const program = "bayestream"

// verb is a subcommand. Each parses its own flags: the workers and the console also
// come from the environment and a file.
type verb struct {
	name    string
	group   string      // heading on the first page, one of groups
	place   int         // under the heading; ties by name
	summary string      // one sentence
	example string      // one line to type
	run     cli.Program // is called with the arguments after the verb
	outline func() config.Outline
}

// groups are the headings of the first page, in their order.
var groups = []string{"See it work", "Try it on files", "Keep it", "Run it without Kafka", "Run it on Kafka"}

// verbs holds the registered verbs by name.
var verbs = map[string]verb{}

// outline returns the outline of a verb with flags of type F.
func outline[F any](c *config.Command) func() config.Outline {
	return func() config.Outline {
		var flags F
		return c.Outline(&flags)
	}
}

// register adds a verb. It is called from init functions only.
func register(v verb) {
	if _, taken := verbs[v.name]; taken || !slices.Contains(groups, v.group) {
		panic("bayestream: the verb " + v.name + " is there twice, or its group is in no list")
	}
	verbs[v.name] = v
}

// toolbox finds the verb and runs it.
func toolbox(ctx context.Context, p cli.Process) error {
	if len(p.Args) == 0 {
		return &config.UsageError{Program: program, Problems: []string{"which verb? One " +
			"of " + strings.Join(verbNames(), ", ")}}
	}
	first, rest := p.Args[0], p.Args[1:]
	if strings.HasPrefix(first, "-") || first == "version" {
		return runProgram(p)
	}
	if first == "help" {
		if len(rest) == 0 {
			return config.Answer(firstPage())
		}
		first, rest = rest[0], []string{"--help"}
	}
	v, ok := verbs[first]
	if !ok {
		return unknownVerb(first)
	}
	p.Args = rest
	return v.run(ctx, p)
}

// former are verbs of before, and what people type, with what does the same now.
var former = map[string]string{
	"backup":     "copy FROM FILE",
	"restore":    "copy FROM FILE",
	"snapshot":   "copy FROM FOLDER/",
	"rebuild":    "copy topic:NAME FILE",
	"tune":       "eval --grid=FIELD=VALUE,VALUE",
	"report":     "eval --html=FILE.html",
	"explain":    "predict --why --text=TEXT",
	"man":        "--man=FOLDER",
	"completion": "--completion=SHELL",
	"label":      "labels DOCUMENT LABEL",
	"rename":     "labels --rename OLD NEW",
	"rollback":   "log --rollback=OFFSET|TIME --why=TEXT",
	"forget":     "labels --forget DOCUMENT",
	"learn":      "train FILE",
	"topics":     "status",
}

func unknownVerb(name string) error {
	if now, ok := former[name]; ok {
		return cli.WrongInput(fmt.Errorf("%s: use %q", name, program+" "+now))
	}
	problem := fmt.Sprintf("there is no verb %q", name)
	if near := spelling.Nearest(name, verbNames()); near != "" {
		problem += fmt.Sprintf("; did you mean %q?", near)
	}
	return &config.UsageError{Program: program, Problems: []string{problem}}
}

// verbNames returns the names in the order of the first page.
func verbNames() []string {
	var names []string
	for _, group := range groups {
		for _, v := range verbsOf(group) {
			names = append(names, v.name)
		}
	}
	return names
}

// verbsOf returns the verbs of a group in their order.
func verbsOf(group string) []verb {
	var found []verb
	for _, v := range verbs {
		if v.group == group {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b verb) int {
		return cmp.Or(a.place-b.place, strings.Compare(a.name, b.name))
	})
	return found
}
