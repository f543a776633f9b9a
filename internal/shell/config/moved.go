package config

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// moved holds settings of records that are in the spec now. They are known so that they can be
// refused with the block that takes their place.
type moved struct {
	Format      string `hidden:"" spec:"format"`
	LabelField  string `hidden:"" spec:"records.label.field"`
	LabelHeader string `hidden:"" spec:"records.label.header"`
	LabelType   string `hidden:"" spec:"records.label.type"`
	IDField     string `hidden:"" name:"id-field" spec:"records.id.field"`
	IDHeader    string `hidden:"" name:"id-header" spec:"records.id.header"`
	IDFrom      string `hidden:"" name:"id-from" spec:"records.id.from"`
}

// isMoved reports whether a flag is known only to be refused.
func isMoved(flag *kong.Flag) bool { return flag.Tag.Has("spec") }

// refuseMoved refuses what the spec says now, wherever it is set.
func (g *grammar) refuseMoved(l layers) {
	var found []string
	block := map[string]any{}
	for _, flag := range g.app.Model.Flags {
		at, e := l.find(flag)
		if !isMoved(flag) || at == nowhere {
			continue
		}
		found = append(found, e.where)
		put(block, strings.Split(flag.Tag.Get("spec"), "."), e.value)
	}
	if len(found) > 0 {
		text, _ := yaml.Marshal(block) // which a map of texts cannot fail
		const where = "%s: the spec says how records are read. Put this into the spec of ingest (--spec), " +
			"from which all programs have it:\n\n%s"
		g.faults.add(fmt.Sprintf(where, strings.Join(found, ", "), text))
	}
}

// put sets the value at a path of keys.
func put(block map[string]any, path []string, value any) {
	for _, key := range path[:len(path)-1] {
		if block[key] == nil {
			block[key] = map[string]any{}
		}
		block, _ = block[key].(map[string]any)
	}
	block[path[len(path)-1]] = value
}
