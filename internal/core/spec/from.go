package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// From says where else the fields of a spec are in JSON records: by field, paths that are tried in
// order if a record does not have the field under its name. It decides how records are read and not
// how they are counted, so that it may grow: a path that is added behind the others leaves records
// readable that were written before.
type From struct {
	Training  map[string][]string `yaml:"training,omitempty" json:",omitempty,omitzero"`  // for training records
	Documents map[string][]string `yaml:"documents,omitempty" json:",omitempty,omitzero"` // for documents
}

// IsZero reports whether nothing is said, for omitempty.
func (f From) IsZero() bool { return len(f.Training) == 0 && len(f.Documents) == 0 }

// sides returns both parts with their keys in the spec.
func (f *From) sides() []fromSide {
	return []fromSide{{"from.training", f.Training}, {"from.documents", f.Documents}}
}

type fromSide struct {
	key   string
	paths map[string][]string // by field
}

// FromRevision returns the number of paths in from. As the lists only grow, it tells which of those
// that were ever in force in a model log a record was read by.
func (s *Spec) FromRevision() int64 {
	var n int64
	for _, side := range s.From.sides() {
		for _, paths := range side.paths {
			n += int64(len(paths))
		}
	}
	return n
}

// Extends returns an error if a model that has learned by the spec before cannot go on with this
// one: its window is longer, records have their id or their time elsewhere, or from drops a path of
// the spec before, or tries them in another order.
func (s *Spec) Extends(before *Spec) error {
	if err := s.Limits.Window.extends(before.Limits.Window); err != nil {
		return err
	}
	if err := s.extendsRecords(before); err != nil {
		return err
	}
	now := s.From.sides()
	for i, side := range before.From.sides() {
		for _, field := range slices.Sorted(maps.Keys(side.paths)) {
			had := side.paths[field]
			has := now[i].paths[field]
			if len(has) < len(had) || !slices.Equal(has[:len(had)], had) {
				return fmt.Errorf("%s: %s is [%s], and the spec in force has [%s]: keep these paths in their order and add new "+
					"ones behind them, because records "+
					"that were learned are read by them again", side.key, field, strings.Join(has, ", "), strings.Join(had, ", "))
			}
		}
	}
	return nil
}

func (s *Spec) checkFrom() error {
	if s.From.IsZero() {
		return nil
	}
	if s.Format != "json" {
		return fmt.Errorf("from is for format json: a record of format %s has no fields", s.Format)
	}
	fields := s.Features()
	for _, side := range s.From.sides() {
		for _, field := range slices.Sorted(maps.Keys(side.paths)) {
			paths := side.paths[field]
			switch {
			case !slices.Contains(fields, field):
				return fmt.Errorf("%s names %q, which the spec does not read: its fields are %s", side.key, field,
					strings.Join(fields, ", "))
			case len(paths) == 0 || slices.Contains(paths, ""):
				return errors.New(side.key + "." + field + " has no path, or an empty one")
			}
			if err := distinct(side.key+"."+field, paths); err != nil {
				return err
			}
		}
	}
	return nil
}

// A pattern in the fields of a block of numbers stands for all fields of records whose names begin
// and end as it does: word_freq_* for word_freq_make, word_freq_address and so on. What counts is
// the list of names, so that a pattern is expanded before the first record is counted.

func isPattern(name string) bool { return strings.Contains(name, "*") }

// Patterns returns the patterns among the fields of numbers, in order.
func (s *Spec) Patterns() []string {
	var found []string
	for _, n := range s.Numbers {
		for _, f := range n.Fields {
			if isPattern(f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// Expand replaces patterns by the names that match and that the block does not have already, in the
// order of names. The error says which pattern none matches.
func (s *Spec) Expand(names []string) error {
	for i := range s.Numbers {
		block := &s.Numbers[i]
		var fields []string
		for _, f := range block.Fields {
			if !isPattern(f) {
				fields = append(fields, f)
				continue
			}
			before := len(fields)
			for _, name := range names {
				if matches(f, name) && !slices.Contains(fields, name) && !slices.Contains(block.Fields, name) {
					fields = append(fields, name)
				}
			}
			if len(fields) == before {
				return fmt.Errorf("numbers[%d].fields: no numeric field of the records matches %s", i, f)
			}
		}
		block.Fields = fields
	}
	return nil
}

// matches reports whether a name begins as a pattern does before its first star, and ends as it
// does behind it.
func matches(pattern, name string) bool {
	begin, end, _ := strings.Cut(pattern, "*")
	return len(name) >= len(begin)+len(end) && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end)
}
