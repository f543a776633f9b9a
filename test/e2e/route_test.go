package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// writeMixed writes documents about both classes to all partitions, with white space of their own
// and a decision that they came with.
func (p *pipeline) writeMixed(rng *rand.Rand, n int) {
	p.t.Helper()
	texts := []string{"win a prize now", "lunch on friday with mother"}
	for part := range p.partitions {
		records := make([]stream.Record, n)
		for i := range records {
			records[i] = stream.Record{Key: []byte("key"), Value: fmt.Appendf(nil, "{ \"n\": %d.50,\"text\" : %q ,\"ours\":{\"label\":\"theirs\"}\n}", i, texts[rng.IntN(2)])}
		}
		p.produce(p.documents, part, records...)
	}
}

// TestKilledClassifyRoutesOnce kills classify while it writes enriched documents into two topics.
// In the end each document is in the topic of its label, once and in order, with all of its own
// bytes.
func TestKilledClassifyRoutesOnce(t *testing.T) {
	t.Parallel()
	kills := 3
	if kafkatest.Real() {
		kills = 6
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 9))
	p, _, first := taught(t, 2)
	first.stop()
	spam, other := p.labels+"-spam", p.labels+"-other"
	classify := worker(t, "routes", "classify", append(p.classifyFlags(), "--emit=enrich", "--enrich-field=ours", "--route=spam="+spam+",*="+other, "--max-records=20")...)
	n := 0
	for range kills {
		classify.start()
		classify.ready(patience)
		p.writeMixed(rng, 400)
		n += 400
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
		classify.kill()
	}
	classify.start()
	eventually(t, patience, "answered", func() (bool, string) {
		got := 0
		for part := range p.partitions {
			got += len(p.read(spam, part)) + len(p.read(other, part))
		}
		return got >= n*p.partitions, fmt.Sprintf("%d of %d", got, n*p.partitions)
	})
	for part := range p.partitions {
		p.routedOnce(part, map[string]string{"spam": spam, "ham": other})
	}
	p.noDeadLetters()
	classify.stop(patience)
}

// routedOnce checks the enriched documents of a partition in the topics of their labels.
func (p *pipeline) routedOnce(part int, topics map[string]string) {
	p.t.Helper()
	documents := p.read(p.documents, part)
	in := map[string]string{} // the topic of each source
	for label, topic := range topics {
		last := -1
		for _, rec := range p.read(topic, part) {
			at := offsetOf(p.t, rec)
			source := header(rec, "bayestream-source")
			if in[source] != "" || at <= last {
				p.t.Fatalf("%s: %s is there behind offset %d, and in %q", topic, source, last, in[source])
			}
			in[source] = topic
			last = at
			before, after, _ := strings.Cut(string(documents[at].Value), `,"ours":{"label":"theirs"}`)
			decision, ours := strings.CutPrefix(string(rec.Value), before+strings.TrimSuffix(after, "}")+`,"ours":`)
			decision, kept := strings.CutSuffix(decision, "}")
			d, err := wire.ParseDecision([]byte(decision))
			if !ours || !kept || err != nil || d.Decision.Label != label {
				p.t.Fatalf("%s: %s is %q, of %q: %v", topic, source, rec.Value, documents[at].Value, err)
			}
		}
	}
	if len(in) != len(documents) {
		p.t.Errorf("partition %d: %d of %d documents are in a topic", part, len(in), len(documents))
	}
}

// TestReviewTopic: what is not sure goes to a topic of its own, where a record has all that a
// reviewer needs: the document, the decision and its evidence.
func TestReviewTopic(t *testing.T) {
	t.Parallel()
	p, _, first := taught(t, 1)
	first.stop()
	review := p.labels + "-review"
	p.startClassify("--emit=enrich", "--route=unsure,cold,empty="+review+",posterior<0.9="+review)
	texts := []string{"win a prize now", "lunch on friday with mother", "win lunch", "zebra", "mother, call now"}
	for _, text := range texts {
		p.produce(p.documents, 0, stream.Record{Value: fmt.Appendf(nil, `{"text":%q,"from":"ann"}`, text)})
	}
	eventually(t, patience, "answered", func() (bool, string) {
		got := len(p.read(review, 0)) + len(p.read(p.labels, 0))
		return got == len(texts), fmt.Sprintf("%d of %d", got, len(texts))
	})
	sent := map[string]string{}
	for _, topic := range []string{review, p.labels} {
		for _, rec := range p.read(topic, 0) {
			var v struct {
				Text, From string
				Bayestream json.RawMessage
			}
			if err := json.Unmarshal(rec.Value, &v); err != nil || v.From != "ann" {
				t.Fatalf("%s: %s, %v", topic, rec.Value, err)
			}
			d, err := wire.ParseDecision(v.Bayestream)
			if err != nil {
				t.Fatal(err)
			}
			sent[v.Text] = topic
			sure := d.Decision.Status == "ok" && d.Confidence() >= 0.9
			if sure != (topic == p.labels) || (d.Decision.Status == "ok") != (len(d.Evidence) > 0) || d.Source.Topic != p.documents {
				t.Errorf("%s: %s", topic, rec.Value)
			}
		}
	}
	if sent["win lunch"] != review || sent["zebra"] != review || sent["win a prize now"] != p.labels {
		t.Errorf("the documents went to %v", sent)
	}
}
