package config

import (
	"errors"
	"fmt"
	"strings"

	"bayestream/internal/config/version"

	"github.com/alecthomas/kong"
)

// Command is a program, or a verb of one, as its user meets it.
type Command struct {
	Name     string // as it is typed: "ingest", "bayestream demo"
	About    string // what it does, in one paragraph that begins with a verb
	Examples []Example
}

// Example is a line to type and what it is for.
type Example struct{ What, Type string }

// Lookup finds a variable of the environment, as os.LookupEnv does.
type Lookup func(name string) (value string, set bool)

// Parse sets dst, a pointer to a struct with kong's tags, from the command line
// and the defaults, and validates it where it has a method Validate() error. The
// error is an Answer or a *UsageError.
func (c Command) Parse(dst any, args []string) error { return c.parse(dst, args, nil) }

// frame holds the flags that every command has.
type frame struct {
	Help    bool `group:"other" short:"h" help:"Show this page."`
	Version bool `group:"other" help:"Show the version."`
}

// fileFrame holds the flag of commands that read a file.
type fileFrame struct {
	Config string `group:"other" type:"existingfile" placeholder:"FILE" help:"YAML file with settings: the flags' names without dashes in front, like checkpoint-each: 5s."`
}

// grammar is a command with the struct that it fills.
type grammar struct {
	command Command
	dst     any
	app     *kong.Kong
	faults  *faults
	layered bool // environment and file count too
}

func (c Command) grammar(dst any, layered bool) *grammar {
	options := append(paths(layered), kong.Name(c.Name), kong.NoDefaultHelp(), varsOf(dst), kong.ExplicitGroups(groups))
	if layered {
		options = append(options, kong.Embed(&fileFrame{}))
	}
	options = append(options, kong.Embed(&frame{}))
	g := &grammar{command: c, dst: dst, app: must(kong.New(dst, options...)), layered: layered}
	g.faults = watch(g.app)
	return g
}

// groups are the headings of the help page and of the reference, in their order.
var groups = []kong.Group{
	{Key: "topics", Title: "Topics"},
	{Key: "records", Title: "Records"},
	{Key: "model", Title: "Model"},
	{Key: "running", Title: "Running"},
	{Key: "kafka", Title: "Kafka"},
	{Key: "other", Title: "Other"},
}

func (c Command) parse(dst any, args []string, lookup Lookup) error {
	g := c.grammar(dst, lookup != nil)
	ctx, err := kong.Trace(g.app, args)
	if err != nil {
		return &UsageError{c.Name, []string{err.Error()}}
	}
	if answer, asked := g.answer(ctx); asked {
		return answer
	}
	if ctx.Error != nil {
		g.faults.add(ctx.Error.Error())
	}
	if err := g.resolve(ctx, lookup); err != nil {
		g.faults.add(err.Error())
	}
	if ctx.Error == nil {
		g.validate(ctx)
	}
	if len(g.faults.list) > 0 {
		return &UsageError{c.Name, g.faults.list}
	}
	return nil
}

// answer returns the text that the command line asks for instead of a run, even if
// something else in it is wrong.
func (g *grammar) answer(ctx *kong.Context) (Answer, bool) {
	for _, step := range ctx.Path {
		if step.Flag == nil || step.Flag.Group == nil || step.Flag.Group.Key != "other" {
			continue
		}
		switch step.Flag.Name {
		case "help":
			return Answer(g.help()), true
		case "version":
			return Answer(g.command.Name + " " + version.Read().String() + "\n"), true
		}
	}
	return "", false
}

// resolve gives every flag the value of the first layer that has one.
func (g *grammar) resolve(ctx *kong.Context, lookup Lookup) error {
	if err := ctx.Reset(); err != nil {
		return fmt.Errorf("set the defaults: %w", err)
	}
	if g.layered {
		g.resolveLayers(ctx, lookup)
	}
	if _, err := ctx.Apply(); err != nil {
		return fmt.Errorf("apply the command line: %w", err)
	}
	return g.faults.restore()
}

// validate adds what is wrong with values that are well-formed each by itself:
// first our rules, which find all, then kong's, which stop at the first.
func (g *grammar) validate(ctx *kong.Context) {
	if v, ok := g.dst.(interface{ Validate() error }); ok {
		g.faults.addAll(v.Validate())
	}
	if len(g.faults.list) == 0 {
		g.faults.addAll(choices(ctx.Validate()))
	}
}

// choices takes the empty value, which stands for a flag that was not given, out of
// what kong says a value must be one of.
func choices(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.Replace(err.Error(), `,"" but got`, " but got", 1))
}
