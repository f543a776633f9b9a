package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// private is a pipeline on a cluster of its own, whose brokers the test can make fail.
func private(t *testing.T, partitions int, options ...kfake.Opt) (*pipeline, *kfake.Cluster) {
	t.Helper()
	cluster := kafkatest.Fake(t, options...)
	p := newPipelineAt(t, cluster.ListenAddrs(), "t")
	p.partitions = partitions
	p.createTopic(p.training, partitions, nil)
	p.createTopic(p.documents, partitions, nil)
	return p, cluster
}

// refuse makes the cluster refuse what is asked about a topic, in a way that no client repeats, until
// Remove is called.
func refuse(cluster *kfake.Cluster, key kmsg.Key, topic string) *kfake.FaultHandle {
	refusals := map[kmsg.Key]*kerr.Error{kmsg.Produce: kerr.InvalidRequiredAcks, kmsg.Fetch: kerr.TopicAuthorizationFailed, kmsg.OffsetCommit: kerr.InvalidCommitOffsetSize}
	return cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: topic, Err: refusals[key], Count: -1})
}

// TestTroubleThatPasses: a worker whose work on a partition fails says so while it does, and no
// longer.
func TestTroubleThatPasses(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	for _, c := range []struct {
		worker *running
		key    kmsg.Key
		topic  string
	}{
		{ingest, kmsg.Produce, p.model}, {ingest, kmsg.Fetch, p.training}, {classify, kmsg.Produce, p.labels}, {classify, kmsg.Fetch, p.documents},
	} {
		fault := refuse(cluster, c.key, c.topic)
		p.learn(0, `{"text":"a record of each round","label":"ham"}`)
		p.produce(p.documents, 0, document("a", "a document of each round"))
		c.worker.eventually("in trouble", func() (bool, string) {
			status, wrong := c.worker.checks()
			return status == http.StatusServiceUnavailable && wrong["partition 0"] != "", "/readyz sees nothing wrong"
		})
		if fault.Hits() == 0 {
			t.Fatalf("%v of %s was never asked", c.key, c.topic)
		}
		fault.Remove()
		c.worker.ready()
	}
	if n := p.counted(ingest).Model().Classes().Total(); n != 4 {
		t.Errorf("%d documents were learned, want 4", n)
	}
	p.inOrder(p.decided(4), nil)
}

// TestFromEndKeepsItsPlace: with --from end, counting begins where the topic ended when ingest
// started, also if the work on the partition fails before the first record comes.
func TestFromEndKeepsItsPlace(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	p.learn(0, `{"text":"from before","label":"ham"}`)
	ingest := p.startIngest("--from=end")
	fault := refuse(cluster, kmsg.Fetch, p.training)
	ingest.eventually("in trouble", func() (bool, string) {
		_, wrong := ingest.checks()
		return wrong["partition 0"] != "", "/readyz sees nothing wrong"
	})
	p.learn(0, `{"text":"came while the work failed","label":"spam"}`)
	fault.Remove()
	p.learn(0, `{"text":"came later","label":"spam"}`)
	state := p.counted(ingest)
	same(t, "ingest", state, dumpOf(t, []counted{{label: "spam", weight: 1, text: "came while the work failed"}, {label: "spam", weight: 1, text: "came later"}}))
	if now, _ := state.Progress(fold.Source{Topic: p.training}); now.Begin != 1 || now.FromStart {
		t.Errorf("counting began at offset %d, from the start: %v", now.Begin, now.FromStart)
	}
}

// TestAnswerTooLarge: an answer that the labels topic does not take is a dead letter of its
// document; those around it are written, in order.
func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	p.createTopic(p.labels, 1, map[string]string{"max.message.bytes": "3000"})
	p.startIngest()
	p.startClassify("--emit=headers")
	var docs []stream.Record
	want := map[string]wire.Reason{}
	for i := range 40 {
		text := strings.Repeat("some words ", 20)
		if i%13 == 5 {
			text = strings.Repeat("more words ", 400)
			want[p.place(p.documents, 0, int64(i))] = wire.TooLarge
		}
		docs = append(docs, document("key", text, stream.Header{Key: "traceparent", Value: []byte("00-1-2-03")}))
	}
	p.produce(p.documents, 0, docs...)
	if n := p.inOrder(p.decided(len(docs)-len(want)), want); n != 0 {
		t.Errorf("%d answers came twice", n)
	}
	p.deadLetters(want)
}

// TestRefusedCommit: without transactions, an offset that the group does not take is no reason to
// answer again; the next commit says the same and more.
func TestRefusedCommit(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	p.startIngest()
	classify := p.startClassify("--delivery=at-least-once")
	const documents = 40
	fault := refuse(cluster, kmsg.OffsetCommit, p.documents)
	for i := range documents {
		p.produce(p.documents, 0, document("a", "a document"))
		p.decided(i + 1)
		time.Sleep(20 * time.Millisecond)
	}
	if fault.Hits() == 0 {
		t.Fatal("nothing was committed")
	}
	fault.Remove()
	if n := p.inOrder(p.decided(documents), nil); n != 0 {
		t.Errorf("%d answers came twice, though all were written", n)
	}
	classify.stop()
	if n := committed(t, cluster, p); n != documents {
		t.Errorf("the group stands at offset %d of %d", n, documents)
	}
}

// TestRefusedTransactions: a transaction that fails at any of its requests leaves nothing, and
// everything is answered once when the brokers relent.
func TestRefusedTransactions(t *testing.T) {
	t.Parallel()
	for _, key := range []kmsg.Key{kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn, kmsg.TxnOffsetCommit, kmsg.EndTxn} {
		t.Run(key.Name(), func(t *testing.T) {
			t.Parallel()
			p, cluster := private(t, 1)
			p.startIngest()
			fault := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.InvalidRequest, Count: -1})
			classify := p.runClassify()
			p.produce(p.documents, 0, document("a", "a document"), document("b", "another"))
			classify.eventually("refused twice", func() (bool, string) { return fault.Hits() >= 2, "not yet" })
			if got := p.read(p.labels, 0); len(got) != 0 {
				t.Errorf("%d answers are visible though no transaction was committed", len(got))
			}
			fault.Remove()
			if n := p.inOrder(p.decided(2), nil); n != 0 {
				t.Errorf("%d answers came twice", n)
			}
			classify.ready().stop()
			if n := committed(t, cluster, p); n != 2 {
				t.Errorf("the group stands at offset %d of 2", n)
			}
		})
	}
}

// TestNoTransactions: brokers that refuse transactions get decisions at least once, and the
// operator is told.
func TestNoTransactions(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	p.startIngest()
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1})
	p.produce(p.documents, 0, document("a", "a document"))
	classify := p.startClassify()
	p.decided(1)
	if got := classify.metric("bayestream_exactly_once"); got != 0 || !strings.Contains(classify.log.text(), "delivered at least once, not exactly once") {
		t.Errorf("bayestream_exactly_once is %v; the log is\n%s", got, classify.log.text())
	}
	classify.stop()
	if n := committed(t, cluster, p); n != 1 {
		t.Errorf("the group stands at offset %d of 1", n)
	}
}

// committed returns the offset of the group of classify on a cluster of the test's own.
func committed(t *testing.T, cluster *kfake.Cluster, p *pipeline) int64 {
	t.Helper()
	if info := cluster.GroupInfo(p.training + "-classify"); info != nil {
		return info.Commits[p.documents][0].Offset
	}
	return -1
}

// TestOrderOfSplitBatch: of a batch that is too large as a whole the second half waits for the
// first.
func TestOrderOfSplitBatch(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	p.createTopic(p.labels, 1, map[string]string{"max.message.bytes": "3000"})
	p.startIngest()
	p.startClassify("--emit=headers")
	var requests atomic.Int64
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: p.labels, Err: kerr.InvalidRequiredAcks, Count: -1, // the first half: both together were the first request
		When: func(kmsg.Request) bool { return requests.Add(1) == 2 }})
	text := strings.Repeat("some words ", 150)
	p.produce(p.documents, 0, document("a", text), document("b", text))
	p.inOrder(p.decided(2), nil)
	if n := requests.Load(); n < 3 {
		t.Errorf("%d requests to write answers: the batch was not split", n)
	}
}
