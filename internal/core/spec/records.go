package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Records says where records have what is no feature. It decides how records are read and not how
// they are counted, so that a later spec may change it. Extends says what must stay.
type Records struct {
	Label  LabelPlace `yaml:"label,omitempty,flow" json:",omitzero"`
	ID     IDPlace    `yaml:"id,omitempty,flow" json:",omitzero"`
	Weight Place      `yaml:"weight,omitempty,flow" json:",omitzero"`
	Time   Place      `yaml:"time,omitempty,flow" json:",omitzero"`
	By     Place      `yaml:"by,omitempty,flow" json:",omitzero"` // the name of who says the label
}

// Place is where a record has a value. A header comes before the field, which is a path in JSON.
type Place struct {
	Field  string `yaml:"field,omitempty" json:",omitzero"`
	Header string `yaml:"header,omitempty" json:",omitzero"`
}

// LabelPlace is where a record has its label.
type LabelPlace struct {
	Field  string `yaml:"field,omitempty" json:",omitzero"`
	Header string `yaml:"header,omitempty" json:",omitzero"`
	Type   string `yaml:"type,omitempty" json:",omitzero"` // string, or any for numbers and booleans too
}

// IDPlace is where a record has its id.
type IDPlace struct {
	Field  string `yaml:"field,omitempty" json:",omitzero"`
	Header string `yaml:"header,omitempty" json:",omitzero"`
	From   string `yaml:"from,omitempty" json:",omitzero"` // field, key or cloudevent
}

// What a label may be, and where an id may come from.
const (
	TypeString     = "string"
	TypeAny        = "any"
	FromField      = "field"
	FromKey        = "key"
	FromCloudEvent = "cloudevent"
)

// String returns the block as a spec has it, on one line.
func (r *Records) String() string { return flow(tree(r)) }

// namedPlace is a place with its key in the spec.
type namedPlace struct {
	key, field string
	place      any // with all that the spec says of it
}

func (r *Records) places() []namedPlace {
	return []namedPlace{
		{"records.label", r.Label.Field, r.Label}, {"records.id", r.ID.Field, r.ID},
		{"records.weight", r.Weight.Field, r.Weight}, {"records.time", r.Time.Field, r.Time},
		{"records.by", r.By.Field, r.By},
	}
}

// RecordPlaces returns where records have what is no feature, in full: what the spec leaves out has
// its usual place. The time has none: it is the time of the record in Kafka. A name has none where
// its field is used for something else.
func (s *Spec) RecordPlaces() Records {
	var r Records
	if s.Records != nil {
		r = *s.Records
	}
	if !s.IsJSON() { // its records have no fields
		r.Label.Header = cmp.Or(r.Label.Header, "label")
		r.ID.From = cmp.Or(r.ID.From, FromKey)
	}
	r.Label.Field = cmp.Or(r.Label.Field, "label")
	r.Label.Type = cmp.Or(r.Label.Type, TypeString)
	r.ID.Field = cmp.Or(r.ID.Field, "id")
	r.ID.From = cmp.Or(r.ID.From, FromField)
	r.Weight.Field = cmp.Or(r.Weight.Field, "weight")
	isBy := func(p namedPlace) bool { return p.field == usualBy }
	if !slices.Contains(s.Features(), usualBy) && !slices.ContainsFunc(r.places(), isBy) {
		r.By.Field = cmp.Or(r.By.Field, usualBy)
	}
	return r
}

// usualBy is the field of a name, unless the spec says another.
const usualBy = "by"

// Teacher bounds what a name may teach.
type Teacher struct {
	Weight int64 `yaml:"weight" json:",omitempty,omitzero"` // the largest weight of a record
}

// Reading identifies how what is no feature is read: where records have it, and which labels are
// spellings of others, and what names may teach. It tells nothing of how they count.
func (s *Spec) Reading() Fingerprint {
	switch {
	case len(s.Teachers) > 0:
		return digest([]any{s.RecordPlaces(), s.Labels, s.Teachers})
	case len(s.Labels) > 0:
		return digest([]any{s.RecordPlaces(), s.Labels})
	}
	return digest(s.RecordPlaces())
}

// Class returns the class of a label: the label itself, if the spec calls it no spelling of another.
func (s *Spec) Class(label string) string {
	if class, ok := s.Labels[label]; ok {
		return class
	}
	return label
}

func (s *Spec) checkLabels() error {
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		class := s.Labels[label]
		if err := cmp.Or(checkClass("a name of labels", label), checkClass("labels."+label, class)); err != nil {
			return err
		}
		_, isSpelling := s.Labels[class]
		switch {
		case isSpelling:
			return fmt.Errorf("labels.%s is %q, which labels calls a spelling itself: want a class", label, class)
		case slices.Contains(s.Weighed(), label), slices.Contains(s.Classes, label):
			return fmt.Errorf("labels.%s: it is a class, by classes, prior or decision.loss: take it out of one of them", label)
		case len(s.Classes) > 0 && !slices.Contains(s.Classes, class):
			return fmt.Errorf("labels.%s is %q, which is not among classes: %q", label, class, s.Classes)
		}
	}
	return nil
}

func (s *Spec) checkTeachers() error {
	for _, name := range slices.Sorted(maps.Keys(s.Teachers)) {
		if err := checkClass("a name of teachers", name); err != nil {
			return err
		}
		if w := s.Teachers[name].Weight; w < 1 {
			return fmt.Errorf("teachers.%s.weight is %d: want the largest weight of its records, at least 1", name, w)
		}
	}
	return nil
}

// checkRecords checks where records have what is no feature. None of it may be a feature: once its
// place changes, a document that is read again would be another one.
func (s *Spec) checkRecords() error {
	if s.Records == nil {
		return nil
	}
	if err := s.checkPlaces(); err != nil {
		return err
	}
	for _, place := range s.Records.places() {
		if place.field != "" && slices.Contains(s.Features(), place.field) {
			return fmt.Errorf("%s.field is %q, which the spec reads as a feature: want another field", place.key, place.field)
		}
	}
	var used []string
	at := s.RecordPlaces()
	for _, place := range at.places() {
		if place.field != "" {
			used = append(used, place.field)
		}
	}
	return distinct("records", used)
}

func (s *Spec) checkPlaces() error {
	r := s.Records
	err := cmp.Or(oneOf("records.label.type", cmp.Or(r.Label.Type, TypeString), TypeString, TypeAny),
		oneOf("records.id.from", cmp.Or(r.ID.From, FromField), FromField, FromKey, FromCloudEvent))
	switch {
	case err != nil || s.IsJSON():
		return err
	case r.ID.From == FromField:
		return fmt.Errorf("records.id.from is field, and a record of format %s has none: want key or cloudevent", s.Format)
	}
	for _, place := range r.places() {
		if place.field != "" {
			return fmt.Errorf("%s.field: a record of format %s has no fields: name a header", place.key, s.Format)
		}
	}
	return nil
}

// extendsRecords returns an error if documents that were learned by the spec before could not be
// found by their ids, leave a window, or be read again by this one.
func (s *Spec) extendsRecords(before *Spec) error {
	now := s.RecordPlaces()
	had := before.RecordPlaces()
	for i, place := range now.places() {
		old := had.places()[i]
		isFeature := slices.Contains(s.Features(), old.field) || slices.Contains(s.Features(), place.field)
		isFixed := place.key == "records.id" || place.key == "records.time" || isFeature
		if place != old && isFixed {
			return fmt.Errorf("%s is %s, and records are counted by %s: keep it, or count them again into a new model topic "+
				"(bayestream cutover)", place.key, flow(tree(place.place)), flow(tree(old.place)))
		}
	}
	return nil
}

// Features returns the fields of a record that are features.
func (s *Spec) Features() []string {
	return slices.Concat(s.TextFields(), s.NumberFields(), s.CategoryFields())
}
