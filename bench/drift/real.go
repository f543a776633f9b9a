package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"bayestream/bench/labelled"
	"bayestream/internal/core/model"
)

// realKind is a kind of stream of real documents.
type realKind struct {
	name  string
	files []string
	// names of the labels in the stream; a document with another one is left out; nil: as they are
	labels map[string]string
	// nothing is behind what nobody knows a drift of
	divide func(sets [][]labelled.Item, rnd *rand.Rand) (before, behind []labelled.Item)
	chance bool // the order is another one with each seed
}

const (
	sms          = "sms_spam.jsonl.gz"
	youTube      = "youtube_spam.jsonl.gz"
	bbc          = "bbc_news.jsonl.gz"
	ag           = "ag_news.test.jsonl.gz"
	imdb         = "imdb.train.jsonl.gz"
	reutersTrain = "reuters21578_modapte_single.train.jsonl.gz"
	reutersTest  = "reuters21578_modapte_single.test.jsonl.gz"
)

var realKinds = []realKind{
	{name: "SMS messages, then YouTube comments", files: []string{sms, youTube}, divide: inTurn, chance: true},
	{name: "BBC news, then AG News", files: []string{bbc, ag}, labels: shared, divide: inTurn, chance: true},
	{name: "AG News, World and Sports change places", files: []string{ag}, divide: swapped("World", "Sports"),
		chance: true},
	{name: "IMDb reviews, the labels change places", files: []string{imdb}, divide: swapped("neg", "pos"), chance: true},
	{name: "SMS messages in the order of the file", files: []string{sms}, divide: asTheyAre},
	{name: "Reuters in the order of dates", files: []string{reutersTrain, reutersTest}, divide: asTheyAre},
	{name: "IMDb reviews", files: []string{imdb}, divide: shuffled, chance: true},
}

// shared are the labels of BBC news and of AG News that mean the same.
var shared = map[string]string{
	"sport": "Sports", "business": "Business", "tech": "Sci/Tech",
	"Sports": "Sports", "Business": "Business", "Sci/Tech": "Sci/Tech",
}

func shuffle(items []labelled.Item, rnd *rand.Rand) {
	rnd.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}

// inTurn has one set behind the other.
func inTurn(sets [][]labelled.Item, rnd *rand.Rand) (before, behind []labelled.Item) {
	before, behind = slices.Clone(sets[0]), slices.Clone(sets[1])
	shuffle(before, rnd)
	shuffle(behind, rnd)
	return before, behind
}

// swapped has two labels change places in the second half.
func swapped(a, b string) func([][]labelled.Item, *rand.Rand) ([]labelled.Item, []labelled.Item) {
	other := map[string]string{a: b, b: a}
	return func(sets [][]labelled.Item, rnd *rand.Rand) (before, behind []labelled.Item) {
		all, _ := shuffled(sets, rnd)
		before, behind = all[:len(all)/2], all[len(all)/2:]
		for i := range behind {
			if label, ok := other[behind[i].Label]; ok {
				behind[i].Label = label
			}
		}
		return before, behind
	}
}

func asTheyAre(sets [][]labelled.Item, _ *rand.Rand) (before, behind []labelled.Item) {
	return slices.Concat(sets...), nil
}

func shuffled(sets [][]labelled.Item, rnd *rand.Rand) (before, behind []labelled.Item) {
	before = slices.Concat(sets...)
	shuffle(before, rnd)
	return before, nil
}

// realStreams measures streams of real documents.
type realStreams struct {
	read  func(file string) ([]labelled.Item, error) // fails with os.ErrNotExist if there is no such file
	seeds int
	most  int // records behind a drift
}

// shares are the values of scoring.share that are compared: all records, and the default.
var shares = []int{1, 32}

// measure writes how many records it takes to find the drifts of some kinds of streams. It says
// which ones it leaves out.
func (r *realStreams) measure(w, left io.Writer, kinds []realKind) error {
	fmt.Fprintln(w, "| stream | share | error rate before | behind | streams | alarms before | behind | records until "+
		"the first behind, median | most |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for i := range kinds {
		k := &kinds[i]
		sets, err := r.sets(k)
		if errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(left, "%s: left out: %v\n", k.name, err)
			continue
		}
		if err != nil {
			return err
		}
		for _, share := range shares {
			if err := r.row(w, k, sets, share); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	return nil
}

// sets returns the documents of the files of a kind, with the labels that they have in the stream.
func (r *realStreams) sets(k *realKind) (sets [][]labelled.Item, err error) {
	for _, file := range k.files {
		all, err := r.read(file)
		if err != nil {
			return nil, err
		}
		sets = append(sets, k.rename(all))
	}
	return sets, nil
}

func (k *realKind) rename(all []labelled.Item) (out []labelled.Item) {
	if k.labels == nil {
		return all
	}
	for _, x := range all {
		if label, ok := k.labels[x.Label]; ok {
			x.Label = label
			out = append(out, x)
		}
	}
	return out
}

// row writes the figures of a kind.
func (r *realStreams) row(w io.Writer, k *realKind, sets [][]labelled.Item, share int) error {
	runs := 1
	if k.chance {
		runs = r.seeds
	}
	var all figures
	for seed := range uint64(runs) {
		one, err := r.run(k, sets, share, seed)
		if err != nil {
			return err
		}
		all.add(one)
	}
	fmt.Fprintf(w, "| %s | %d | %s | %s | %d | %d | %d | %s\n", k.name, share, all.rate(before), all.rate(behind), runs,
		all.alarms[before], all.alarms[behind]+all.alarms[again], all.delay())
	return nil
}

// run learns a stream.
func (r *realStreams) run(k *realKind, sets [][]labelled.Item, share int, seed uint64) (*figures, error) {
	l, err := newLearner(fmt.Sprintf("scoring: {share: %d}", share), seed)
	if err != nil {
		return nil, err
	}
	extract, err := model.NewExtractor(l.state.Spec())
	if err != nil {
		return nil, err
	}
	c := &course{learner: l, extract: extract}
	rnd := rand.New(rand.NewPCG(seed, 0))
	first, then := k.divide(sets, rnd)
	if err := c.learn(before, first); err != nil {
		return nil, err
	}
	if err := c.learn(behind, then); err != nil {
		return nil, err
	}
	return &c.figures, c.repeat(then, r.most, rnd)
}

// course is how a stream of real documents goes.
type course struct {
	figures
	learner *learner
	extract *model.Extractor
}

// learn learns documents, and those that come again until the drift is found.
func (c *course) learn(at part, items []labelled.Item) error {
	for delta := range slices.Chunk(items, inDelta) {
		if at == again && c.isFound() {
			return nil
		}
		if err := c.watch(c.learner, at, len(delta), reader(c.extract, delta)); err != nil {
			return err
		}
	}
	return nil
}

// repeat has what is behind the drift come again, in another order, until the drift is found: where
// one record in so many is scored, a set may end too early. There are at most so many records
// behind the drift.
func (c *course) repeat(items []labelled.Item, most int, rnd *rand.Rand) error {
	for room := most - len(items); room > 0 && len(items) > 0 && !c.isFound(); room -= len(items) {
		shuffle(items, rnd)
		if err := c.learn(again, items[:min(room, len(items))]); err != nil {
			return err
		}
	}
	return nil
}

// reader returns a function that sets the features of one document after another, and returns its
// label.
func reader(extract *model.Extractor, items []labelled.Item) func(*model.Features) string {
	next := 0
	return func(f *model.Features) string {
		x := &items[next]
		next++
		extract.Extract(f, &model.Input{Segments: []model.Segment{{Text: []byte(x.Text)}}})
		return x.Label
	}
}
