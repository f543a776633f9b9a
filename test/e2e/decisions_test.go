package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// decided waits until n documents have an answer in the labels topic and returns all answers, by
// partition and in order, duplicates included.
func (p *pipeline) decided(n int) [][]stream.Record {
	p.t.Helper()
	var answers [][]stream.Record
	eventually(p.t, patience, "answered", func() (bool, string) {
		answers = nil
		sources := map[string]bool{}
		for part := range p.partitions {
			answers = append(answers, p.read(p.labels, part))
			for _, rec := range answers[part] {
				sources[header(rec, "bayestream-source")] = true
			}
		}
		return len(sources) >= n, fmt.Sprintf("%d of %d documents have an answer", len(sources), n)
	})
	return answers
}

// inOrder checks that each partition answers its documents in their order, counting the first
// answer to each, and that none is left out. Documents that are not answered are named in dead. It
// returns how many answers are duplicates.
func (p *pipeline) inOrder(answers [][]stream.Record, dead map[string]wire.Reason) (duplicates int) {
	p.t.Helper()
	for part, records := range answers {
		var want []string
		for _, doc := range p.read(p.documents, part) {
			if at := p.place(p.documents, part, doc.Offset); dead[at] == "" {
				want = append(want, at)
			}
		}
		var got []string
		seen := map[string]bool{}
		for _, rec := range records {
			source := header(rec, "bayestream-source")
			if seen[source] {
				duplicates++
				continue
			}
			seen[source] = true
			got = append(got, source)
		}
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				p.t.Errorf("partition %d: answer %d of %d is for %v, want %v (of %d)", part, i, len(got), got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))], len(want))
				break
			}
		}
	}
	return duplicates
}

// adds checks that a decision's posteriors sum to one and that its parts add up to the margin.
func adds(t *testing.T, d *wire.Decision) {
	t.Helper()
	sum, prior := d.Others.Posterior, map[string]float64{}
	runnerUp, best := "", math.Inf(-1)
	for _, c := range d.Decision.Classes {
		sum += c.Posterior
		prior[c.Name] = c.LogPrior
		if c.Name != d.Decision.Label && c.LogPosterior > best {
			runnerUp, best = c.Name, c.LogPosterior
		}
		if math.IsNaN(c.LogPosterior) { // one of many that is neither label nor runner-up
			continue
		}
		if math.Abs(math.Exp(c.LogPosterior)-c.Posterior) > 1e-12 {
			t.Errorf("%s: posterior %v and log posterior %v of %s", d.ID, c.Posterior, c.LogPosterior, c.Name)
		}
	}
	if runnerUp != d.Decision.RunnerUp {
		t.Errorf("%s: the runner-up is %q, want %q", d.ID, d.Decision.RunnerUp, runnerUp)
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%s: the posteriors sum to %v", d.ID, sum)
	}
	parts := prior[d.Decision.Label] - prior[runnerUp] + d.Decision.Rest
	for _, e := range d.Decision.Evidence {
		parts += e.Weight
	}
	if math.Abs(parts-d.Decision.Margin) > 1e-9*max(1, math.Abs(d.Decision.Margin)) {
		t.Errorf("%s: the parts add up to %v, the margin is %v", d.ID, parts, d.Decision.Margin)
	}
}

// document is a record of the documents topic.
func document(key, text string, headers ...stream.Header) stream.Record {
	return stream.Record{Key: []byte(key), Value: []byte(fmt.Sprintf(`{"id":%q,"text":%q}`, key, text)), Headers: headers}
}

// taught is a pipeline whose model knows 30 documents of each of two classes; both workers run.
func taught(t *testing.T, partitions int, args ...string) (p *pipeline, ingest, classify *running) {
	t.Helper()
	p = newPipeline(t, partitions)
	ingest = p.startIngest()
	p.teach()
	next := p.counted(ingest).Next()
	classify = p.startClassify(args...)
	classify.folded(next)
	return p, ingest, classify
}

func (p *pipeline) teach() {
	p.t.Helper()
	var values []string
	for i := range 30 {
		values = append(values, fmt.Sprintf(`{"text":"win a prize now, call number%d","label":"spam"}`, i),
			fmt.Sprintf(`{"text":"lunch on friday with mother, room%d","label":"ham"}`, i))
	}
	p.learn(0, values...)
}

// mixed writes documents of every kind to all partitions, several times what one batch holds, and
// returns those that must become dead letters.
func (p *pipeline) mixed(n int) (written int, dead map[string]wire.Reason) {
	p.t.Helper()
	dead = map[string]wire.Reason{}
	for part := range p.partitions {
		var records []stream.Record
		for i := range n {
			rec := document("key"+strconv.Itoa(i%7), "win a prize or lunch "+strconv.Itoa(i), stream.Header{Key: "traceparent", Value: []byte(strconv.Itoa(i))},
				stream.Header{Key: "Bayestream-Source", Value: []byte("forged")})
			switch i % 50 {
			case 10:
				rec.Value = nil
			case 20:
				rec.Key = nil
			case 30:
				rec.Value = []byte("not json")
			case 40:
				rec.Value = []byte(`{"id":"empty","text":"?!"}`)
			}
			records = append(records, rec)
		}
		base := p.produce(p.documents, part, records...)
		for i := range records {
			if i%50 == 30 {
				dead[p.place(p.documents, part, base+int64(i))] = wire.NotJSON
			}
		}
		written += n
	}
	return written, dead
}

// TestDecisions: every document gets one decision at its place, which says so, keeps what came with
// the document, and adds up.
func TestDecisions(t *testing.T) {
	t.Parallel()
	p, _, classify := taught(t, 3, "--max-records=64")
	written, dead := p.mixed(500)
	answers := p.decided(written - len(dead))
	if n := p.inOrder(answers, dead); n > 0 {
		t.Errorf("%d answers came twice, though nobody failed", n)
	}
	p.deadLetters(dead)
	statuses := map[string]int{}
	for part, records := range answers {
		documents := p.read(p.documents, part)
		for _, rec := range records {
			doc := documents[offsetOf(t, rec)]
			kept(t, rec, doc)
			if (rec.Value == nil) != (doc.Value == nil) {
				t.Fatalf("a null value answers %q, or the other way round", doc.Value)
			}
			if rec.Value == nil {
				continue
			}
			d, err := wire.ParseDecision(rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			if d.Source != (wire.Source{Topic: p.documents, Partition: part, Offset: doc.Offset}) {
				t.Errorf("the decision on %s/%d/%d has the source %v", p.documents, part, doc.Offset, d.Source)
			}
			adds(t, d)
			statuses[d.Decision.Status]++
		}
	}
	if statuses["ok"] == 0 || statuses["empty"] != 3*10 || len(statuses) != 2 {
		t.Errorf("statuses %v, want 30 empty ones, the rest ok", statuses)
	}
	for status, n := range statuses {
		classify.wantMetric(fmt.Sprintf("bayestream_decisions_total{status=%q}", status), float64(n))
	}
}

// offsetOf returns the offset that the source of an answer names.
func offsetOf(t *testing.T, answer stream.Record) int {
	t.Helper()
	source := header(answer, "bayestream-source")
	n, err := strconv.Atoi(source[strings.LastIndexByte(source, '/')+1:])
	if err != nil {
		t.Fatalf("source %q: %v", source, err)
	}
	return n
}

// kept checks that an answer has the key and the headers of its document, but for those that claim
// to be ours.
func kept(t *testing.T, answer, doc stream.Record) {
	t.Helper()
	if string(answer.Key) != string(doc.Key) || (answer.Key == nil) != (doc.Key == nil) {
		t.Errorf("key %q, want %q", answer.Key, doc.Key)
	}
	want := slices.DeleteFunc(slices.Clone(doc.Headers), func(h stream.Header) bool { return strings.HasPrefix(strings.ToLower(h.Key), "bayestream-") })
	for i, h := range want {
		if i >= len(answer.Headers) || answer.Headers[i].Key != h.Key || string(answer.Headers[i].Value) != string(h.Value) {
			t.Errorf("the answer to offset %d lacks the header %s", doc.Offset, h.Key)
		}
	}
	if header(answer, "Bayestream-Source") != "" {
		t.Errorf("a header that somebody else wrote under our prefix came through")
	}
}
