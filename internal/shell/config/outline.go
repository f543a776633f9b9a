package config

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Outline lists the flags, arguments and examples of a command, for shell completion, the manual
// and tests that run the examples.
type Outline struct {
	Flags    []Parameter
	Args     []Parameter
	Examples []Example

	grammar *grammar
}

// Parameter is a flag or an argument of a command.
type Parameter struct {
	Name     string // without dashes
	Short    string // one letter, or ""
	Help     string
	Switch   bool     // takes no value
	Repeated bool     // may be given more than once
	Values   []string // valid values; empty if any value is
	Files    bool     // the value is a path
}

// Outline returns the outline of the command, whose flags are the fields of the struct that dst
// points to. A field with the tag complete:"file" names a file, as those of the types path and
// existingfile do.
func (c Command) Outline(dst any) Outline { return c.grammar(dst).outline() }

// WorkerOutline returns the outline of a worker that is started as program.
func WorkerOutline[T Ingest | Classify](program string) Outline {
	var c T
	command := titled(workerCommand(&c), program)
	return command.grammar(&c).outline()
}

// titled puts the name of the program into the command of a worker.
func titled(c Command, program string) Command {
	c.Name, c.Examples = program, slices.Clone(c.Examples)
	for i, example := range c.Examples {
		c.Examples[i].Type = strings.Replace(example.Type, "PROGRAM", program, 1)
	}
	return c
}

func (g *grammar) outline() Outline {
	o := Outline{Examples: g.command.Examples, grammar: g}
	for _, flag := range g.app.Model.Flags {
		if flag.Hidden {
			continue
		}
		p := parameter(flag.Value)
		p.Switch, p.Repeated = flag.IsBool(), flag.IsSlice() || flag.IsMap()
		if flag.Short != 0 {
			p.Short = string(flag.Short)
		}
		o.Flags = append(o.Flags, p)
	}
	for _, arg := range g.app.Model.Positional {
		p := parameter(arg)
		p.Repeated = arg.IsCumulative()
		o.Args = append(o.Args, p)
	}
	return o
}

func parameter(v *kong.Value) Parameter {
	p := Parameter{Name: v.Name, Help: v.Help}
	for _, value := range v.EnumSlice() {
		if value != "" {
			p.Values = append(p.Values, value)
		}
	}
	p.Files = v.Tag.Get("complete") == "file" || slices.Contains([]string{"path", "existingfile"}, v.Tag.Type)
	return p
}
