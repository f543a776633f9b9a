package evaluate_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/evaluate"

	"pgregory.net/rapid"
)

// The mistakes are those with the largest odds, each document once, in their order: what sorting
// all of them gives.
func TestMistakesAreTheSurest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		s := evaluate.NewScores(evaluate.Options{Mistakes: limit})
		surest := map[string]evaluate.Outcome{}
		for range rapid.IntRange(0, 30).Draw(t, "documents") {
			o := evaluate.Outcome{
				ID: fmt.Sprint(rapid.IntRange(1, 12).Draw(t, "id")), Truth: rapid.SampledFrom([]string{"ham", "spam"}).Draw(t, "truth"), Label: "spam",
				Classes: []string{"ham", "spam"}, LogPosterior: []float64{-float64(rapid.IntRange(1, 900).Draw(t, "margin")), 0},
			}
			if err := s.Add(&o); err != nil {
				t.Fatal(err)
			}
			if before, ok := surest[o.ID]; o.Truth == "ham" && (!ok || o.LogPosterior[0] < before.LogPosterior[0]) {
				surest[o.ID] = o
			}
		}
		var want []string
		for id := range surest {
			want = append(want, id)
		}
		slices.SortFunc(want, func(a, b string) int {
			return cmp.Or(cmp.Compare(surest[a].LogPosterior[0], surest[b].LogPosterior[0]), strings.Compare(a, b))
		})
		want = want[:min(limit, len(want))]
		var got []string
		for _, m := range s.Mistakes() {
			got = append(got, m.ID)
			if m.Truth != "ham" || m.Label != "spam" || m.Posterior != 1 {
				t.Errorf("mistake %+v", m)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("mistakes of %q, want %q", got, want)
		}
	})
}

// A document that got no label is no mistake, and one whose label the model is not sure of comes
// last.
func TestMistakesOfThreeClasses(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{Mistakes: 5})
	classes := []string{"a", "b", "c"}
	p := func(x ...float64) (out []float64) {
		for _, v := range x {
			out = append(out, math.Log(v))
		}
		return out
	}
	add(
		t, s, evaluate.Outcome{ID: "none", Truth: "a"},
		evaluate.Outcome{ID: "right", Truth: "a", Label: "a", Classes: classes, LogPosterior: p(0.8, 0.1, 0.1)},
		evaluate.Outcome{ID: "unsure", Truth: "a", Label: "b", Classes: classes, LogPosterior: p(0.3, 0.4, 0.3)},
		evaluate.Outcome{ID: "sure", Truth: "a", Label: "b", Classes: classes, LogPosterior: p(0.1, 0.9, 0), Text: "how it begins"},
		evaluate.Outcome{ID: "certain", Truth: "c", Label: "a", Classes: classes, LogPosterior: p(1, 0, 0)},
	)
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range r.Mistakes {
		got = append(got, fmt.Sprintf("%s %s->%s %.1f %s", m.ID, m.Truth, m.Label, m.Posterior, m.Text))
	}
	if want := []string{"certain c->a 1.0 ", "sure a->b 0.9 how it begins", "unsure a->b 0.4 "}; !slices.Equal(got, want) {
		t.Errorf("mistakes %q, want %q", got, want)
	}
	if want := []evaluate.Confused{{Truth: "a", Label: "b", Documents: 2}, {Truth: "c", Label: "a", Documents: 1}}; !slices.Equal(r.Confused, want) {
		t.Errorf("confused %v, want %v", r.Confused, want)
	}
	if got := s.Confusion().MostConfused(1); len(got) != 1 || got[0].Documents != 2 {
		t.Errorf("the most confused pair is %v", got)
	}
}

// What was decided while one class was known is no mistake that the model was sure of.
func TestMistakesNeedTwoClasses(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{Mistakes: 5})
	for _, o := range []evaluate.Outcome{
		{Truth: "spam", Label: "ham", Classes: []string{"ham"}, LogPosterior: []float64{0}, ID: "alone"},
		{Truth: "spam", Label: "ham", Classes: []string{"ham", "spam"}, LogPosterior: []float64{math.Log(0.7), math.Log(0.3)}, ID: "of two"},
	} {
		if err := s.Add(&o); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Mistakes(); len(got) != 1 || got[0].ID != "of two" {
		t.Errorf("the mistakes are %+v", got)
	}
}
