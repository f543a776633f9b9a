package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/cli"
)

const program = "bayestream"

// verb is a subcommand. Each parses its own flags: the workers and the console also
// come from the environment and a file.
type verb struct {
	name    string
	summary string      // one sentence
	example string      // one line to type, the first of its help
	run     cli.Program // is called with the arguments after the verb
	outline func() config.Outline
}

// groups are the headings of the first page with their verbs, in their order.
var groups = []struct {
	title string
	verbs []verb
}{
	{"See it work", []verb{demoVerb}},
	{"Try it on files", []verb{initVerb, trainVerb, predictVerb, evalVerb, inspectVerb, compareVerb, tokenizeVerb,
		checkVerb}},
	{"Keep it", []verb{verifyVerb, copyVerb, exportVerb, importVerb, logVerb}},
	{"Run it without Kafka", []verb{serveVerb, streamVerb}},
	{"Run it on Kafka", []verb{ingestVerb, classifyVerb, consoleVerb, sendVerb, statusVerb, labelsVerb, deadVerb,
		cutoverVerb}},
}

// verbs are those of all groups.
var verbs = func() (all []verb) {
	for _, group := range groups {
		all = append(all, group.verbs...)
	}
	return all
}()

// verbOf returns the verb of a command whose flags are a struct F: it parses them, checks them by their Validate,
// and runs them. The wrappers are put around that.
func verbOf[F any, P interface {
	*F
	run(ctx context.Context, p cli.Process) error
}](c config.Command, wrappers ...func(cli.Program) cli.Program) verb {
	v := verb{name: c.Name, summary: c.Summary, example: c.Examples[0].Type}
	c.Name = program + " " + c.Name
	v.outline = func() config.Outline { return c.Outline(new(F)) }
	v.run = func(ctx context.Context, p cli.Process) error {
		flags := P(new(F))
		if err := c.Parse(flags, p.Args, p.LookupEnv); err != nil {
			return err
		}
		return flags.run(ctx, p)
	}
	for _, wrapped := range wrappers {
		v.run = wrapped(v.run)
	}
	return v
}

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
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == first })
	if i < 0 {
		return unknownVerb(first)
	}
	p.Args = rest
	return verbs[i].run(ctx, p)
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
	problem := fmt.Sprintf("there is no verb %q%s", name, spelling.Guess(name, verbNames()))
	return &config.UsageError{Program: program, Problems: []string{problem}}
}

// verbNames returns the names in the order of the first page.
func verbNames() (names []string) {
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return names
}

var (
	classifyVerb = workerVerb("classify", classify.Run)
	ingestVerb   = workerVerb("ingest", ingest.Run)
)

func workerVerb[T cli.Settings](name string, run func(context.Context, T, *slog.Logger) error) verb {
	c := config.WorkerCommand[T](program + " " + name)
	return verb{
		name: name, summary: c.Summary, example: c.Examples[0].Type, run: cli.Worker(c.Name, run),
		outline: func() config.Outline { return c.Outline(new(T)) },
	}
}
