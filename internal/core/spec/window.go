package spec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Window bounds what stays counted of each partition of a training topic: its newest documents, or
// those that are not older than an age. One of them is set, or the window is no bound.
type Window struct {
	Records int64 `yaml:"records,omitempty" json:",omitempty,omitzero"`
	Age     Age   `yaml:"age,omitempty" json:",omitempty,omitzero"`
}

// Age is a time span.
type Age struct {
	Milliseconds int64 `json:",omitempty,omitzero"`
}

// IsZero reports whether the window bounds nothing.
func (w Window) IsZero() bool { return w == Window{} }

// IsZero reports whether no age is set, for omitempty.
func (a Age) IsZero() bool { return a == Age{} }

// String returns the window as it is in a spec.
func (w Window) String() string {
	if w.IsZero() {
		return "none"
	}
	return flow(tree(w))
}

// Contains returns what the window holds, in a sentence.
func (w Window) Contains() string {
	if w.Records > 0 {
		return fmt.Sprintf("the newest %d documents of each partition", w.Records)
	}
	return fmt.Sprintf("documents that are not more than %s older than the newest of their partition", w.Age)
}

// ageUnits are the units of an age, the longest first, in milliseconds.
var ageUnits = []struct {
	name string
	long int64
}{{"d", 86_400_000}, {"h", 3_600_000}, {"m", 60_000}, {"s", 1000}, {"ms", 1}}

// Day is a day in milliseconds.
const Day = 86_400_000

// String returns the age in the longest unit of which it is a whole number, like 30d.
func (a Age) String() string {
	for _, u := range ageUnits {
		if a.Milliseconds%u.long == 0 {
			return strconv.FormatInt(a.Milliseconds/u.long, 10) + u.name
		}
	}
	return ""
}

// UnmarshalYAML reads a whole number with a unit, like 30d, 12h, 45m or 90s.
func (a *Age) UnmarshalYAML(n *yaml.Node) error {
	for _, u := range ageUnits {
		digits, ok := strings.CutSuffix(n.Value, u.name)
		if !ok {
			continue
		}
		value, err := strconv.ParseInt(digits, 10, 64)
		if err == nil && value > 0 && value <= longestAge/u.long && digits[0] != '+' {
			*a = Age{value * u.long}
			return nil
		}
	}
	return errors.New("want an age from 1s to 36500d, as a whole number with a unit: 30d, 12h, 45m or 90s")
}

// MarshalYAML writes what UnmarshalYAML reads.
func (a Age) MarshalYAML() (any, error) { return a.String(), nil }

const (
	longestAge  = 36500 * Day
	mostRecords = 1 << 30
)

func (w Window) check() error {
	switch {
	case w.Records != 0 && !w.Age.IsZero():
		return errors.New("limits.window has records and age: want one of them")
	case w.Records < 0 || w.Records > mostRecords:
		return fmt.Errorf("limits.window.records is %d: want 1 to %d", w.Records, mostRecords)
	case !w.Age.IsZero() && w.Age.Milliseconds < 1000:
		return fmt.Errorf("limits.window.age is %s: want at least 1s", w.Age)
	}
	return nil
}

// extends returns an error if the window holds what that of the spec before does not: what has left
// a window is not counted again.
func (w Window) extends(before Window) error {
	switch {
	case w == before:
		return nil
	case before.IsZero():
		return fmt.Errorf("limits.window is %s, and the spec in force has none: its ledger does not know every document "+
			"that it has learned, so it needs a new model", w)
	case w.Records > 0 && w.Records < before.Records, !w.Age.IsZero() && w.Age.Milliseconds < before.Age.Milliseconds:
		return nil
	}
	return fmt.Errorf("limits.window is %s, and the spec in force has %s: a later spec may shorten a window and do "+
		"nothing else with it, because what has left it is not counted again", w, before)
}
