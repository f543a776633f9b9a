package config

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

func variable(flag *kong.Flag) string {
	return "BAYESTREAM_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
}

// layer is a place that can set a flag. The first one that does so counts.
type layer int

const (
	onCommandLine layer = iota
	inEnvironment
	inFile
	nowhere
)

// layers finds what sets the flags of a command.
type layers struct {
	given  map[string]any // on the command line, by the name of the flag
	lookup Lookup
	file   map[string]entry // of --config
	all    bool             // environment and file set all flags, not those of the connection alone
	none   bool             // they set no flag
}

// find returns the value of a flag, and the layer that has it.
func (l layers) find(flag *kong.Flag) (layer, entry) {
	if value, given := l.given[flag.Name]; given {
		return onCommandLine, entry{"--" + flag.Name, value}
	}
	if l.none || !l.all && !connects(flag) || flag.Name == "help" || flag.Name == "version" {
		return nowhere, entry{}
	}
	if value, set := l.lookup(variable(flag)); set {
		return inEnvironment, entry{variable(flag), value}
	}
	if e, ok := l.file[flag.Name]; ok {
		return inFile, e
	}
	return nowhere, entry{}
}

// resolveLayers sets the flags that the command line does not set: from the environment, the file,
// or the named cluster.
func (g *grammar) resolveLayers(ctx *kong.Context, lookup Lookup) {
	l := layers{given: map[string]any{}, lookup: lookup, all: g.command.Layered}
	for _, step := range ctx.Path {
		if step.Flag != nil {
			l.given[step.Flag.Name] = ctx.FlagValue(step.Flag)
		}
	}
	l.none = g.command.Offline && !l.named()
	if l.all {
		l.file = g.readFile(l)
	}
	g.connect(l)
	cluster := g.cluster(l)
	for _, flag := range g.app.Model.Flags {
		at, e := l.find(flag)
		if ofCluster(flag) && cluster != nil {
			at, e = inFile, cluster[flag.Name]
		}
		unused := flag.Name == "cluster" && cluster == nil
		if at != onCommandLine && e.value != nil && !fixed(flag) && !unused {
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
func (g *grammar) readFile(l layers) map[string]entry {
	flag := g.flag("config")
	at, e := l.find(flag)
	if at == inEnvironment {
		g.set(flag, e.where, e.value)
		e.value = flag.Target.Interface()
	}
	name, _ := e.value.(string)
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
