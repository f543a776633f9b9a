package classify

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/wire"
)

const recentBytes = 4 << 20 // the share of recent decisions

// found returns the decision that is kept on the document of an id, "" for none.
func found(a *recentOfAll, id string) string {
	json, ok := a.find(id)
	if ok != (len(json) > 0) {
		return fmt.Sprintf("%v with %q", ok, json)
	}
	return string(json)
}

// The newest decisions are kept, in a bounded memory, and of two on one id the newer one is found.
func TestRecent(t *testing.T) {
	a := newRecentOfAll("documents", budget.New(recentBytes*8))
	var l recentHalf
	pad := strings.Repeat("x", 1000)
	decision := func(id string, n int) string { return fmt.Sprintf(`{"id":%q,"n":%d,"pad":%q}`, id, n, pad) }
	const n = 10_000
	for i := range n {
		l.add(i%3, int64(i), []byte(decision(fmt.Sprint("d", i), i)))
		if i%7 == 0 {
			a.publish(&l)
		}
	}
	l.add(1, n, []byte(decision("d9000", n)))
	l.add(1, n+1, bytes.Repeat([]byte("x"), recentBytes)) // too large
	if got := found(a, "d9999"); got != "" {
		t.Errorf("before it is visible: %q", got)
	}
	a.publish(&l)
	a.publish(&l)
	for id, want := range map[string]string{
		"d9999": decision("d9999", 9999), "d8000": decision("d8000", 8000), "d9000": decision("d9000", n), "d0": "", "d": "", "d10000": "",
		"documents/2/9998": decision("d9998", 9998), "documents/1/9998": "", "others/2/9998": "", "documents/1/10001": "",
	} {
		if got := found(a, id); got != want {
			t.Errorf("%s: got %.60q, want %.60q", id, got, want)
		}
	}
	if size := cap(a.halves[0].bytes) + cap(a.halves[1].bytes); size > 2*recentBytes {
		t.Errorf("%d bytes are kept", size)
	}
}

// A decision can be asked for once readers of the labels topic see it, as the JSON of --emit=event
// in every mode.
func TestLoopKeepsDecisions(t *testing.T) {
	for _, emit := range []string{wire.EmitEvent, wire.EmitHeaders, wire.EmitEnrich, wire.EmitCloudEvents} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(c *config.Classify) {
				c.Emit = emit
				c.CommitEach = 5 * time.Second
			})
			l.recent = newRecentOfAll("documents", budget.New(recentBytes*8))
			defer l.end()
			l.model("m", "a")
			l.append("documents", []byte(`{"id":"q \"7\"","text":"word"}`), nil, []byte(`{"id":7}`), []byte(`{"text":"word"}`))
			l.classify(-1)
			time.Sleep(time.Second)
			synctest.Wait()
			if got := found(l.recent, `q "7"`); got != "" {
				t.Errorf("%s: before the commit: %s", emit, got)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			for id, offset := range map[string]int64{`q "7"`: 0, "documents/0/0": 0, "documents/0/3": 3} {
				d, err := wire.ParseDecision([]byte(found(l.recent, id)))
				if err != nil || d.Decision.Label != "a" || d.Source != (wire.Source{Topic: "documents", Offset: offset}) {
					t.Errorf("%s: %s: %+v, %v", emit, id, d, err)
				}
			}
			for _, id := range []string{"documents/0/1", "documents/0/2", "7", ""} {
				if got := found(l.recent, id); got != "" {
					t.Errorf("%s: %s: %s", emit, id, got)
				}
			}
		})
	}
}
