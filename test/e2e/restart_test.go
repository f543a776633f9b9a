package e2e

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
)

// TestRestartGoesOnFromCheckpoint: a start reads the model file and folds what came after it, not
// the log from its start.
func TestRestartGoesOnFromCheckpoint(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	p.rounds(ingest, 6, "ham")
	next := p.counted(ingest).Next()
	classify.folded(next)
	classify.stop()
	p.rounds(ingest, 2, "spam")
	ingest.stop()
	ingest, classify = p.startIngest(), p.startClassify()
	dump, _ := p.recount()
	same(t, "ingest", ingest.must(), dump)
	same(t, "classify", classify.must(), dump)
	if n := ingest.metric(`bayestream_folded_entries_total{outcome="accepted"}`); n != 0 {
		t.Errorf("ingest folded %v deltas again", n)
	}
	// those that came while it was down
	classify.wantMetric(`bayestream_folded_entries_total{outcome="accepted"}`, float64(ingest.must().Next()-next))
}

// TestDamagedModelFile flips bits in the model files, cuts one short and puts other files in their
// place: each is moved aside, and the counts are folded again from the log.
func TestDamagedModelFile(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest()
	p.rounds(ingest, 3, "ham")
	next := p.counted(ingest).Next()
	p.startClassify().stop()
	dump, _ := p.recount()
	for i, damage := range []func([]byte) []byte{
		// wherever the row or an older copy of it stands
		func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("number2"), []byte("numbex2")) },
		// cut off behind what bbolt begins with
		func(b []byte) []byte { return b[:3*os.Getpagesize()] },
		func([]byte) []byte { return []byte("this is no model file") },
		func([]byte) []byte { return nil },
	} {
		ingest.stop()
		for _, name := range []string{"ingest", "classify"} {
			path := filepath.Join(p.dir, name+".db")
			b := filetest.Read(t, path)
			p.file(name+".db", string(damage(b)))
		}
		ingest = p.startIngest()
		classify := p.startClassify()
		same(t, "ingest", ingest.folded(next), dump)
		same(t, "classify", classify.folded(next), dump)
		classify.stop()
		for _, name := range []string{"ingest", "classify"} {
			aside, err := filepath.Glob(filepath.Join(p.dir, name+".db.unusable-*"))
			if err != nil || len(aside) != i+1 && i < 3 { // an empty file is a new one, and not worth keeping
				t.Errorf("damage %d: %d files of %s are aside, want %d", i, len(aside), name, i+1)
			}
		}
		if i < 3 && !strings.Contains(ingest.log.text(), "was moved aside") {
			t.Errorf("damage %d: ingest says nothing about its file", i)
		}
	}
	p.rounds(ingest, 1, "spam")
	dump, _ = p.recount()
	same(t, "ingest", p.counted(ingest), dump)
}

// TestBootstrap starts workers from snapshots: over HTTP and from a file, and ingest not from that
// of classify, which lacks the ledger.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	p.rounds(ingest, 3, "ham")
	next := p.counted(ingest).Next()
	classify.folded(next)
	_, body := ingest.get("/v1/snapshot")
	file := p.file("snapshot", string(body))
	fresh := func(name string) string { return "--state=" + filepath.Join(p.dir, name, "model.db") }
	url := func(r *running) string { return "--bootstrap=http://" + r.log.address() + "/v1/snapshot" }

	p.runIngest(fresh("refused"), url(classify), "--group=refused").failure("no ledger", "take the snapshot of an ingest worker")
	if left, _ := filepath.Glob(filepath.Join(p.dir, "refused", "*")); len(left) > 0 {
		t.Errorf("a refused snapshot leaves %v", left)
	}
	p.runClassify(fresh("nowhere"), "--bootstrap=http://127.0.0.1:1/v1/snapshot").failure("bootstrap", "127.0.0.1:1")
	p.runClassify(fresh("wrong"), "--bootstrap=http://"+ingest.log.address()+"/v1/nothing").failure("bootstrap", "404")
	p.runClassify(fresh("damaged"), "--bootstrap="+p.file("half", string(body[:len(body)/2]))).failure("bootstrap", "damaged")

	for i, from := range []string{url(ingest), "--bootstrap=" + file, url(classify)} {
		second := p.startClassify(fresh("classify"+string(rune('a'+i))), from, "--group="+p.training+"-second")
		if n := second.metric(`bayestream_folded_entries_total{outcome="accepted"}`); n != 0 {
			t.Errorf("%s: %v deltas were folded that the snapshot has", from, n)
		}
		dump, _ := p.recount()
		same(t, "classify from "+from, second.must(), dump)
		second.stop()
	}

	p.rounds(ingest, 1, "spam")
	ingest.stop()
	ingest = p.startIngest(fresh("ingest"), "--bootstrap="+file)
	ingest.wantMetric(`bayestream_folded_entries_total{outcome="accepted"}`, 1) // the one that came after the snapshot
	p.learn(0, `{"id":"ham-0","label":null}`, `{"id":"spam-0","label":null}`)   // the ledger came along
	dump, _ := p.recount()
	same(t, "ingest", p.counted(ingest), dump)
}

// TestSnapshot downloads the model of both workers while they learn: each is whole, and says
// whether the ledger is in it.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest, classify := p.startIngest(), p.startClassify()
	for i := range 5 {
		p.rounds(ingest, 1, []string{"ham", "spam"}[i%2])
		for r, ledger := range map[*running]string{ingest: "true", classify: "false"} {
			resp, err := http.Get("http://" + r.log.address() + "/v1/snapshot")
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Header.Get("Bayestream-Ledger"); got != ledger {
				t.Errorf("%s: ledger %q, want %s", r.name, got, ledger)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Error(err)
			}
			_ = resp.Body.Close()
			if state := r.must(); state.KeepsLedger() != (ledger == "true") {
				t.Errorf("%s: the state keeps ledgers: %v", r.name, state.KeepsLedger())
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(p.dir, "*.snapshot-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("copies are left behind: %v, %v", left, err)
	}
}

// TestCutLog cuts the model log behind a snapshot. New workers, and one that was away meanwhile,
// come up from it, equal to those that ran all the time; without it, or with one that is too old,
// they stop and say why.
func TestCutLog(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest()
	p.rounds(ingest, 2, "ham")
	fresh := func(name string) string { return "--state=" + filepath.Join(p.dir, name, "model.db") }
	group := func(name string) string { return "--group=" + p.training + "-" + name }
	shelf := filepath.Join(p.dir, "snapshots")
	if err := os.Mkdir(shelf, 0o700); err != nil {
		t.Fatal(err)
	}
	from := "--bootstrap=" + shelf
	away := p.startClassify(fresh("away"), group("away"), from) // the folder is empty still
	away.stop()
	first := p.shelve(ingest, shelf)
	p.rounds(ingest, 2, "spam")
	next := p.counted(ingest).Next()
	kafkatest.DeleteRecords(t, p.model, 0, next)
	p.rounds(ingest, 1, "eggs")
	p.runClassify(fresh("late"), group("late"), from).failure("starts at offset", "take a newer one")
	if second := p.shelve(ingest, shelf); second <= first {
		t.Errorf("the second snapshot leads to offset %d, the first to %d", second, first)
	}
	kafkatest.DeleteRecords(t, p.model, 0, p.counted(ingest).Next())
	p.rounds(ingest, 1, "tea")

	dump, _ := p.recount()
	next = p.counted(ingest).Next()
	for _, r := range []*running{
		p.startClassify(fresh("new"), group("new"), from), p.startClassify(fresh("away"), group("away"), from), p.startIngest(fresh("second"), from),
	} {
		same(t, r.name, r.folded(next), dump)
		r.stop()
	}
	p.runClassify(fresh("none"), group("none")).failure("starts at offset", "--bootstrap")
}

// shelve puts a snapshot of a worker on a shelf, and returns the offset of the model log that is
// folded after it.
func (p *pipeline) shelve(r *running, folder string) int64 {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "model.db")
	state, err := store.Fetch(p.t.Context(), "http://"+r.log.address()+"/v1/snapshot", path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	inside := filepath.Join(folder, "incoming")
	if err := os.Rename(path, inside); err != nil {
		p.t.Fatal(err)
	}
	if _, err := store.Shelf(folder).Put(inside, state.Next(), 1); err != nil {
		p.t.Fatal(err)
	}
	return state.Next()
}
