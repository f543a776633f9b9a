package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"bayestream/internal/tokenize"
)

// Fingerprint identifies what a spec says about counting or about scoring.
type Fingerprint [sha256.Size]byte

// String returns the first 16 hexadecimal digits.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:8]) }

// MailRevision is the version of the segments that a mail is read as. It is raised whenever those
// of any mail change; the golden files of package mail detect that.
const MailRevision = 4

// htmlRevision is the version of the text that is read of HTML. It is raised whenever the text of
// any document changes.
const htmlRevision = 2

// counting is all of a spec that decides how documents are counted. Its JSON is hashed into the
// fingerprint; its YAML names the key of the spec that each value comes from, so that two specs can
// be compared key by key.
type counting struct {
	Revision int `yaml:"-" json:",omitempty,omitzero"` // of the tokenizer
	// revision of what a mail is read as; 0: the format is another
	Mail int `yaml:"-" json:",omitempty,omitzero"`
	// revision of the text of HTML; 0: it is taken as it is
	HTML    int      `yaml:"-" json:",omitempty,omitzero"`
	Format  string   `yaml:"format" json:",omitempty,omitzero"`
	Classes []string `yaml:"classes" json:",omitempty,omitzero"`
	Text    *Text    `yaml:"text" json:",omitempty,omitzero"`
	// documents with a term, not its tokens
	Presence   bool             `yaml:"text.likelihood" json:",omitempty,omitzero"`
	Numbers    []countedNumbers `yaml:"numbers" json:",omitempty,omitzero"`
	Categories []countedField   `yaml:"categories" json:",omitempty,omitzero"`
	Histograms []Histogram      `yaml:"histograms" json:",omitempty,omitzero"`
	Limits     Limits           `yaml:"limits"`
}

type countedNumbers struct {
	Fields []string `yaml:"fields" json:",omitempty,omitzero"`
	Full   bool     `yaml:"likelihood" json:",omitempty,omitzero"` // products of fields, not only squares
	Digits int      `yaml:"scale"`
}

type countedField struct {
	Field string `yaml:"field"`
}

// MarshalJSON writes the name alone.
func (f countedField) MarshalJSON() ([]byte, error) { return json.Marshal(f.Field) }

// counting returns what decides how documents are counted.
func (s *Spec) counting() counting {
	c := counting{Revision: tokenize.Revision, Format: s.Format, Classes: s.Classes, Limits: s.Limits}
	c.Limits.Window = Window{}
	if s.Format == "mail" {
		c.Mail = MailRevision
	}
	if s.Text != nil {
		text := *s.Text
		if text.HTML {
			c.HTML = htmlRevision
		}
		c.Presence = text.Likelihood == Bernoulli
		text.Likelihood = ""
		text.Alpha = 0
		text.Norm = false
		text.Sublinear = false
		text.Shape = false
		text.Edges = false
		text.Weight = 0
		text.Temper = nil
		c.Text = &text
	}
	for i := range s.Numbers {
		n := &s.Numbers[i]
		c.Numbers = append(c.Numbers, countedNumbers{Fields: n.Fields, Full: n.Full(), Digits: n.digits()})
	}
	for _, f := range s.Categories {
		c.Categories = append(c.Categories, countedField{f.Field})
	}
	for _, h := range s.Histograms {
		h.Alpha = 0
		c.Histograms = append(c.Histograms, h)
	}
	return c
}

// Counting identifies how documents become counts: tokenizer and its revision, blocks, fields,
// scale and limits. Counts made under different fingerprints cannot be added.
func (s *Spec) Counting() Fingerprint { return digest(s.counting()) }

// Scoring identifies how counts become decisions: likelihoods of the same counts, smoothing,
// priors, losses. It may change without training again.
func (s *Spec) Scoring() Fingerprint {
	c := *s
	c.Name = ""
	c.Format = ""
	c.Classes = nil
	c.Limits = Limits{}
	c.Records = nil
	c.Labels = nil
	c.Teachers = nil
	return digest(c)
}

// Changes reports whether the spec says anything else than one that counts alike.
func (s *Spec) Changes(before *Spec) bool {
	return s.Name != before.Name || s.Limits.Window != before.Limits.Window || s.Scoring() != before.Scoring() ||
		s.Reading() != before.Reading()
}

// digest hashes the JSON of v, which leaves out zero values: a field that a later version adds must
// not change the fingerprint of a spec that does not use it, or an upgrade would reject every
// existing model.
func digest(v any) Fingerprint {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return sha256.Sum256(b)
}
