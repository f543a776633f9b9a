package news_test

import (
	"testing"

	"bayestream"
	"bayestream/internal/tools/demo/news"
)

// hits tests each of n items of a seed and then learns it; hits[i] is 1 where the guess was right.
func hits(t *testing.T, seed uint64, n int) []float64 {
	t.Helper()
	m, err := bayestream.New("text: {likelihood: multinomial, alpha: 1, stem: false}")
	if err != nil {
		t.Fatal(err)
	}
	g, right := news.New(seed), make([]float64, n)
	for i := range right {
		item := g.Next()
		d, err := m.Classify(bayestream.Document{Text: item.Text})
		if err != nil {
			t.Fatal(err)
		}
		if d.Label == item.Label {
			right[i] = 1
		}
		if err := m.Learn(item.Label, bayestream.Document{Text: item.Text}); err != nil {
			t.Fatal(err)
		}
	}
	return right
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// A classifier has to learn: little more than a guess at first, good after a few
// hundred texts, and never perfect.
func TestTheCorpusTakesLearning(t *testing.T) {
	const seeds = 4
	var first, early, later, final float64
	for seed := range uint64(seeds) {
		right := hits(t, seed, 5_000)
		first += mean(right[:50]) / seeds
		early += mean(right[50:200]) / seeds
		later += mean(right[1_000:2_000]) / seeds
		final += mean(right[4_000:]) / seeds
	}
	t.Logf("accuracy: first 50 %.3f, then to 200 %.3f, 1,000 to 2,000 %.3f, 4,000 to 5,000 %.3f", first, early, later, final)
	if first < 0.50 || first > 0.75 {
		t.Errorf("accuracy in the first 50 texts is %.3f, want 0.50 to 0.75", first)
	}
	if early <= first || later <= early || final <= later {
		t.Errorf("accuracy does not rise: %.3f, %.3f, %.3f, %.3f", first, early, later, final)
	}
	if later < 0.94 {
		t.Errorf("accuracy from 1,000 to 2,000 texts is %.3f, want 0.94", later)
	}
	if final < 0.95 || final > 0.995 {
		t.Errorf("accuracy in the last 1,000 texts is %.3f, want 0.95 to 0.995", final)
	}
}
