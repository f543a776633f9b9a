package multinomial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// The rows that a scorer remembers give the scores and weights of the formula, for few classes and
// for many, however the counts and the lexicon change in between, and also when it has to forget.
func TestScorerEqualsFormula(t *testing.T) {
	for _, classes := range []int{4, maxPadded + 20} {
		for at, kind := range []Kind{Multinomial, Complement, Normalized, OneVsAll, Multinomial, OneVsAll} {
			t.Run(fmt.Sprintf("kind %d, sublinear %v, %d classes", kind, at > 3, classes), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				w := newWorld(classes)
				l := New(Form{Kind: kind, Alpha: 0.3, Sublinear: at > 3}, w.table, &w.classes, nil)
				l.Prepare()
				s := NewScorer(l)
				lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon()}
				for step := range 60 {
					var bag bow.Bag
					bag.Use(lexicons[step/7%2])
					for range rng.IntN(30) {
						bag.Add(fmt.Appendf(nil, "word%d", rng.IntN(100)))
					}
					switch rng.IntN(4) {
					case 0, 1:
						w.learn(rng.IntN(classes), &bag)
						l.Prepare()
					case 2:
						s.values = append(s.values, make([]float64, maxEntries)...)
						s.classes = append(s.classes, make([]uint16, maxEntries)...)
					}
					compareWithFormula(t, w, l, s, &bag)
				}
			})
		}
	}
}

// world is a table of counts and a plain copy of it.
type world struct {
	classes counts.Classes
	table   *counts.Table
	plain   map[string][]float64 // by term, then class
}

func newWorld(classes int) *world {
	w := &world{table: counts.NewTable(counts.Options{}), plain: map[string][]float64{}}
	for c := range classes {
		if err := w.classes.Add(w.classes.Intern(fmt.Sprint("class", c)), 1); err != nil {
			panic(err)
		}
	}
	return w
}

func (w *world) learn(class int, bag *bow.Bag) {
	for i := range bag.Len() {
		term := string(bag.Term(i))
		if w.plain[term] == nil {
			w.plain[term] = make([]float64, w.classes.Cap())
		}
		w.plain[term][class] += float64(bag.Count(i))
		if err := w.table.Add(bag.Hash(i), bag.Term(i), class, int64(bag.Count(i))); err != nil {
			panic(err)
		}
	}
}

// logTheta returns ln theta_tc, of a complement for Complement and Normalized.
func (w *world) logTheta(kind Kind, alpha float64, term string, class int) float64 {
	if kind == OneVsAll {
		return w.logTheta(Multinomial, alpha, term, class) - w.logTheta(Complement, alpha, term, class)
	}
	n, total := 0.0, 0.0
	for t, row := range w.plain {
		for c, x := range row {
			if (c == class) != (kind == Multinomial) {
				continue
			}
			total += x
			if t == term {
				n += x
			}
		}
	}
	return math.Log((n + alpha) / (total + alpha*float64(len(w.plain))))
}

// weightOf returns what x tokens of a term weigh.
func weightOf(l *Likelihood, x uint32) float64 {
	if l.Sublinear {
		return 1 + math.Log(float64(x))
	}
	return float64(x)
}

// compareWithFormula compares the first two classes, and the last, with the sum over the document.
func compareWithFormula(t *testing.T, w *world, l *Likelihood, s *Scorer, bag *bow.Bag) {
	t.Helper()
	got := make([]float64, w.classes.Cap())
	known := s.Add(got, bag)
	ids := []int{0, 1, len(got) - 1}
	shares := map[int][]float64{} // by class, then term of the bag: x_t f_c ln theta_tc
	for _, c := range ids {
		factor := map[Kind]float64{Multinomial: 1, Complement: -1, OneVsAll: 1}[l.Kind]
		if l.Kind == Normalized {
			sum := 0.0
			for term := range w.plain {
				sum += w.logTheta(l.Kind, 0.3, term, c)
			}
			factor = 1 / sum
		}
		want, tokens := 0.0, 0
		for i := range bag.Len() {
			share := math.NaN()
			if term := string(bag.Term(i)); w.plain[term] != nil {
				tokens += int(bag.Count(i))
				share = weightOf(l, bag.Count(i)) * factor * w.logTheta(l.Kind, 0.3, term, c)
				want += share
			}
			shares[c] = append(shares[c], share)
		}
		if known != tokens {
			t.Fatalf("%d tokens known, want %d", known, tokens)
		}
		if math.Abs(got[c]-want) > 1e-12*max(1, math.Abs(want)) {
			t.Fatalf("class %d: score %v, by the formula %v", c, got[c], want)
		}
	}
	for i, a := range ids {
		b := ids[(i+1)%len(ids)]
		for k, weight := range s.AppendWeights(nil, bag, a, b) {
			want := shares[a][k] - shares[b][k]
			if math.IsNaN(weight) != math.IsNaN(want) || math.Abs(weight-want) > 1e-12 {
				t.Fatalf("term %q, class %d against %d: weight %v, by the formula %v", bag.Term(k), a, b, weight, want)
			}
		}
	}
}
