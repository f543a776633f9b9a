package config

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// variable returns the name of a flag in the environment.
func variable(flag *kong.Flag) string {
	return "BAYESTREAM_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
}

// resolveLayers sets the flags that the command line does not set: from the environment, or from the file.
func (g *grammar) resolveLayers(ctx *kong.Context, lookup Lookup) {
	given := map[string]bool{}
	for _, step := range ctx.Path {
		if step.Flag != nil {
			given[step.Flag.Name] = true
		}
	}
	entries := g.readFile(ctx, given, lookup)
	for _, flag := range g.app.Model.Flags {
		if given[flag.Name] || fixed(flag) {
			continue
		}
		if value, set := lookup(variable(flag)); set {
			g.set(flag, variable(flag), value)
		} else if e, ok := entries[flag.Name]; ok {
			g.set(flag, e.where, e.value)
		}
	}
}

// fixed reports whether a flag can only be set on the command line, or in a variable for --config.
func fixed(flag *kong.Flag) bool {
	return flag.Name == "help" || flag.Name == "version" || flag.Name == "config"
}

// set sets a flag and adds the problem of an invalid value.
func (g *grammar) set(flag *kong.Flag, from string, value any) {
	g.faults.from = from
	defer func() { g.faults.from = "" }()
	flag.Target.Set(reflect.Zero(flag.Target.Type()))
	token := kong.Token{Type: kong.FlagValueToken, Value: value}
	if err := flag.Parse(kong.ScanFromTokens(token), flag.Target); err != nil {
		g.faults.add(from + ": " + err.Error())
	}
}

// readFile returns the settings of the file, nil if none is named.
func (g *grammar) readFile(ctx *kong.Context, given map[string]bool, lookup Lookup) map[string]entry {
	flag := g.flag("config")
	name, _ := ctx.FlagValue(flag).(string)
	if value, set := lookup(variable(flag)); set && !given[flag.Name] {
		g.set(flag, variable(flag), value)
		name = flag.Target.String()
	}
	if name == "" || checkFile(name) != nil { // already reported for the flag
		return nil
	}
	entries, problems := readFile(name, g.app.Model.Flags)
	g.faults.list = append(g.faults.list, problems...)
	return entries
}

func (g *grammar) flag(name string) *kong.Flag {
	for _, flag := range g.app.Model.Flags {
		if flag.Name == name {
			return flag
		}
	}
	panic("config: no flag --" + name)
}
