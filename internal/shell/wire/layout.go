package wire

import (
	"slices"

	"bayestream/internal/shell/wire/jsonread"
)

// layout says where the features of the records of a topic stand: under the name of the field, and
// where a Schema says that they also stand. Training records and documents have one each.
type layout struct {
	plain      []slot         // members that are compared one by one: the slots, and the texts
	members    map[string]int // other members, by their place in fields; nil: none
	places     int            // of fields
	texts      [][]spot       // by text field: where it is looked for, in order
	numbers    [][]spot       // by number, besides "numbers"
	categories [][]spot       // by category, besides "categories"
}

// spot is one place of a feature in a record.
type spot struct {
	member int           // its place in fields; -1: the path leads to it
	path   jsonread.Path // with a member: its name
}

// newLayout returns the layout of a Schema, where fields also stand at the paths of elsewhere. What
// is no feature and has a path is left to the Decoder.
func newLayout(s *Schema, elsewhere map[string][]string) layout {
	l := layout{places: slotCount}
	for _, field := range s.slots() {
		if field.name != "" && !jsonread.IsPath(field.name) {
			l.plain = append(l.plain, field)
		}
	}
	l.plain = append(l.plain, slot{"ref", slotRef})
	if len(s.NumberFields) > 0 {
		l.plain = append(l.plain, slot{"numbers", slotNumbers})
	}
	if len(s.CategoryFields) > 0 {
		l.plain = append(l.plain, slot{"categories", slotCategories})
	}
	taken := slices.Clone(l.plain)
	for _, name := range s.textFields() {
		if l.member(name) < 0 && !jsonread.IsPath(name) {
			l.plain = append(l.plain, slot{name, l.places})
			l.places++
		}
		l.texts = append(l.texts, l.spots(append([]string{name}, elsewhere[name]...)))
	}
	l.numbers = l.features(s.NumberFields, taken, elsewhere)
	l.categories = l.features(s.CategoryFields, taken, elsewhere)
	return l
}

// features returns where numbers or categories are looked for: in the member of their name, unless
// it is taken for something else in every record, and then elsewhere.
func (l *layout) features(names []string, taken []slot, elsewhere map[string][]string) [][]spot {
	var out [][]spot
	for _, name := range names {
		var spots []spot
		if !slices.ContainsFunc(taken, func(s slot) bool { return s.name == name }) {
			spots = append(spots, spot{member: l.add(name), path: jsonread.NewPath(name)})
		}
		out = append(out, append(spots, l.spots(elsewhere[name])...))
	}
	return out
}

func (l *layout) spots(paths []string) (spots []spot) {
	for _, path := range paths {
		member := -1
		if !jsonread.IsPath(path) {
			member = l.add(path)
		}
		spots = append(spots, spot{member: member, path: jsonread.NewPath(path)})
	}
	return spots
}

// member returns the place in fields of the member with a plain name, -1 if there is none yet.
func (l *layout) member(name string) int {
	for _, s := range l.plain {
		if s.name == name {
			return s.at
		}
	}
	if at, ok := l.members[name]; ok {
		return at
	}
	return -1
}

// add returns the place in fields of the member with a plain name.
func (l *layout) add(name string) int {
	if at := l.member(name); at >= 0 {
		return at
	}
	if l.members == nil {
		l.members = map[string]int{}
	}
	at := l.places
	l.members[name] = at
	l.places++
	return at
}

// first returns the value at the first spot that has one; nil: there is none. Null is none.
func first(spots []spot, record []byte, found fields, sc *scratch) (jsonread.Value, *spot) {
	for i := range spots {
		if value := spots[i].raw(record, found, sc); !value.IsAbsent() {
			return value, &spots[i]
		}
	}
	return nil, nil
}

// raw returns what is at the spot in a record whose members were found.
func (s *spot) raw(record []byte, found fields, sc *scratch) jsonread.Value {
	if s.member >= 0 {
		return found[s.member]
	}
	return s.path.Find(&sc.reader, record)
}

func (s *spot) place() place { return place{"field", s.path.String()} }

func listed(spots []spot) string { return quoteSome(pathsOf(spots)) }

func pathsOf(spots []spot) (paths []string) {
	for i := range spots {
		paths = append(paths, spots[i].path.String())
	}
	return paths
}

// content returns the name of a member that holds a part of a document, "" if the record has none.
func (l *layout) content(record []byte, found fields, sc *scratch) string {
	for _, object := range []slot{{"numbers", slotNumbers}, {"categories", slotCategories}} {
		if !found[object.at].IsAbsent() {
			return object.name
		}
	}
	for _, features := range [][][]spot{l.texts, l.numbers, l.categories} {
		for _, spots := range features {
			if _, at := first(spots, record, found, sc); at != nil {
				return at.path.String()
			}
		}
	}
	return ""
}

// fieldNames returns the fields that a Schema reads features from, sorted.
func (s *Schema) fieldNames() []string {
	names := slices.Concat(s.textFields(), s.NumberFields, s.CategoryFields)
	slices.Sort(names)
	return slices.Compact(names)
}

// textFields returns the fields of the text, none if the spec has no text block.
func (s *Schema) textFields() []string {
	if !s.HasText {
		return nil
	}
	return s.TextFields
}
