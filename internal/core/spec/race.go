package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Race says that several candidates score the words, and that the stream finds out which of them
// decides: the first of them until one leads. It is the key scoring. A spec has either a race, or one
// likelihood and alpha in its block of text.
type Race struct {
	Candidates []Candidate `yaml:"candidates" json:",omitempty,omitzero"`
	// what chooses the leader: ByAccuracy, ByBalanced or ByLoss; "": ByLoss with losses, else ByAccuracy
	By string `yaml:"by,omitempty" json:",omitempty,omitzero"`
	// one in so many records is scored in a large model
	Share int `yaml:"share" json:",omitempty,omitzero"`
	// scored like the candidates; it never decides
	Shadow *Candidate `yaml:"shadow,omitempty" json:",omitempty,omitzero"`
}

// Candidate is a way to score the counts of words.
type Candidate struct {
	Likelihood string  `yaml:"likelihood" json:",omitempty,omitzero"` // Multinomial, Complement or OneVsAll
	Alpha      float64 `yaml:"alpha" json:",omitempty,omitzero"`
	Sublinear  bool    `yaml:"sublinear,omitempty" json:",omitempty,omitzero"` // see Text
	Shape      bool    `yaml:"shape,omitempty" json:",omitempty,omitzero"`     // see Text
	Edges      bool    `yaml:"edges,omitempty" json:",omitempty,omitzero"`     // see Text
	// what the corrections of Text weigh; 0: they are not read
	Corrections float64 `yaml:"corrections,omitempty" json:",omitempty,omitzero"`
}

// CorrectionWeight is the weight under which documents are found that correct, and that the default
// candidates have; RunWeight is that of corrections of characters (docs/quality.md).
const (
	CorrectionWeight = 0.25
	RunWeight        = 0.8
)

// MaxRunBytes bounds a run of characters: five of UTF-8, or a keyed hash.
const MaxRunBytes = 22

// Textbook is the candidate of a block of text that names none.
var Textbook = Candidate{Likelihood: Multinomial, Alpha: 1}

// What chooses the leader of a race.
const (
	ByAccuracy = "accuracy" // the fewest errors, and the least log loss
	ByBalanced = "balanced" // the fewest errors, counted once plainly and once so that all classes weigh alike
	ByLoss     = "loss"     // the least losses of decision.loss
)

// RacedBy returns what chooses the leader of the race.
func (s *Spec) RacedBy() string {
	switch {
	case s.Race != nil && s.Race.By != "":
		return s.Race.By
	case len(s.Decision.Loss) > 0:
		return ByLoss
	}
	return ByAccuracy
}

const (
	defaultShare = 32
	// MaxCandidates bounds those of a race, and so the sums of a delta.
	MaxCandidates = 16
)

// Races reports whether the likelihood is one of those that share their counts.
func (c Candidate) Races() bool {
	return c.Likelihood == Multinomial || c.Likelihood == Complement || c.Likelihood == OneVsAll
}

// String names the candidate as decisions do: complement/0.1 is complement with alpha 0.1,
// complement/0.1/shape/edges the same with the shapes of texts, and their first and last words.
func (c Candidate) String() string {
	name := fmt.Sprintf("%s/%v", c.Likelihood, c.Alpha)
	if c.Sublinear {
		name += "/sublinear"
	}
	if c.Shape {
		name += "/shape"
	}
	if c.Edges {
		name += "/edges"
	}
	if c.Corrections > 0 {
		name += fmt.Sprintf("/corrections/%v", c.Corrections)
	}
	return name
}

// Candidate returns how the block of text scores.
func (t *Text) Candidate() Candidate {
	return Candidate{Likelihood: t.Likelihood, Alpha: t.Alpha, Sublinear: t.Sublinear, Shape: t.Shape, Edges: t.Edges,
		Corrections: t.corrected}
}

// ScoredBy returns a copy of the block that scores as a candidate does.
func (t Text) ScoredBy(c Candidate) *Text {
	t.Likelihood = c.Likelihood
	t.Alpha = c.Alpha
	t.Sublinear = c.Sublinear
	t.Shape = c.Shape
	t.Edges = c.Edges
	t.corrected = c.Corrections
	return &t
}

// MarshalYAML writes the candidate on one line.
func (c Candidate) MarshalYAML() (any, error) {
	type plain Candidate
	var n yaml.Node
	err := n.Encode(plain(c))
	n.Style |= yaml.FlowStyle
	return &n, err
}

// unnamedRace returns the race of a spec that says nothing about how its words are scored: that of
// the default candidates.
func unnamedRace() *Race { return &Race{Share: defaultShare} }

func (s *Spec) completeRace() error {
	if s.Race == nil && s.Text != nil && len(s.scored) == 0 {
		s.Race = unnamedRace()
	}
	r := s.Race
	switch {
	case s.Text != nil && s.Text.Characters && !s.Text.Corrections:
		return errors.New("text.characters says of what corrections are, and text.corrections is not set: want both")
	case r == nil && s.Text != nil && s.Text.Corrections:
		return fmt.Errorf("text.corrections is for candidates that race, and text.%s names one way to score the words: "+
			"want scoring instead", strings.Join(s.scored, ", text."))
	case r == nil:
		return nil
	case s.Text == nil:
		return errors.New("scoring is for words, and the spec has no text block: add one, or leave scoring away")
	case len(s.scored) > 0:
		return fmt.Errorf("scoring and text.%s are both set: want scoring, whose candidates race, or one way to score the "+
			"words", strings.Join(s.scored, ", text."))
	}
	if err := s.checkBy(); err != nil {
		return err
	}
	if len(r.Candidates) == 0 {
		r.Candidates = s.defaultCandidates()
	}
	return cmp.Or(refuse(r.Share < 1 || r.Share > 1<<20,
		"scoring.share is %d: want 1 to %d, so that one in so many records is scored", r.Share, 1<<20), s.checkCandidates())
}

func (s *Spec) checkBy() error {
	by := cmp.Or(s.Race.By, ByAccuracy)
	return cmp.Or(oneOf("scoring.by", by, ByAccuracy, ByBalanced, ByLoss),
		refuse(by == ByLoss && len(s.Decision.Loss) == 0, "scoring.by is %s, and decision.loss says of no error what it "+
			"costs: say it there, or want %s or %s", by, ByAccuracy, ByBalanced))
}

func (s *Spec) checkCandidates() error {
	if n := len(s.Race.Candidates); n > MaxCandidates {
		return fmt.Errorf("scoring.candidates has %d: want at most %d", n, MaxCandidates)
	}
	at := make([]string, 0, len(s.Race.Candidates)+1)
	for i := range s.Race.Candidates {
		at = append(at, fmt.Sprintf("scoring.candidates[%d]", i))
	}
	if s.Race.Shadow != nil {
		at = append(at, "scoring.shadow")
	}
	var seen []Candidate
	for i, c := range s.Race.Scored() {
		if err := s.checkCandidate(at[i], c); err != nil {
			return err
		}
		if first := slices.Index(seen, c); first >= 0 {
			return fmt.Errorf("%s is %v, as is %s: want different ones", at[i], c, at[first])
		}
		seen = append(seen, c)
	}
	isRead := slices.ContainsFunc(seen, func(c Candidate) bool { return c.Corrections > 0 })
	return refuse(s.Text.Corrections && !isRead, "text.corrections is set, and none of scoring.candidates reads them: "+
		"give one corrections, say 0.25")
}

func (s *Spec) checkCandidate(at string, c Candidate) error {
	switch {
	case c.Likelihood == "":
		return fmt.Errorf("%s.likelihood is missing: want %s, %s or %s", at, Multinomial, Complement, OneVsAll)
	case !c.Races():
		return fmt.Errorf("%s.likelihood is %q: want %s, %s or %s, which share their counts", at, c.Likelihood, Multinomial,
			Complement, OneVsAll)
	case !IsLikelihood(c.Likelihood) && !s.RacesScores():
		return fmt.Errorf("%s is %v, which can race only with the prior empirical, or one that is the same for all "+
			"classes, and beside other blocks with text.weight, say 1", at, c)
	}
	return cmp.Or(
		refuse(c.Corrections != 0 && !s.Text.Corrections, "%s.corrections is for a spec with text.corrections: say it there",
			at),
		fromZero(at+".corrections", c.Corrections),
		refuse(c.Alpha == 0, "%s.alpha is missing or 0: want a number above 0", at),
		positive(at+".alpha", c.Alpha),
	)
}

// RacesScores reports whether candidates can race whose score is no likelihood: a prior of its own,
// or other blocks without a weight between, cannot be added to it.
func (s *Spec) RacesScores() bool {
	return s.Text != nil && (!s.HasFields() || s.Text.Weight != 0) && !s.Prior.enters()
}

// defaultCandidates returns a list that was the best on sets which do not judge it
// (docs/quality.md). Its first one is the best on few documents. With corrections those that win
// most read them.
func (s *Spec) defaultCandidates() []Candidate {
	list := s.plainCandidates()
	if !s.Text.Corrections {
		return list
	}
	corrected := func(c Candidate) Candidate {
		c.Corrections = CorrectionWeight
		if s.Text.Characters {
			c.Corrections = RunWeight
		}
		return c
	}
	if !s.RacesScores() {
		return []Candidate{corrected(list[0]), list[0], corrected(list[1]), list[1], corrected(list[2])}
	}
	return []Candidate{corrected(list[0]), list[0], corrected(list[1]), corrected(list[2]), list[3], corrected(list[4]),
		corrected(list[5]), list[5]}
}

// WithCorrections returns the spec with corrections, of words or of characters, and the candidates
// that read them; false where it has them, or names candidates.
func (s *Spec) WithCorrections(characters bool) (*Spec, bool) {
	if s.Race == nil || s.Corrects() || !slices.Equal(s.Race.Candidates, s.plainCandidates()) {
		return nil, false
	}
	c := s.withText(func(t *Text) { t.Corrections, t.Characters = true, characters })
	race := *s.Race
	race.Candidates = nil
	c.Race = &race
	parsed, err := Parse(c.YAML())
	return parsed, err == nil
}

// plainCandidates returns the candidates that read the counts alone.
func (s *Spec) plainCandidates() []Candidate {
	few := Candidate{Likelihood: Multinomial, Alpha: 0.1, Sublinear: true, Shape: true, Edges: true}
	if !s.RacesScores() {
		return []Candidate{few,
			{Likelihood: Multinomial, Alpha: 0.03, Shape: true},
			{Likelihood: Multinomial, Alpha: 0.3, Sublinear: true, Shape: true, Edges: true},
		}
	}
	return []Candidate{
		{Likelihood: OneVsAll, Alpha: 0.1, Sublinear: true, Shape: true, Edges: true},
		few,
		{Likelihood: OneVsAll, Alpha: 1, Sublinear: true, Shape: true, Edges: true},
		{Likelihood: Complement, Alpha: 1, Sublinear: true},
		{Likelihood: OneVsAll, Alpha: 0.1, Sublinear: true, Shape: true},
		{Likelihood: OneVsAll, Alpha: 0.03, Shape: true},
	}
}

// Scored returns the candidates, and behind them the shadow if there is one.
func (r *Race) Scored() []Candidate {
	if r.Shadow == nil {
		return r.Candidates
	}
	return append(slices.Clip(r.Candidates), *r.Shadow)
}

// UnmarshalYAML reads the spec, and notes which keys of the text it has that name one way to score
// the words.
func (s *Spec) UnmarshalYAML(n *yaml.Node) error {
	type plain Spec
	var named struct {
		Text   map[string]any
		Limits struct{ Window map[string]any }
	}
	if err := cmp.Or(n.Decode((*plain)(s)), n.Decode(&named)); err != nil {
		return err
	}
	s.emptyWindow = named.Limits.Window["records"] == 0
	for _, key := range []string{"likelihood", "alpha", "norm", "sublinear", "shape", "edges", "temper"} {
		if named.Text[key] != nil {
			s.scored = append(s.scored, key)
		}
	}
	return nil
}

// MarshalYAML leaves out likelihood and alpha of the text where candidates race.
func (s *Spec) MarshalYAML() (any, error) {
	type plain Spec
	p := plain(*s)
	if s.Race == nil || s.Text == nil || s.Text.Candidate() != Textbook {
		return p, nil
	}
	var n yaml.Node
	if err := n.Encode(p); err != nil {
		return nil, err
	}
	text := child(&n, "text")
	for _, key := range []string{"likelihood", "alpha"} {
		at := 2 * slices.Index(keys(text), key)
		text.Content = slices.Delete(text.Content, at, at+2)
	}
	return &n, nil
}
