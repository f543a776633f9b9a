package news

import (
	"math"
	"testing"
)

// bayes is the smallest multinomial naive Bayes, with Laplace smoothing, that
// can tell how hard the corpus is. It is independent of the project's own.
type bayes struct {
	documents  map[string]float64
	words      map[string]float64
	counts     map[string]map[string]float64
	vocabulary map[string]bool
}

func newBayes() *bayes {
	return &bayes{
		documents: map[string]float64{}, words: map[string]float64{},
		counts:     map[string]map[string]float64{Election: {}, Sports: {}},
		vocabulary: map[string]bool{},
	}
}

func (b *bayes) learn(item Item) {
	b.documents[item.Label]++
	for _, w := range words(item.Text) {
		b.counts[item.Label][w]++
		b.words[item.Label]++
		b.vocabulary[w] = true
	}
}

func (b *bayes) score(label, text string) float64 {
	score := math.Log(b.documents[label] + 1)
	for _, w := range words(text) {
		if b.vocabulary[w] {
			score += math.Log((b.counts[label][w] + 1) / (b.words[label] + float64(len(b.vocabulary))))
		}
	}
	return score
}

func (b *bayes) label(text string) string {
	if b.score(Election, text) >= b.score(Sports, text) {
		return Election
	}
	return Sports
}

// hits tests each item and then learns it; hits[i] is 1 where the guess was right.
func hits(items []Item) []float64 {
	model := newBayes()
	right := make([]float64, len(items))
	for i, item := range items {
		if model.label(item.Text) == item.Label {
			right[i] = 1
		}
		model.learn(item)
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
		right := hits(take(seed, many))
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
