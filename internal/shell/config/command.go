package config

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/config/version"

	"github.com/alecthomas/kong"
)

// Command is a program, or a verb of one, with its help.
type Command struct {
	Name     string // as typed: "ingest", "bayestream demo"
	Summary  string // one sentence
	About    string // what it does, in one paragraph that begins with a verb
	Examples []Example

	Layered bool // the environment and a file set the flags, too
	Offline bool // works without brokers, and connects only if the command line names them
}

// Example is a command line and its purpose.
type Example struct{ What, Type string }

// Lookup finds a variable of the environment, as os.LookupEnv does.
type Lookup func(name string) (value string, set bool)

// frame holds the flags that every command has.
type frame struct {
	Help    bool `group:"other" short:"h" help:"Show this help."`
	Version bool `group:"other" help:"Show the version."`
}

// fileFrame holds the flag of commands that read a file.
type fileFrame struct {
	Config string `group:"other" type:"existingfile" placeholder:"FILE" help:"YAML file of settings. The keys are the names of the flags without leading dashes, like checkpoint-each: 5s."`
}

// grammar is a command with the struct of its flags.
type grammar struct {
	command Command
	dst     any
	app     *kong.Kong
	faults  *faults
}

func (c Command) grammar(dst any) *grammar {
	options := append(paths(c.Layered), kong.Name(c.Name), kong.NoDefaultHelp(), varsOf(dst), kong.ExplicitGroups(groups))
	if c.Layered {
		options = append(options, kong.Embed(&fileFrame{}))
	}
	options = append(options, kong.Embed(&frame{}))
	g := &grammar{command: c, dst: dst, app: must(kong.New(dst, options...))}
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

// Parse sets dst, a pointer to a struct with kong's tags, from the command line and the defaults,
// and calls its method Validate() error if it has one. If dst embeds a Connection, it comes from the
// environment and the file of clusters, too, and so do all flags of a command that is layered. The
// error is an Answer or a *UsageError.
func (c Command) Parse(dst any, args []string, lookup Lookup) error {
	g := c.grammar(dst)
	ctx, err := kong.Trace(g.app, args)
	if err != nil {
		return &UsageError{c.Name, []string{err.Error()}}
	}
	if answer, asked := g.answer(ctx); asked {
		return answer
	}
	if ctx.Error != nil {
		g.faults.add(g.dashed(owned(ctx.Error.Error()), args))
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

// owned says of an unknown flag which worker has it.
func owned(problem string) string {
	name, isUnknown := strings.CutPrefix(problem, "unknown flag --")
	if worker := ownerOf()[name]; isUnknown && worker != "" {
		return fmt.Sprintf("%s: it is a setting of %s", problem, worker)
	}
	return problem
}

// dashed says of an unknown flag of one letter that it begins a flag which was written with one dash.
func (g *grammar) dashed(problem string, args []string) string {
	letter, isUnknown := strings.CutPrefix(problem, "unknown flag ")
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		isNamed := func(flag *kong.Flag) bool { return flag.Name == name }
		if isUnknown && strings.HasPrefix(arg, letter[:2]) && slices.ContainsFunc(g.app.Model.Flags, isNamed) {
			return fmt.Sprintf("unknown flag -%s, did you mean \"--%[1]s\"?", name)
		}
	}
	return problem
}

// answer returns the help or version that the command line asks for, even if something else in it
// is wrong.
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

// resolve sets every flag to the value of the first layer that has one.
func (g *grammar) resolve(ctx *kong.Context, lookup Lookup) error {
	if err := ctx.Reset(); err != nil {
		return fmt.Errorf("set the defaults: %w", err)
	}
	if _, dials := g.dst.(dialer); dials || g.command.Layered {
		g.resolveLayers(ctx, lookup)
	}
	if _, err := ctx.Apply(); err != nil {
		return fmt.Errorf("apply the command line: %w", err)
	}
	return g.faults.restore()
}

// validate adds the problems of well-formed values: first by our rules, which find all, then by
// kong's, which stop at the first.
func (g *grammar) validate(ctx *kong.Context) {
	for _, flag := range g.app.Model.Flags {
		allowed, got := flag.EnumSlice(), flag.Target.String()
		if flag.Enum != "" && !slices.Contains(allowed, got) {
			g.faults.add(fmt.Sprintf("--%s: %q is not valid: want %s", flag.Name, got, oneOf(allowed)))
		}
	}
	if v, ok := g.dst.(interface{ Validate() error }); ok {
		g.faults.addAll(v.Validate())
	}
	if len(g.faults.list) == 0 {
		g.faults.addAll(ctx.Validate())
	}
}
