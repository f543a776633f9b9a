package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// The help is wrapped for a terminal of 80 columns.
const (
	helpWidth  = 80
	helpIndent = "        "
)

// What the help and the manual of every command say.
const (
	aboutLayers = "Settings are read from the command line, then the environment, then the YAML file of --config, then " +
		"the defaults: the first one counts. TIME is a number with a unit: 500ms, 10s, 2m. A switch without a value is " +
		"true; --switch=false makes it false."
	aboutExits = "Results are written to standard output, everything else to standard error. Exit codes: 0 success, 1 " +
		"failure, 2 invalid usage or input."
)

func (g *grammar) help() string {
	var b strings.Builder
	b.WriteString(g.usage() + "\n\n" + Wrap(g.command.About, "", helpWidth))
	if g.command.Layered {
		b.WriteString("\n" + Wrap(aboutLayers, "", helpWidth))
	}
	if len(g.command.Examples) > 0 {
		b.WriteString("\nExamples\n")
	}
	for _, e := range g.command.Examples {
		fmt.Fprintf(&b, "  %s\n      %s\n", heading(e.What), e.Type)
	}
	if len(g.app.Model.Positional) > 0 {
		b.WriteString("\nArguments\n")
	}
	for _, arg := range g.app.Model.Positional {
		fmt.Fprintf(&b, "  %s\n%s", arg.Summary(), Wrap(arg.Help, helpIndent, helpWidth))
	}
	for _, section := range g.sections() {
		b.WriteString("\n" + section.title + "\n")
		for _, flag := range section.flags {
			head, notes := g.flagParts(flag)
			b.WriteString("  " + head + "\n" + Wrap(flag.Help, helpIndent, helpWidth) + Wrap(notes, helpIndent, helpWidth))
		}
	}
	return b.String() + "\n" + Wrap(aboutExits, "", helpWidth)
}

// usage returns the line of the required flags and the arguments.
func (g *grammar) usage() string {
	words := []string{"Usage:", g.command.Name}
	for _, flag := range g.app.Model.Flags {
		if flag.Required {
			words = append(words, "--"+flag.Name+"="+flag.FormatPlaceHolder())
		}
	}
	words = append(words, "[flags]")
	for _, arg := range g.app.Model.Positional {
		words = append(words, arg.Summary())
	}
	return strings.Join(words, " ")
}

// heading appends a colon to a text unless it ends in a question mark or a parenthesis.
func heading(text string) string {
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, ")") {
		return text
	}
	return text + ":"
}

// section is a heading with its flags.
type section struct {
	title string
	flags []*kong.Flag
}

// sections returns the flags that are not hidden under their headings, in the order of groups.
// Flags without a group come first.
func (g *grammar) sections() (all []section) {
	none := kong.Group{Title: "Flags"}
	for _, group := range append([]kong.Group{none}, groups...) {
		s := section{title: group.Title}
		for _, flag := range g.app.Model.Flags {
			if of := cmp.Or(flag.Group, &none); !flag.Hidden && of.Key == group.Key {
				s.flags = append(s.flags, flag)
			}
		}
		if len(s.flags) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// Wrap breaks a text into lines of at most width columns, each with an indent and a newline.
func Wrap(text, indent string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	if column > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

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
func (c Command) Outline(dst any) Outline {
	g := c.grammar(dst)
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
