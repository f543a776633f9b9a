package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

// enriched is a document with its decision.
type enriched struct {
	ID       string
	Decision struct {
		Label     string             `json:"label"`
		Posterior map[string]float64 `json:"posterior"`
		Source    wire.Ref           `json:"source"`
	} `json:"bayestream"`
}

// leastSure is the least sure of those that classify has routed to the teacher.
func leastSure(review []enriched) *enriched {
	var least *enriched
	for i := range review {
		d := &review[i].Decision
		if least == nil || d.Posterior[d.Label] < least.Decision.Posterior[least.Decision.Label] {
			least = &review[i]
		}
	}
	return least
}

const (
	firstTaught = 20 // documents that are learned at first
	atOnce      = 50 // documents that come together, of which a teacher labels one: 2 %
	streamed    = 2000
)

// TestTeacherOfTheUnsure asks a teacher about 2 % of a stream, through the topics: classify routes
// what it is not sure of, the teacher writes training records by ref and by its name, ingest learns
// them. The decisions are better than those of a model that nobody teaches.
func TestTeacherOfTheUnsure(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"sms_spam.jsonl.gz", "youtube_spam.jsonl.gz"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			none, taught := accuracyOf(t, set, false), accuracyOf(t, set, true)
			t.Logf("the accuracy is %.3f with a teacher, and %.3f without", taught, none)
			if taught <= none {
				t.Errorf("the accuracy is %.3f with a teacher, and %.3f without", taught, none)
			}
		})
	}
}

// accuracyOf returns the share of right decisions on a stream behind the first documents.
func accuracyOf(t *testing.T, set string, hasTeacher bool) float64 {
	t.Helper()
	texts, labels := shuffled(t, set)
	p := newPipeline(t, 1)
	review := p.labels + "-review"
	ingest := p.startIngest("--ref-topics=" + p.documents)
	for i, text := range texts[:firstTaught] {
		p.learn(0, fmt.Sprintf(`{"id":"first %d","text":%s,"label":%q}`, i, text, labels[i]))
	}
	next := p.counted(ingest).Next()
	classify := p.startClassify("--emit=enrich", "--route=unsure,cold,empty="+review+",posterior<0.99="+review)
	right, taught := 0, int64(0)
	texts, labels = texts[firstTaught:], labels[firstTaught:]
	for at := 0; at < len(texts); at += atOnce {
		classify.folded(next)
		var documents []stream.Record
		for i := at; i < min(at+atOnce, len(texts)); i++ {
			documents = append(documents, stream.Record{Value: fmt.Appendf(nil, `{"id":"d%d","text":%s}`, i, texts[i])})
		}
		p.produce(p.documents, 0, documents...)
		came, unsure := p.enriched(review, at, len(documents))
		for _, d := range came {
			if d.Decision.Label == labels[d.Decision.Source.Offset] {
				right++
			}
		}
		if about := leastSure(unsure); hasTeacher && about != nil {
			taught++
			from := about.Decision.Source
			p.learn(0, fmt.Sprintf(`{"id":%q,"ref":{"topic":%q,"partition":0,"offset":%d},"label":%q,"by":"teacher"}`, about.ID, from.Topic, from.Offset, labels[from.Offset]))
			next = p.counted(ingest).Next()
		}
	}
	if got := ingest.must().Teachers()["teacher"]; got.Labels != taught || taught > int64(len(texts)/atOnce) {
		t.Errorf("of %d documents %d were asked about, and %+v learned", len(texts), taught, got)
	}
	classify.stop()
	ingest.stop()
	return float64(right) / float64(len(texts))
}

// enriched waits until documents from an offset on are decided, and returns them, and those of them
// that went to the topic of the teacher.
func (p *pipeline) enriched(review string, from, n int) (came, unsure []enriched) {
	p.t.Helper()
	eventually(p.t, patience, "decided", func() (bool, string) {
		came, unsure = nil, nil
		for _, topic := range []string{p.labels, review} {
			for _, rec := range p.read(topic, 0) {
				var d enriched
				if err := json.Unmarshal(rec.Value, &d); err != nil {
					p.t.Fatal(err)
				}
				if d.Decision.Source.Offset < int64(from) {
					continue
				}
				came = append(came, d)
				if topic == review {
					unsure = append(unsure, d)
				}
			}
		}
		return len(came) == n, fmt.Sprintf("%d of %d", len(came), n)
	})
	return came, unsure
}

// shuffled returns the texts of a set, as JSON, and their labels in an order that is always the same.
func shuffled(t *testing.T, set string) (texts, labels []string) {
	t.Helper()
	lines := bufio.NewScanner(modeltest.Open(t, modeltest.Data(t, set)))
	for lines.Scan() {
		var v struct {
			Label string
			Text  json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		texts, labels = append(texts, string(v.Text)), append(labels, v.Label)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(texts), func(i, j int) {
		texts[i], texts[j] = texts[j], texts[i]
		labels[i], labels[j] = labels[j], labels[i]
	})
	n := min(streamed+firstTaught, len(texts)/atOnce*atOnce+firstTaught-atOnce)
	return texts[:n], labels[:n]
}
