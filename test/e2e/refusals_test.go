package e2e

import (
	"net/http"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestRightsTakenAway: each right that is taken away from a running worker makes it wait, and say
// which it is. It goes on when the right is given back: everything is counted and answered once.
func TestRightsTakenAway(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	topic := kerr.TopicAuthorizationFailed
	read := []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets}
	produce := []kmsg.Key{kmsg.Produce}
	transactional := []kmsg.Key{kmsg.AddPartitionsToTxn, kmsg.Produce}
	ofGroup := func(name string) kfake.Fault {
		return kfake.Fault{Group: p.training + "-" + name, Err: kerr.GroupAuthorizationFailed}
	}
	rounds := 0
	dead := map[string]wire.Reason{}
	for _, c := range []struct {
		worker *running
		taken  kfake.Fault
		says   string // a check of /readyz
	}{
		{ingest, kfake.Fault{Topic: p.model, Err: topic}, `on Topic "` + p.model + `"`},
		{classify, kfake.Fault{Topic: p.model, Err: topic}, `on Topic "` + p.model + `"`},
		{ingest, kfake.Fault{Topic: p.model, Keys: produce, Err: topic}, `Write on Topic "` + p.model + `"`},
		{ingest, kfake.Fault{Topic: p.training, Keys: read, Err: topic}, `on Topic "` + p.training + `"`},
		{ingest, kfake.Fault{Topic: p.dead, Keys: produce, Err: topic}, `Write on Topic "` + p.dead + `"`},
		{ingest, ofGroup("ingest"), `Read on Group "` + p.training + `-ingest"`},
		{classify, kfake.Fault{Topic: p.documents, Keys: read, Err: topic}, `on Topic "` + p.documents + `"`},
		{classify, kfake.Fault{Topic: p.labels, Keys: transactional, Err: topic}, `Write on Topic "` + p.labels + `"`},
		{classify, kfake.Fault{Topic: p.dead, Keys: transactional, Err: topic}, `Write on Topic "` + p.dead + `"`},
		{classify, ofGroup("classify"), `Read on Group "` + p.training + `-classify"`},
		{classify, kfake.Fault{TxnID: p.training + "-classify/" + p.documents + "/0", Err: kerr.TransactionalIDAuthorizationFailed}, "on TransactionalId"},
	} {
		c.taken.Count = -1
		fault := cluster.Fault(c.taken)
		p.learn(0, `{"text":"a record of each round","label":"ham"}`, `bad`)
		at := p.produce(p.documents, 0, document("a", "a document of each round"), stream.Record{Value: []byte("bad")})
		dead[p.place(p.documents, 0, at+1)] = wire.NotJSON
		rounds++
		c.worker.eventually("refused: "+c.says, func() (bool, string) {
			status, wrong := c.worker.checks()
			for _, detail := range wrong {
				if strings.Contains(detail, c.says) && strings.Contains(detail, "add an ACL") {
					return status == http.StatusServiceUnavailable, "ready"
				}
			}
			_, body := c.worker.get("/readyz")
			return false, string(body)
		})
		fault.Remove()
		ingest.ready()
		classify.ready()
	}
	if n := p.counted(ingest).Model().Classes().Total(); n != int64(rounds) {
		t.Errorf("%d documents were learned, want %d", n, rounds)
	}
	if n := p.inOrder(p.decided(rounds), dead); n != 0 {
		t.Errorf("%d answers came twice", n)
	}
	if got := classify.metric("bayestream_exactly_once"); got != 1 {
		t.Error("decisions are not delivered exactly once any more")
	}
}
