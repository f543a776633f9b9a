package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/counts"
	"bayestream/internal/tokenize"
)

const defaultMinDocuments = 20

// complete fills in defaults and checks the values.
func (s *Spec) complete() error {
	if s.Text == nil && !s.HasFields() {
		t := defaultText()
		s.Text = &t
	}
	s.Name = cmp.Or(s.Name, "bayestream")
	s.Format = cmp.Or(s.Format, "json")
	err := cmp.Or(oneOf("format", s.Format, "json", "text", "mail"),
		refuse(s.Format != "json" && s.Text == nil, "format is %s, whose records have a text and no numbers, categories or "+
			"histograms: say text in their place, or use format json", s.Format))
	if err != nil {
		return err
	}
	for _, check := range []func() error{s.Limits.check, s.checkWindow, s.Prior.check, s.completeRace, s.checkText,
		s.checkNumbers, s.checkCategories, s.checkHistograms, s.checkFrom, s.checkRecords, s.checkClasses, s.checkLabels,
		s.checkTeachers, s.Decision.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) checkText() error {
	t := s.Text
	if t == nil {
		return nil
	}
	if err := cmp.Or(s.checkLikelihood(), s.checkFields(), t.checkTerms()); err != nil {
		return err
	}
	if err := positive("text.alpha", t.Alpha); err != nil {
		if t.Alpha == 0 {
			return fmt.Errorf("%w: with 0 any word that a class never had would rule it out; categories and histograms take 0",
				err)
		}
		return err
	}
	if t.Cap == 0 && s.Format == "mail" {
		t.Cap = 1
	}
	err := cmp.Or(t.Temper.check(),
		refuse(t.Cap < 0 || int64(t.Cap) > math.MaxUint32,
			"text.cap is %d: want how often a term may count in one document, or 0 for as often as it occurs", t.Cap),
		t.expandStop())
	if err != nil {
		return err
	}
	t.unify()
	_, err = s.Tokenizer()
	return err
}

// expandStop puts the list of the language in the place of the stop word "default".
func (t *Text) expandStop() error {
	given := len(t.Stop)
	t.Stop = slices.DeleteFunc(t.Stop, func(word string) bool { return word == "default" })
	if len(t.Stop) == given {
		return nil
	}
	words, err := tokenize.StopWords(t.Language)
	if err != nil {
		return fmt.Errorf("text.stop: %w", err)
	}
	t.Stop = append(t.Stop, words...)
	return nil
}

// unify writes what makes the same terms in one way, so that its fingerprints are equal.
func (t *Text) unify() {
	slices.Sort(t.Stop)
	t.Stop = slices.Compact(t.Stop)
	if t.Shortest == 1 {
		t.Shortest = 0
	}
	if slices.Equal(t.Chars, []int{0, 0}) {
		t.Chars = nil
	}
	if len(t.Chars) > 0 || t.Language == "none" {
		t.Stem = false // neither of them has stems
	}
}

func (s *Spec) checkFields() error {
	t := s.Text
	switch {
	case len(t.Fields) == 0 && t.Apart:
		return errors.New("text.apart is for the words of several fields: name them in text.fields")
	case len(t.Fields) == 0:
		return nil
	case t.Field != "":
		return errors.New("text.field and text.fields are both set: want one of them")
	case s.Format != "json":
		return fmt.Errorf("text.fields is for format json: a record of format %s has one text", s.Format)
	case slices.Contains(t.Fields, ""):
		return errors.New("text.fields has an empty name")
	}
	for _, mark := range s.TextMarks() {
		if len(mark) > s.Limits.TermBytes/2 {
			return fmt.Errorf("text.apart: terms begin with %q, which leaves too little of limits.term_bytes (%d) to tell "+
				"words apart: want at most half of it",
				mark, s.Limits.TermBytes)
		}
		if err := counts.CheckTerm([]byte(mark)); err != nil && mark != "" {
			return fmt.Errorf("text.apart: terms would begin with %q, and a term %w", mark, err)
		}
	}
	return distinct("text.fields", t.Fields)
}

// checkLikelihood checks the likelihood of the text and the keys that only some have.
func (s *Spec) checkLikelihood() error {
	t := s.Text
	if s.Race != nil && slices.ContainsFunc(s.Race.Scored(),
		func(c Candidate) bool { return !IsLikelihood(c.Likelihood) }) {
		return fromZero("text.weight", t.Weight)
	}
	switch {
	case t.Norm && t.Likelihood != Complement:
		return fmt.Errorf("text.norm is for %s, not for %s", Complement, t.Likelihood)
	case t.Norm && t.Shape:
		return errors.New("text.norm and text.shape are both set: the normalised score has no unit, so that the likelihood " +
			"of a shape cannot be added to it")
	case t.Norm && t.Edges:
		return errors.New("text.norm and text.edges are both set: the normalised score has no unit, so that the likelihood " +
			"of a word cannot be added to it")
	case t.Sublinear && t.Likelihood == Bernoulli:
		return fmt.Errorf("text.sublinear is for likelihoods that count how often a term occurs, not for %s", Bernoulli)
	}
	switch t.Likelihood {
	case Multinomial, Bernoulli:
		if t.Weight != 0 {
			return fmt.Errorf("text.weight is for %s and %s, not for %s", Complement, OneVsAll, t.Likelihood)
		}
	case Complement, OneVsAll:
		if s.HasFields() && t.Weight == 0 {
			return fmt.Errorf("text.likelihood is %s, whose score is no likelihood: beside other "+
				"blocks it needs text.weight, say 1", t.Likelihood)
		}
		if t.Weight != 0 {
			return positive("text.weight", t.Weight)
		}
	default:
		return oneOf("text.likelihood", t.Likelihood, Multinomial, Bernoulli, Complement, OneVsAll)
	}
	return nil
}

// IsLikelihood reports whether the score of a document under a likelihood of text is the logarithm
// of a probability, to which a prior and the likelihoods of other blocks can be added. That of
// Complement and OneVsAll is not.
func IsLikelihood(name string) bool { return name == Multinomial || name == Bernoulli }

// Tokenizer returns the tokenizer; the spec must have a text block.
func (s *Spec) Tokenizer() (*tokenize.Tokenizer, error) {
	o, err := s.TokenizerOptions()
	if err != nil {
		return nil, err
	}
	t, err := tokenize.New(o)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	return t, nil
}

// TokenizerOptions returns the options of the tokenizer.
func (s *Spec) TokenizerOptions() (tokenize.Options, error) {
	t := s.Text
	o := tokenize.Options{
		Language: t.Language, Stem: t.Stem, NGrams: t.NGrams, Stop: t.Stop, Shortest: t.Shortest, Punctuation: t.Punctuation,
		HTML: t.HTML,
		Keep: t.Keep, TermBytes: s.Limits.TermBytes,
	}
	switch len(t.Chars) {
	case 0:
	case 2:
		o.CharMin, o.CharMax = t.Chars[0], t.Chars[1]
	default:
		return o, fmt.Errorf("text.chars is %v: want [shortest, longest], like [3, 5]", t.Chars)
	}
	return o, nil
}

func (s *Spec) checkNumbers() error {
	for i := range s.Numbers {
		n := &s.Numbers[i]
		at := fmt.Sprintf("numbers[%d]", i)
		n.Likelihood = cmp.Or(n.Likelihood, Gaussian)
		n.Denominator = cmp.Or(n.Denominator, "mle")
		if n.Likelihood == Gaussian {
			n.Variance = cmp.Or(n.Variance, "own")
		}
		if n.Scale == 0 {
			n.Scale = 1e-9
		}
		if err := n.check(at); err != nil {
			return err
		}
		if n.digits() != s.Numbers[0].digits() {
			return fmt.Errorf("%s.scale is %v, numbers[0].scale %v: all numbers have one scale", at, n.Scale, s.Numbers[0].Scale)
		}
	}
	return nil
}

func (n *Numbers) check(at string) error {
	return cmp.Or(
		refuse(len(n.Fields) == 0, "%s has no fields", at),
		refuse(slices.Contains(n.Fields, ""), "%s.fields has an empty name", at),
		distinct(at+".fields", n.Fields),
		oneOf(at+".likelihood", n.Likelihood, Gaussian, LDA, QDA),
		refuse(n.Likelihood != Gaussian && n.Variance != "", "%s.variance is for %s, not for %s", at, Gaussian, n.Likelihood),
		oneOf(at+".variance", cmp.Or(n.Variance, "own"), "own", "shared", "isotropic"),
		oneOf(at+".denominator", n.Denominator, "mle", "unbiased"),
		refuse(n.digits() < 0, "%s.scale is %v: want a power of ten from 1 to 1e-15", at, n.Scale),
		n.checkRegularisation(at),
	)
}

func (n *Numbers) checkRegularisation(at string) error {
	const want = "%s.%s is %v: want a number from 0 to 1"
	return cmp.Or(
		refuse(!n.Shrinkage.IsZero() && n.Likelihood != LDA, "%s.shrinkage is for %s, not for %s", at, LDA, n.Likelihood),
		refuse(n.RegParam != 0 && n.Likelihood != QDA, "%s.reg_param is for %s, not for %s", at, QDA, n.Likelihood),
		refuse(!(n.Shrinkage.Value >= 0 && n.Shrinkage.Value <= 1), want, at, "shrinkage", n.Shrinkage.Value),
		refuse(!(n.RegParam >= 0 && n.RegParam <= 1), want, at, "reg_param", n.RegParam),
		refuse(!(n.VarSmoothing >= 0) || math.IsInf(n.VarSmoothing, 0), "%s.var_smoothing is %v: want 0 or more", at,
			n.VarSmoothing),
	)
}

func (s *Spec) checkCategories() error {
	for i := range s.Categories {
		f := &s.Categories[i]
		at := fmt.Sprintf("categories[%d]", i)
		if err := cmp.Or(refuse(f.Field == "", "%s has no field", at), fromZero(at+".alpha", f.Alpha)); err != nil {
			return err
		}
		for j, value := range f.Values {
			if err := counts.CheckTerm([]byte(value)); err != nil {
				return fmt.Errorf("%s.values[%d] %w", at, j, err)
			}
		}
		if err := distinct(at+".values", f.Values); err != nil {
			return err
		}
	}
	return distinct("categories", s.CategoryFields())
}

func (s *Spec) checkHistograms() error {
	var fields []string
	for i := range s.Histograms {
		h := &s.Histograms[i]
		at := fmt.Sprintf("histograms[%d]", i)
		err := cmp.Or(
			refuse(h.Field == "", "%s has no field", at),
			refuse(h.Bins < 1 || h.Bins > 1000, "%s.bins is %d: want 1 to 1000", at, h.Bins),
			fromZero(at+".alpha", h.Alpha))
		if err != nil {
			return err
		}
		fields = append(fields, h.Field)
		bins, err := h.FixedBins(s.Digits())
		if err != nil {
			return fmt.Errorf("%s: from %v or to %v does not fit the scale of numbers: %w", at, h.From, h.To, err)
		}
		if bins.From >= bins.To {
			return fmt.Errorf("%s goes from %v to %v: want a range", at, h.From, h.To)
		}
	}
	return distinct("histograms", fields)
}

// checkClass checks a name that records may have as their label; the key of the spec names it.
func checkClass(key, name string) error {
	if err := counts.CheckClass(name); err != nil {
		return fmt.Errorf("%s %w", key, err)
	}
	return refuse(strings.TrimSpace(name) != name,
		"%s is %q: want it without the space around it, which is cut off labels", key, name)
}

func (s *Spec) checkClasses() error {
	for i, name := range s.Classes {
		if err := checkClass(fmt.Sprintf("classes[%d]", i), name); err != nil {
			return err
		}
	}
	for _, name := range s.Weighed() {
		if err := counts.CheckClass(name); err != nil {
			return fmt.Errorf("a class of prior or decision.loss %w", err)
		}
		if len(s.Classes) > 0 && !slices.Contains(s.Classes, name) {
			return fmt.Errorf("prior or decision.loss names the class %q, which is not among classes: %q", name, s.Classes)
		}
	}
	return distinct("classes", s.Classes)
}

// mostLoss bounds a loss: the race counts losses as parts of the largest one, in 2^-20 of it, and
// an error that costs 1 must be some of these.
const mostLoss = 100_000

func (d *Decision) check() error {
	d.Ties = cmp.Or(d.Ties, "first")
	err := cmp.Or(oneOf("decision.ties", d.Ties, "first", "random"),
		refuse(d.MinDocuments < 0, "decision.min_documents is %d: want 0 or more", d.MinDocuments))
	if err != nil {
		return err
	}
	if d.Reject != nil && (!(*d.Reject >= 0) || math.IsInf(*d.Reject, 0)) {
		return fmt.Errorf("decision.reject is %v: want the cost of no decision, 0 or more", *d.Reject)
	}
	for c, row := range d.Loss {
		for k, v := range row {
			const loss = "decision.loss of deciding %q when it is %q is %v: "
			err := cmp.Or(refuse(!(v >= 0) || math.IsInf(v, 0), loss+"want 0 or more", k, c, v),
				refuse(v > mostLoss, loss+"want at most %v, so that an error of cost 1 still counts where candidates race", k, c, v,
					mostLoss))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func defaultLimits() Limits {
	return Limits{Terms: 2_000_000, TermsPerDocument: 5000, TermBytes: 64, RecordBytes: 1 << 20, Classes: 1000,
		Ledger: 1_000_000}
}

func (l *Limits) check() error {
	for _, v := range []struct {
		name               string
		value, least, most int
	}{
		{"terms", l.Terms, 1, 1 << 30},
		{"terms_per_document", l.TermsPerDocument, 1, 200_000},
		{"term_bytes", l.TermBytes, 16, 64},
		{"record_bytes", l.RecordBytes, 1, 1 << 27},
		{"classes", l.Classes, 1, counts.MaxClasses - 1},
		{"ledger", l.Ledger, 1, 1 << 30},
	} {
		if v.value < v.least || v.value > v.most {
			return fmt.Errorf("limits.%s is %d: want %d to %d", v.name, v.value, v.least, v.most)
		}
	}
	return nil
}

func (s *Spec) checkWindow() error {
	if s.emptyWindow {
		return fmt.Errorf("limits.window.records is 0: want 1 to %d, or leave it out", mostRecords)
	}
	return s.Limits.Window.check()
}

// refuse returns an error by a format if something is wrong.
func refuse(isWrong bool, format string, args ...any) error {
	if isWrong {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// oneOf refuses a value that is none of those allowed.
func oneOf(key, value string, allowed ...string) error {
	last := len(allowed) - 1
	return refuse(!slices.Contains(allowed, value), "%s is %q: want %s or %s", key, value,
		strings.Join(allowed[:last], ", "), allowed[last])
}

// most bounds smoothing constants and weights: their product with any count is finite.
const most = 1e100

func positive(name string, v float64) error {
	return cmp.Or(refuse(!(v > 0) || math.IsInf(v, 0), "%s is %v: want a number above 0", name, v),
		refuse(v > most, "%s is %v: want at most %v", name, v, most))
}

// fromZero is positive for what may also be 0.
func fromZero(name string, v float64) error {
	if v == 0 {
		return nil
	}
	return cmp.Or(refuse(v < 0, "%s is %v: want 0 or a number above 0", name, v), positive(name, v))
}

func distinct(name string, list []string) error {
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s] {
			return fmt.Errorf("%s has %q twice", name, s)
		}
		seen[s] = true
	}
	return nil
}
