// Package race finds out which of several ways to score the same counts decides best on a stream,
// while the counts are made (prequential, Dawid 1984). Multinomial, complement and one-against-all
// naive Bayes and every alpha read one table, so that all of them can score a record before it is
// learned.
//
// What a record adds, Sums, is data: whoever scored it fixed it, in integers. What the sums of a
// log come to, a State, is a function of it alone: every replica has the same leader at the same
// offset, on every architecture.
package race

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
)

// List is what races under a spec, and so what sums are of. The list of a spec without a race has
// no candidates.
type List struct {
	scored  []spec.Candidate // the candidates, and after them the shadow
	racing  int              // how many of scored may lead
	costs   *spec.Decision   // its losses
	scores  bool             // what leads may be no likelihood
	by      string           // what chooses the leader
	largest float64          // of the losses
	mails   bool             // documents are mails
	of      Fingerprint
}

// Fingerprint identifies what sums are of: candidates, tempers and losses.
type Fingerprint [sha256.Size]byte

// Of returns the list of a spec.
func Of(s *spec.Spec) *List {
	l := &List{costs: &s.Decision, scores: s.RacesScores(), by: s.RacedBy(), largest: 1,
		mails: s.Format == "mail"}
	if s.Race != nil {
		l.scored = s.Race.Scored()
		l.racing = len(s.Race.Candidates)
	}
	for _, row := range l.costs.Loss {
		for _, loss := range row {
			l.largest = max(l.largest, loss)
		}
	}
	l.of = l.fingerprint(s)
	return l
}

// fingerprint hashes all that gives sums another meaning: the candidates and their tempers, the
// losses, and what is scored beside the words.
func (l *List) fingerprint(s *spec.Spec) Fingerprint {
	var lines []string
	for i, c := range l.scored {
		lines = append(lines, fmt.Sprintf("%v %v", c, i < l.racing))
	}
	lines = append(lines, gridText, l.by)
	for _, truth := range slices.Sorted(maps.Keys(l.costs.Loss)) {
		row := l.costs.Loss[truth]
		for _, decided := range slices.Sorted(maps.Keys(row)) {
			lines = append(lines, fmt.Sprintf("%q %q %v", truth, decided, row[decided]))
		}
	}
	if s.Text != nil {
		lines = append(lines, fmt.Sprintf("weight %v", s.Text.Weight))
	}
	beside, err := json.Marshal([]any{s.Prior, s.Numbers, s.Categories, s.Histograms})
	if err != nil {
		panic(err) // plain data
	}
	lines = append(lines, string(beside))
	return sha256.Sum256([]byte(strings.Join(lines, "\n")))
}

// Fingerprint returns that of the list.
func (l *List) Fingerprint() Fingerprint { return l.of }

// Scored returns the candidates in the order of their sums, and after them the shadow. It must not
// be changed.
func (l *List) Scored() []spec.Candidate { return l.scored }

// Racing returns the candidates that may lead. It must not be changed.
func (l *List) Racing() []spec.Candidate { return l.scored[:l.racing] }

// startTempers are the tempers of the likelihoods on few documents: those with the least mean loss
// on the first 200 of six sets (docs/quality.md).
var startTempers = map[string]spec.Temper{
	spec.Multinomial: {T: 0.707125, Gamma: 0.5},
	spec.Complement:  {T: 1.41425, Gamma: 0.5},
	spec.OneVsAll:    {T: 0.5, Gamma: 0.5},
}

// mailTempers are those for mails: of their many words each says less.
var mailTempers = map[string]spec.Temper{
	spec.Multinomial: {T: 1.6818125, Gamma: 0.75},
	spec.Complement:  {T: 3.363625, Gamma: 0.75},
	spec.OneVsAll:    {T: 1.18921875, Gamma: 0.75},
}

// start returns what decides until enough is known: the first candidate.
func (l *List) start() Leader {
	if l.racing == 0 {
		return l.startMultinomial()
	}
	return l.startOf(l.scored[0])
}

// startMultinomial returns the multinomial that decides until enough is known: the first one.
func (l *List) startMultinomial() Leader {
	for _, c := range l.Racing() {
		if c.Likelihood == spec.Multinomial {
			return l.startOf(c)
		}
	}
	return l.startOf(spec.Textbook)
}

func (l *List) startOf(c spec.Candidate) Leader {
	if l.mails {
		return Leader{c, mailTempers[c.Likelihood]}
	}
	return StartOf(c)
}

// StartOf returns a candidate with the temper that it has on few documents.
func StartOf(c spec.Candidate) Leader { return Leader{c, startTempers[c.Likelihood]} }

// By returns what chooses the leader, as spec.Race.By names it.
func (l *List) By() string { return l.by }

// Cost returns what a decision costs by the losses of the spec, as a part of the largest loss, in
// Unit.
func (l *List) Cost(truth, decided string) int64 {
	return int64(math.Round(l.costs.LossOf(truth, decided) / l.largest * Unit))
}

// BalancedCost returns what an error on a document costs where all classes weigh alike, in Unit: the
// documents of a class of the mean size over those of its class, in a model that has so many. A class
// that is new, or has few, weighs mostWeight.
func BalancedCost(documents, all int64, classes int) int64 {
	if all >= mostWeight*int64(classes)*documents {
		return mostWeight * Unit
	}
	return int64(math.Round(float64(all) / float64(int64(classes)*documents) * Unit))
}

// grid is the tempers that race for each candidate. The first is none. With each T its half is
// there, so that the odds under most of them are squares of others. More of them lower the loss by
// .2 % (docs/quality.md).
var grid = func() []spec.Temper {
	const typicalLength = 128 // tokens: at it, each gamma has the same taus
	tempers := []spec.Temper{{T: 1}}
	for _, gamma := range []float64{0.5, 0.75} {
		for i := 2; i <= 12; i++ {
			t := math.Pow(typicalLength, gamma) * math.Exp2(-float64(i%2)/2)
			tempers = append(tempers, spec.Temper{T: math.Ldexp(math.Round(t*1e3)/1e3, -i/2), Gamma: gamma})
		}
	}
	return tempers
}()

// gridText is the grid in a fingerprint: a state has a list of its own, and most of the time that
// it takes is this text.
var gridText = func() string {
	lines := make([]string, len(grid))
	for i, t := range grid {
		lines[i] = t.String()
	}
	return strings.Join(lines, "\n")
}()

// Tempers returns the tempers that race for each candidate, the first of which is none. It must not
// be changed.
func Tempers() []spec.Temper { return grid }
