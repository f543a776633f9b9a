package classify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// manyLabels appends a model of n classes with long names to the model log.
func (l *loop) manyLabels(n int) {
	l.t.Helper()
	var classes []string
	for i := range n {
		classes = append(classes, fmt.Sprintf("%05d-%s", i, strings.Repeat("x", 250)))
	}
	l.model(fmt.Sprintf("m\nlimits: {classes: %d}", n), classes...)
}

// answered has partitions of a worker with a budget answer documents, and returns the largest
// answer and how many there were.
func answered(t *testing.T, memory *budget.Budget, labels, partitions, documents int) (largest, n int) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.classifier.memory = memory
		l.recent = newRecentOfAll("documents", memory)
		l.memory.CreateTopic("documents", partitions)
		l.memory.CreateTopic("labels", partitions)
		l.manyLabels(labels)
		var records []stream.Record
		for i := range documents {
			records = append(records, stream.Record{Value: fmt.Appendf(nil, `{"id":"d%d","text":"word"}`, i)})
		}
		var end sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		for p := range partitions {
			if _, err := l.memory.Produce(ctx, "documents", p, records); err != nil {
				t.Fatal(err)
			}
			end.Go(func() { _ = l.partition(ctx, stream.Assignment{Topic: "documents", Partition: p, Offset: -1}) })
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		end.Wait()
		for p := range partitions {
			for i, rec := range l.memory.Records("labels", p) {
				if !bytes.HasPrefix(rec.Value, fmt.Appendf(nil, `{"id":"d%d"`, i)) {
					t.Errorf("partition %d: answer %d is %.40s", p, i, rec.Value)
				}
				largest = max(largest, len(rec.Value))
				n++
			}
		}
	})
	return largest, n
}

// What all partitions hold at once is bounded, however many documents wait and however large the
// decisions are.
func TestAnswersStayInMemory(t *testing.T) {
	for _, c := range []struct{ limit, labels, partitions, documents int }{
		{2 << 20, 100, 16, 20},
		{16 << 20, 100, 4, 50},
		{1 << 10, 50, 3, 4}, // each decision is larger than all of it, and each document than its share
		{2 << 20, 1, 4, 1000},
	} {
		memory := budget.New(c.limit)
		largest, n := answered(t, memory, c.labels, c.partitions, c.documents)
		if want := c.partitions * c.documents; n != want {
			t.Errorf("%+v: %d answers, want %d", c, n, want)
		}
		if most := memory.Most(); most > c.limit+largest+2*answerSize || most < min(largest, c.limit/64) {
			t.Errorf("%+v: up to %d bytes were held, want at most the limit and an answer of %d", c, most, largest)
		}
		for _, k := range []budget.Kind{budget.Answers, budget.Waiting, budget.Responses} {
			if held := memory.Held(k); held != 0 {
				t.Errorf("%+v: %d bytes %s are held at the end", c, held, k)
			}
		}
	}
}

// pieces notes the sizes of what is written to it, and what its budget holds meanwhile.
type pieces struct {
	memory  *budget.Budget
	largest int
	all     bytes.Buffer
}

func (p *pieces) Write(b []byte) (int, error) {
	p.largest = max(p.largest, len(b))
	if held := p.memory.Held(budget.Responses); held < len(b) {
		return 0, fmt.Errorf("%d bytes are held of a piece of %d", held, len(b))
	}
	return p.all.Write(b)
}

// A long answer to a request is made and sent piece by piece, and several requests at once share
// the memory.
func TestLongAnswersAreSentInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Classify) { c.Evidence = 1 })
		defer l.end()
		memory := budget.New(8 << 20)
		l.classifier.memory = memory
		l.manyLabels(300)
		time.Sleep(time.Second)
		body := []byte("[" + strings.Repeat(`{"text":"word"},`, 59) + `{"text":"word"}]`)
		outs := make([]pieces, 4)
		var end sync.WaitGroup
		for i := range outs {
			outs[i].memory = memory
			end.Go(func() {
				if err := l.body(t.Context(), &outs[i], body, false); err != nil {
					t.Error(err)
				}
			})
		}
		end.Wait()
		for i := range outs {
			var list []json.RawMessage
			if err := json.Unmarshal(outs[i].all.Bytes(), &list); err != nil || len(list) != 60 {
				t.Fatalf("request %d: %d decisions, %v", i, len(list), err)
			}
			if d, err := wire.ParseDecision(list[59]); err != nil || len(d.Decision.Classes) == 0 {
				t.Errorf("request %d: %v", i, err)
			}
			if most := pieceBytes + len(list[0]) + 2; outs[i].largest > most {
				t.Errorf("request %d: a piece of %d bytes, want at most %d of %d", i, outs[i].largest, most, outs[i].all.Len())
			}
		}
		if most := memory.Most(); most > 8<<20 || memory.Held(budget.Responses) != 0 {
			t.Errorf("up to %d bytes were held, and %d are at the end", most, memory.Held(budget.Responses))
		}
	})
}
