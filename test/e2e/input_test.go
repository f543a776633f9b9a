package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// trouble waits until /readyz finds something wrong with a partition and checks that it says each
// of the words.
func (r *running) trouble(partition int, words ...string) {
	r.t.Helper()
	part := fmt.Sprintf("partition %d", partition)
	r.eventually("in trouble", func() (bool, string) {
		status, wrong := r.checks()
		for _, w := range words {
			if !strings.Contains(wrong[part], w) {
				return false, fmt.Sprintf("/readyz says of %s: %q, want it to say %q", part, wrong[part], w)
			}
		}
		return status == http.StatusServiceUnavailable, "/readyz sees nothing wrong"
	})
}

// TestRecordsDeletedBeforeCounted: ingest does not pass over records that it never saw, unless it
// is told to.
func TestRecordsDeletedBeforeCounted(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest()
	p.learn(0, `{"text":"counted","label":"ham"}`)
	p.counted(ingest)
	ingest.stop()
	p.learn(0, `{"text":"never seen","label":"spam"}`, `{"text":"nor this","label":"spam"}`)
	p.learn(0, `{"text":"seen","label":"ham"}`)
	kafkatest.DeleteRecords(t, p.training, 0, 3)
	ingest = p.runIngest()
	ingest.trouble(0, "from offset 1 to 2", "retention.ms", "--accept-loss")
	ingest.stop()
	ingest = p.startIngest("--accept-loss")
	same(t, "ingest", p.counted(ingest), dumpOf(t, []counted{{label: "ham", weight: 1, text: "counted"}, {label: "ham", weight: 1, text: "seen"}}))
	p.noDeadLetters()
}

// TestPartitionsAreAdded: partitions that a topic gets while the workers run are read from their
// start.
func TestPartitionsAreAdded(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	p.createTopic(p.labels, 3, nil)
	ingest, classify := p.startIngest(), p.startClassify()
	for _, topic := range []string{p.training, p.documents} {
		kafkatest.AddPartitions(t, topic, 3)
	}
	p.partitions = 3
	for part := range 3 {
		p.learn(part, fmt.Sprintf(`{"text":"partition number%d","label":"ham"}`, part))
		p.produce(p.documents, part, document("a", "partition"))
	}
	state := p.counted(ingest)
	dump, _ := p.recount()
	same(t, "ingest", state, dump)
	same(t, "classify", classify.folded(state.Next()), dump)
	p.inOrder(p.decided(3), nil)
}

// TestLabelsLackPartitions adds partitions to the documents topic alone, and then to one of two
// topics of decisions: the work on the new partitions waits and names the topic, writes nothing
// twice, and goes on when the topic has them.
func TestLabelsLackPartitions(t *testing.T) {
	t.Parallel()
	for _, delivery := range []string{"exactly-once", "at-least-once"} {
		t.Run(delivery, func(t *testing.T) {
			t.Parallel()
			p, ingest, first := taught(t, 1)
			first.stop()
			spam := p.labels + "-spam"
			classify := p.startClassify("--delivery="+delivery, "--route=spam="+spam)
			ingest.ready()
			kafkatest.AddPartitions(t, p.documents, 3)
			p.produce(p.documents, 2, document("a", "lunch"), document("b", "prize"), stream.Record{Value: []byte("bad")})
			lacks := func(topic string) string {
				return fmt.Sprintf("topic %q has 1 partitions and %q has 3: a decision goes to the partition of its document, so add partitions to %q", topic, p.documents, topic)
			}
			classify.trouble(2, lacks(p.labels))
			kafkatest.AddPartitions(t, p.labels, 3)
			classify.trouble(2, lacks(spam))
			p.produce(p.documents, 0, document("c", "lunch"))
			eventually(t, patience, "answered", func() (bool, string) {
				return len(p.read(p.labels, 0)) == 1, "partition 0 waits, too"
			})
			kafkatest.AddPartitions(t, spam, 3)
			got := func() string {
				return fmt.Sprintf("%d and %d decisions and %d dead letters", len(p.read(spam, 2)), len(p.read(p.labels, 2)), len(p.read(p.dead, 0)))
			}
			const want = "1 and 1 decisions and 1 dead letters"
			eventually(t, patience, "answered", func() (bool, string) { return got() == want, "partition 2 has " + got() })
			classify.ready()
			if now := got(); now != want {
				t.Errorf("partition 2 has %s, want %s", now, want)
			}
		})
	}
}

// TestIdleMember: a worker to which the group gives no partition is ready, and takes over from one
// that leaves.
func TestIdleMember(t *testing.T) {
	t.Parallel()
	p, ingest, first := taught(t, 1)
	second := p.startClassify("--state=" + p.dir + "/second.db")
	second.eventually("idle", func() (bool, string) {
		n := second.metric("bayestream_group_generations_total")
		return n > 0, fmt.Sprintf("%v generations", n)
	})
	idle := second
	if first.metric("bayestream_assigned_partitions") == 0 {
		first, idle = second, first
	}
	idle.ready()
	p.produce(p.documents, 0, document("a", "prize"))
	p.decided(1)
	first.stop()
	p.produce(p.documents, 0, document("b", "prize"))
	if n := p.inOrder(p.decided(2), nil); n != 0 {
		t.Errorf("%d answers came twice", n)
	}
	if n := kafkatest.Committed(t, p.training+"-ingest", p.training, 0); n != 60 {
		t.Errorf("the group of ingest stands at offset %d of 60", n)
	}
	ingest.ready()
}

// TestForeignRecordsInModelTopic writes what does not belong there into the model topic: deltas
// that were folded already, such of another spec, and no records at all. Nobody counts any of it.
func TestForeignRecordsInModelTopic(t *testing.T) {
	t.Parallel()
	p, other := newPipeline(t, 2), newPipeline(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	p.rounds(ingest, 3, "ham")
	foreign := other.startIngest(other.spec("text: {field: text, ngrams: 3}"))
	other.rounds(foreign, 2, "spam")
	var junk []stream.Record
	for _, log := range [][]stream.Record{p.read(p.model, 0), other.read(other.model, 0)} {
		for _, rec := range log {
			junk = append(junk, stream.Record{Value: rec.Value})
		}
	}
	deltas := len(p.read(p.model, 0)) - 1 // all but the spec
	junk = append(junk, stream.Record{Value: []byte("no protobuf")}, stream.Record{}, stream.Record{Key: []byte("key"), Value: []byte{}})
	rand.Shuffle(len(junk), func(i, j int) { junk[i], junk[j] = junk[j], junk[i] })
	p.produce(p.model, 0, junk...)
	p.rounds(ingest, 2, "spam")
	state := p.counted(ingest)
	dump, _ := p.recount()
	same(t, "ingest", state, dump)
	same(t, "classify", classify.folded(state.Next()), dump)
	for outcome, want := range map[string]int{"stale": deltas, "repeated": 1, "foreign": len(other.read(other.model, 0)), "invalid": 3} {
		classify.wantMetric(fmt.Sprintf("bayestream_folded_entries_total{outcome=%q}", outcome), float64(want))
	}
}

// TestLargestReplacement replaces the largest documents that are allowed by others as large: each
// delta fits into the log, and the counts are right.
func TestLargestReplacement(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest("--max-records=100")
	words := func(seed int) string {
		var out []string
		for i := range 5000 {
			out = append(out, strings.Repeat("x", 50)+fmt.Sprintf("%07d%05d", seed, i))
		}
		return strings.Join(out, " ")
	}
	for i := range 4 {
		p.learn(0, fmt.Sprintf(`{"id":"a","text":%q,"label":"class%d"}`, words(i), i%2), fmt.Sprintf(`{"id":"b%d","text":%q,"label":"ham"}`, i%3, words(100+i)))
	}
	state := p.counted(ingest)
	dump, bad := p.recount()
	same(t, "ingest", state, dump)
	if bad != 0 {
		t.Errorf("%d records are bad", bad)
	}
	p.noDeadLetters()
	most := codec.DeltaLimit(4 << 20) // ingest creates the topic with that max.message.bytes
	for _, rec := range p.read(p.model, 0) {
		if len(rec.Value) > most {
			t.Errorf("the record at offset %d of the model log has %d bytes, at most %d are allowed", rec.Offset, len(rec.Value), most)
		}
	}
}

// TestGuessedMails: each worker counts the mails that it reads in another way than they say.
func TestGuessedMails(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec("name: mails\nformat: mail\ntext: {}\n"))
	mail := []byte("Subject: a\nContent-Type: text/plain; charset=x-none\n\ncaf\xc3\xa9")
	p.produce(p.training, 0, stream.Record{Value: mail, Headers: []stream.Header{{Key: "label", Value: []byte("ham")}}})
	p.counted(ingest)
	classify := p.startClassify()
	p.produce(p.documents, 0, stream.Record{Value: mail})
	p.decided(1)
	const series = `bayestream_guessed_mails_total{what="charset"}`
	ingest.wantMetric(series, 1)
	classify.wantMetric(series, 1)
	answer, err := http.Post("http://"+classify.log.address()+"/v1/classify", "message/rfc822", bytes.NewReader(mail))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	classify.wantMetric(series, 2)
}
