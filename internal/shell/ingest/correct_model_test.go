package ingest

import (
	"fmt"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
)

// What a document has corrected moves with a rename, and is taken out with it: when it is forgotten,
// replaced or relabelled.
func TestForgetTakesOutCorrections(t *testing.T) {
	for _, text := range []string{"{corrections: true}", "{corrections: true, characters: true}"} {
		t.Run(text, func(t *testing.T) {
			forgetTakesOut(t, withSpec(t, "text: "+text+"\nlimits: {terms_per_document: 4000}"))
		})
	}
}

func forgetTakesOut(t *testing.T, configure func(*config.Ingest)) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, configure)
		defer l.end()
		for i := range 6 {
			l.train(fmt.Sprintf(`{"label":%q,"text":"ball%d goal"}`, []string{"a", "b"}[i%2], i%2))
		}
		l.learn()
		l.wantCounted(6, 6)
		l.train(`{"id":"x","label":"b","text":"ball0 goal"}`, `{"id":"y","label":"a","weight":3,"text":"ball1 goal"}`)
		l.wantCounted(8, 10)
		corrected := func() (n int64, ahead map[string]string) {
			ahead = map[string]string{}
			l.replica.Read(func(s *fold.State) {
				n = s.Model().Corrections().Classes.Total()
				for c := range s.Ledger(fold.Source{Topic: "training"}).All() {
					ahead[c.ID] = c.Put.Ahead
				}
			})
			return n, ahead
		}
		before, ahead := corrected()
		if before == 0 || ahead["x"] != "a" && ahead["y"] != "b" {
			t.Fatalf("%d corrections; the ledger says %v", before, ahead)
		}
		l.train(`{"id":"x","label":null}`, `{"id":"y","label":null}`)
		l.wantCounted(10, 6)
		after, _ := corrected()
		byX, byY := int64(0), int64(0)
		if ahead["x"] != "" {
			byX = 2
		}
		if ahead["y"] != "" {
			byY = 6
		}
		if after != before-byX-byY {
			t.Errorf("%d corrections, then %d: x had %d of them and y %d", before, after, byX, byY)
		}
	})
}
