package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
)

// recreateLog deletes the model topic and creates it again. Workers that run may write to the new
// one at once.
func (p *pipeline) recreateLog() {
	p.t.Helper()
	before := p.topicID(p.model)
	kafkatest.DeleteTopic(p.t, p.model)
	p.createTopic(p.model, 1, sound())
	eventually(p.t, patience, "another topic", func() (bool, string) {
		now := p.topicID(p.model)
		return now != before, fmt.Sprintf("the model topic has the id %x, as before", now)
	})
}

// topicID returns the id of a topic. Where the new topic ends says nothing: workers that run may
// have written more than was in the old one.
func (p *pipeline) topicID(topic string) stream.TopicID {
	p.t.Helper()
	id, err := p.client.TopicID(p.t.Context(), topic, 0)
	if err != nil || id == (stream.TopicID{}) {
		p.t.Fatalf("topic %q has the id %x, %v", topic, id, err)
	}
	return id
}

// rounds lets ingest learn n times, a delta each.
func (p *pipeline) rounds(ingest *running, n int, label string) {
	p.t.Helper()
	for i := range n {
		for part := range p.partitions {
			p.learn(part, fmt.Sprintf(`{"id":"%s-%d","text":"%s number%d","label":%q}`, label, i, label, i, label), "not json")
		}
		p.counted(ingest)
	}
}

// TestModelTopicMadeAnewWhileDown deletes the model topic and makes it again while the workers are
// down. Their files are moved aside, and everything is counted again from the training topic.
func TestModelTopicMadeAnewWhileDown(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	ingest, classify := p.startIngest(), p.startClassify()
	p.rounds(ingest, 3, "ham")
	classify.stop()
	ingest.stop()
	p.recreateLog()
	for range 2 { // the second time there is nothing to notice any more
		ingest, classify = p.startIngest(), p.startClassify()
		p.rebuilt(ingest, classify)
		classify.stop()
		ingest.stop()
	}
	if !strings.Contains(ingest.log.text(), "HTTP is served") || strings.Contains(ingest.log.text(), "rebuilt") {
		t.Errorf("the second start found something to rebuild")
	}
}

// rebuilt learns some more and compares both workers with the recount.
func (p *pipeline) rebuilt(ingest, classify *running) {
	p.t.Helper()
	p.rounds(ingest, 2, "spam")
	state := p.counted(ingest)
	dump, _ := p.recount()
	same(p.t, "ingest", state, dump)
	same(p.t, "classify", classify.folded(state.Next()), dump)
	for part := range p.partitions {
		if now, _ := state.Progress(fold.Source{Topic: p.training, Partition: int32(part)}); now.Begin != 0 || !now.FromStart {
			p.t.Errorf("partition %d was counted from offset %d on, from the start %v", part, now.Begin, now.FromStart)
		}
	}
}

// TestModelTopicReplacedByLonger puts a longer log in the place of the one that classify follows,
// before it can notice that the topic was gone: its position is inside the new log, and only the
// record before it tells that it is another one.
func TestModelTopicReplacedByLonger(t *testing.T) {
	t.Parallel()
	p, other := newPipeline(t, 1), newPipeline(t, 1)
	ingest := p.startIngest()
	p.rounds(ingest, 2, "ham")
	ingest.stop()
	classify := p.startClassify()

	teacher := other.startIngest()
	other.rounds(teacher, 5, "spam")
	want := other.counted(teacher)
	var log []stream.Record
	for _, rec := range other.read(other.model, 0) {
		log = append(log, stream.Record{Value: rec.Value})
	}
	p.recreateLog()
	p.produce(p.model, 0, log...)
	same(t, "classify", classify.folded(want.Next()), modeltest.Dump(want.Model()))
	classify.wantMetric("bayestream_rebuilds_total", 1)
}

// TestTruncatedModelTopic: a log that starts after the position of a worker ends it with a sentence
// that says what to do. A worker that stands at its start goes on.
func TestTruncatedModelTopic(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	p.rounds(ingest, 2, "ham")
	classify.folded(p.counted(ingest).Next())
	classify.stop()
	p.rounds(ingest, 2, "spam")
	next := p.counted(ingest).Next()
	kafkatest.DeleteRecords(t, p.model, 0, next)
	p.runClassify().failure(p.model, fmt.Sprintf("starts at offset %d", next), "--bootstrap http://HOST/v1/snapshot", "retention.ms=-1")
	p.runClassify("--state="+p.dir+"/new.db").failure(p.model, "offset 0 is needed")
	ingest.stop()
	ingest = p.startIngest()
	p.rounds(ingest, 1, "news")
	dump, _ := p.recount()
	same(t, "ingest", p.counted(ingest), dump)

	classify = p.startClassify("--state="+p.dir+"/snapshot.db", "--bootstrap=http://"+ingest.log.address()+"/v1/snapshot")
	same(t, "classify", classify.must(), dump)
}

// TestModelTopicMadeAnewUnderTwoIngests does it while records come, under two ingests that share
// the partitions: the one that notices first must not count on top of what the other still writes.
func TestModelTopicMadeAnewUnderTwoIngests(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, chaosPartitions)
	first, second := p.startIngest(), p.startIngest("--state="+p.dir+"/second.db")
	c := &chaos{t: t, rng: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 6)), client: p.client, training: p.training}
	stop := c.write()
	for round := range 3 {
		time.Sleep(time.Second)
		p.recreateLog()
		for _, r := range []*running{first, second} {
			r.eventually("rebuilt", func() (bool, string) {
				n := r.metric("bayestream_rebuilds_total")
				return n >= float64(round+1), fmt.Sprintf("%v rebuilds", n)
			})
		}
	}
	stop()
	state := p.counted(first)
	dump, _ := p.recount()
	same(t, "the first ingest", state, dump)
	same(t, "the second ingest", second.folded(state.Next()), dump)
	for part := range p.partitions {
		if now, _ := state.Progress(fold.Source{Topic: p.training, Partition: int32(part)}); now.Begin != 0 || !now.FromStart {
			t.Errorf("partition %d was counted from offset %d on, from the start: %v", part, now.Begin, now.FromStart)
		}
	}
}
