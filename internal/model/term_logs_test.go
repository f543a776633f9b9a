package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/spec"
)

// The rows that a scorer remembers say what the counts say, however the model and the lexicon change in
// between, and also when there is no room for more.
func TestTermLogsEqualCounts(t *testing.T) {
	for _, text := range []string{"{alpha: 0.3}", "{likelihood: complement, weight: 0.5}", "{likelihood: complement, norm: true}"} {
		t.Run(text, func(t *testing.T) {
			sp, err := spec.Parse([]byte("text: " + text + "\nlimits: {terms: 60}"))
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon()}
			m, s := New(sp), NewScorer()
			var learned []labelled
			for step := range 400 {
				d := labelled{fmt.Sprint("class", rng.IntN(4)), randomWords(rng, lexicons[step/7%2])}
				switch rng.IntN(6) {
				case 0, 1:
					observe(t, m, d, 1)
					learned = append(learned, d)
				case 2: // what was learned last is taken out again
					if n := len(learned) - 1; n >= 0 {
						observe(t, m, learned[n], -1)
						learned = learned[:n]
					}
				case 3:
					s.logs.logs = append(s.logs.logs, make([]float64, maxTermLogs)...)
				}
				compareWithCounts(t, m, s, d.features)
			}
		})
	}
}

type labelled struct {
	label    string
	features *Features
}

func randomWords(rng *rand.Rand, lexicon *bow.Lexicon) *Features {
	f := &Features{}
	f.Bag.Use(lexicon)
	for range rng.IntN(30) {
		f.Bag.Add(fmt.Appendf(nil, "word%d", rng.IntN(100)))
	}
	return f
}

func observe(t *testing.T, m *Model, d labelled, weight int64) {
	t.Helper()
	b := NewBuilder(m.Spec())
	b.Observe(d.label, weight, d.features)
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
}

// compareWithCounts scores a document by the counts, as for many classes, and compares.
func compareWithCounts(t *testing.T, m *Model, s *Scorer, f *Features) {
	t.Helper()
	s.Joint(m, f, Options{})
	if !s.inLogs {
		t.Fatal("the scorer went by the counts")
	}
	var finder counts.Finder
	rows := finder.AppendRows(nil, m.text, &f.Bag)
	want := make([]float64, m.classes.Cap())
	if known := m.event.Add(want, m.text, &m.classes, &f.Bag, rows); known != s.known {
		t.Fatalf("%d tokens known, want %d", s.known, known)
	}
	live := m.classes.Live()
	for _, c := range live {
		if math.Abs(s.text[c]-want[c]) > 1e-9*max(1, math.Abs(want[c])) {
			t.Fatalf("class %d: score %v, by the counts %v", c, s.text[c], want[c])
		}
	}
	for i := range live {
		a, b := live[i], live[(i+1)%len(live)]
		got := s.logs.appendWeights(nil, s.rows, a, b)
		for k, w := range m.event.AppendWeights(nil, m.text, rows, a, b) {
			if math.Abs(got[k]-w) > 1e-12 {
				t.Fatalf("term %q, class %d against %d: weight %v, by the counts %v", f.Bag.Term(k), a, b, got[k], w)
			}
		}
	}
}
