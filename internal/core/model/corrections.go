package model

import (
	"bayestream/internal/core/digest"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/multinomial"
)

const (
	// thin is the margin below which a document corrects, in nats behind the temper of few documents.
	thin = 1
	// judged is how many documents of a large model there are for one that is judged: to judge takes
	// longer than to learn.
	judged = 6
)

// Corrects reports whether documents may correct.
func (b *Builder) Corrects() bool { return b.pending != nil }

// Correct adds what a document of a class corrects against the class that was ahead of it, weight
// times: each of its terms once. A negative weight takes it out.
func (b *Builder) Correct(label, ahead string, weight int64, f *Features) {
	if !b.Corrects() {
		return
	}
	right := b.class(label)
	wrong := b.class(ahead)
	b.corrected[right] += weight
	b.corrected[wrong] += weight
	of := b.corrects(f)
	for i := range of.Len() {
		must(b.pending.Add(of.Hash(i), of.Term(i), right, weight))
		must(b.pending.Add(of.Hash(i), of.Term(i), wrong, -weight))
	}
}

// CorrectionCost bounds by how much Correct makes the delta larger.
func (b *Builder) CorrectionCost(f *Features) Size {
	size := b.classSize
	size.Bytes += counts.MaxClassBytes
	n := b.corrects(f).Len()
	size.Corrections += 2 * n
	if b.spec.Text.Characters { // else they are of words, which are counted
		size.Terms += n
		size.Bytes += n * spec.MaxRunBytes
	}
	return size
}

// AddCorrected counts n documents that correct for class label or against it, without their terms.
func (b *Builder) AddCorrected(label string, n int64) { b.corrected[b.class(label)] += n }

// A Judge finds the documents that correct. It is scratch of one goroutine and may serve one
// model after another.
type Judge struct {
	Margin  float64 // below which a document corrects that is decided right, in nats
	scorer  *Scorer
	classes []int // scratch
}

// NewJudge returns a judge.
func NewJudge() *Judge { return &Judge{Margin: thin, scorer: NewScorer()} }

// Ahead returns the class against which a document of a class corrects: the best of the others, if
// the model decides for it, or not for it by a thin margin. It is "" where the document corrects
// nothing. The model is as it was before the builder's documents, but their corrections are in
// force: many documents that correct the same would go far beyond it. In a large model the key of a
// document draws whether it is judged at all; the key 0 is.
func (j *Judge) Ahead(m *Model, b *Builder, f *Features, label string, key digest.Sum) string {
	truth, isKnown := m.classes.ID(label)
	switch {
	case m.corrections == nil:
		return ""
	case m.spec.Text.Characters:
		return j.aheadByRuns(m, b, f, label)
	case !isKnown || len(m.classes.Live()) < 2:
		return ""
	case !race.Draws(m.classes.Total(), key, judged):
		return ""
	}
	joint := j.scorer.score(m, m.judge, f, Options{})
	if j.scorer.known == 0 {
		return ""
	}
	j.addPending(joint, b, f)
	ahead := bestBut(truth, m.classes.Live(), joint)
	if m.judge.tau(j.scorer.known)*(joint[truth]-joint[ahead]) >= j.Margin {
		return ""
	}
	return m.classes.Name(ahead)
}

// Correct has a document of a class correct as Ahead says, weight times, and returns what that says.
func (j *Judge) Correct(m *Model, b *Builder, label string, weight int64, f *Features, key digest.Sum) (ahead string) {
	if ahead = j.Ahead(m, b, f, label, key); ahead != "" {
		b.Correct(label, ahead, weight, f)
	}
	return ahead
}

// bestBut returns the class with the highest score but one, -1 if there is no other.
func bestBut(truth int, classes []int, scores []float64) int {
	best := -1
	for _, class := range classes {
		if class != truth && (best < 0 || scores[class] > scores[best]) {
			best = class
		}
	}
	return best
}

// addPending adds what the corrections of the builder say.
func (j *Judge) addPending(joint []float64, b *Builder, f *Features) {
	if b.pending.Vocabulary() == 0 {
		return
	}
	m := j.scorer.m
	more := j.classesOf(b)
	j.scorer.words.(*multinomial.Scorer).AddMore(joint, &f.Bag, b.pending, more, m.weight(&m.judge.joined))
}

// classesOf returns, by class of the builder, that of the model; -1: it has no documents.
func (j *Judge) classesOf(b *Builder) []int {
	j.classes = counts.AppendNumbers(j.classes[:0], b.names, j.scorer.m.classes.Choice)
	return j.classes
}

// setJudge sets what finds the documents that correct: the leader with corrections. Those of
// characters need none.
func (m *Model) setJudge() {
	if m.corrections == nil || m.spec.Text.Characters {
		return
	}
	by := m.leader.any.Candidate
	by.Corrections = spec.CorrectionWeight
	m.judge = m.raced(race.StartOf(by))
}

// DropCorrections takes all corrections out, of a model that no file keeps.
func (m *Model) DropCorrections() {
	if m.corrections != nil {
		*m.corrections = *counts.NewCorrections(m.spec.Limits.Terms)
	}
}
