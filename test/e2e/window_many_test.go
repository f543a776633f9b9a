package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
)

// windowed is a document in a window, with the time of its record.
type windowed struct {
	counted
	id string
	at time.Time
}

// window is what a partition has in its window, the oldest first, as docs/operations.md says it in
// words.
type window struct {
	records int           // 0: as many as there are
	age     time.Duration // 0: of any age
	kept    []windowed
	newest  time.Time
}

// add counts a record: under a known id it takes the place of the document with that id, without a
// label it takes it out.
func (w *window) add(x windowed) {
	if x.id != "" {
		w.kept = slices.DeleteFunc(w.kept, func(y windowed) bool { return y.id == x.id })
	}
	if x.at.After(w.newest) && x.label != "" {
		w.newest = x.at
	}
	if x.label != "" {
		w.kept = append(w.kept, x)
	}
	if w.records > 0 && len(w.kept) > w.records {
		w.kept = w.kept[1:]
	}
	if w.age > 0 {
		w.kept = slices.DeleteFunc(w.kept, func(y windowed) bool { return w.newest.Sub(y.at) > w.age })
	}
}

// TestWindowOfMany learns a stream that is several times as long as its window, with replaced and
// forgotten documents and a stop of ingest, while classify follows. Both end with the integers of a
// model that learned the window alone.
func TestWindowOfMany(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]window{
		"{records: 150}": {records: 150},
		"{age: 90m}":     {age: 90 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const partitions, rounds, each = 2, 6, 100
			p := newPipeline(t, partitions)
			spec := p.spec("limits: {window: " + name + "}")
			ingest := p.startIngest(spec)
			classify := p.startClassify()
			random := rand.New(rand.NewPCG(7, 7))
			now := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
			windows := []window{of, of}
			for round := range rounds {
				if round == rounds/2 {
					ingest.stop()
				}
				for part := range partitions {
					p.produce(p.training, part, windows[part].draw(random, part, round*each, each, now)...)
				}
				if round == rounds/2 {
					ingest = p.startIngest(spec)
				}
			}
			var kept []counted
			for i := range windows {
				for _, x := range windows[i].kept {
					kept = append(kept, x.counted)
				}
			}
			if n := len(kept); n < 100 || n > partitions*rounds*each/2 {
				t.Fatalf("the windows have %d documents: the test shows nothing", n)
			}
			want := dumpOf(t, kept)
			same(t, "ingest", p.expired(ingest), want)
			ingest.windowSays(name, "exact")
			same(t, "classify", classify.folded(ingest.must().Next()), want)
			classify.windowSays(name, "exact")
		})
	}
}

// draw draws records, a minute after each other with a jitter of some, and counts them: nine of ten
// have an id of the last fifty, and one of twenty of these forgets its document.
func (w *window) draw(random *rand.Rand, part, first, n int, start time.Time) (out []stream.Record) {
	for i := first; i < first+n; i++ {
		x := windowed{counted: counted{label: []string{"ham", "spam"}[random.IntN(2)], weight: 1, text: fmt.Sprintf("word%d common%d", random.IntN(40), i%7)}}
		x.at = start.Add(time.Duration(i)*time.Minute + time.Duration(random.IntN(600)-300)*time.Second)
		value := fmt.Sprintf(`{"label":%q,"text":%q}`, x.label, x.text)
		if random.IntN(10) > 0 {
			x.id = fmt.Sprintf("d%d-%d", part, i/50*50+random.IntN(50))
			value = fmt.Sprintf(`{"id":%q,"label":%q,"text":%q}`, x.id, x.label, x.text)
			if random.IntN(20) == 0 {
				x.label = ""
				value = fmt.Sprintf(`{"id":%q,"label":null}`, x.id)
			}
		}
		w.add(x)
		out = append(out, stream.Record{Time: x.at, Value: []byte(value)})
	}
	return out
}
