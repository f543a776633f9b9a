// Command ask measures what the labels of a teacher are worth who is asked about a share of a
// stream: about the documents whose decisions are the least sure, and, beside it, about as many
// drawn at random. It prints a table in Markdown:
//
//	go run ./bench/ask -data FOLDER
//
// Each document is decided by what was learned before it. The first ones are learned all, as no
// model begins with nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"bayestream"
	"bayestream/bench/labelled"
	"bayestream/bench/program"
)

// first is how many documents of a stream are learned whatever the policy says.
const first = 20

// window is how many of the last posteriors say what is unusually unsure.
const window = 500

func main() {
	data := flag.String("data", os.Getenv("BAYESTREAM_DATA"), "folder of the sets that are not published")
	seeds := flag.Uint64("seeds", 5, "orders of each stream, of which the table has the means")
	flag.Parse()
	program.Run("ask", func(context.Context) error { return run(*data, *seeds) })
}

func run(data string, seeds uint64) error {
	fmt.Println("| stream | asked | at random | the least sure |")
	fmt.Println("|---|---|---|---|")
	for _, set := range [][2]string{
		{"SMS spam", "sms_spam.jsonl.gz"}, {"BBC news", "bbc_news.jsonl.gz"}, {"AG News, test half", "ag_news.test.jsonl.gz"},
	} {
		items, err := labelled.Read(labelled.Find(data, set[1]))
		if err != nil {
			return err
		}
		for _, share := range []float64{0, .01, .02, .05, .1} {
			random, err := mean(items, share, seeds, false)
			if err != nil {
				return err
			}
			unsure, err := mean(items, share, seeds, true)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %.0f %% | %.3f | %.3f |\n", set[0], 100*share, random, unsure)
		}
	}
	return nil
}

// mean returns the accuracy on a stream, the mean of its orders.
func mean(items []labelled.Item, share float64, seeds uint64, unsure bool) (float64, error) {
	var sum float64
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		order := slices.Clone(items)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		accuracy, err := stream(order, &teacher{share: share, unsure: unsure, rng: rng})
		if err != nil {
			return 0, err
		}
		sum += accuracy
	}
	return sum / float64(seeds), nil
}

// stream returns the share of right decisions behind the first documents.
func stream(items []labelled.Item, t *teacher) (float64, error) {
	model, err := bayestream.New("")
	if err != nil {
		return 0, err
	}
	right := 0
	for i, item := range items {
		document := bayestream.Document{Text: item.Text}
		asked := i < first
		if !asked {
			decision, err := model.Classify(document)
			if err != nil {
				return 0, err
			}
			if decision.Label == item.Label {
				right++
			}
			asked = t.asks(decision.Confidence())
		}
		if !asked {
			continue
		}
		if err := model.Learn(item.Label, document); err != nil {
			return 0, err
		}
	}
	return float64(right) / float64(len(items)-first), model.Close()
}

// teacher is asked about a share of the documents, and never about more.
type teacher struct {
	share  float64
	unsure bool // about the least sure of the window; else at random
	rng    *rand.Rand

	seen, asked int
	last        []float64 // posteriors, the newest last
}

// asks reports whether the document with this posterior is one that is asked about.
func (t *teacher) asks(posterior float64) bool {
	t.seen++
	t.last = append(t.last, posterior)
	if len(t.last) > window {
		t.last = t.last[1:]
	}
	chosen := t.rng.Float64() < t.share
	if t.unsure {
		sorted := slices.Sorted(slices.Values(t.last))
		chosen = posterior <= sorted[int(t.share*float64(len(sorted)))]
	}
	if !chosen || float64(t.asked+1) > t.share*float64(t.seen) {
		return false
	}
	t.asked++
	return true
}
