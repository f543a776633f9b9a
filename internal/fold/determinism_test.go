package fold_test

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/spec"
	"bayestream/internal/store"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

// randomLog returns the values of a log with everything in it: deltas of two partitions that count,
// repeat, leave gaps, come from elsewhere or are broken, and specs that change the scoring or repeat.
func randomLog(t storetest.Fataler, sp *spec.Spec, draw storetest.Chance) [][]byte {
	t.Helper()
	var log [][]byte
	s := fold.New(true)
	add := func(value []byte, err error) {
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		log = append(log, value)
		foldValue(t, s, value)
	}
	add(codec.EncodeSpec(sp, fold.LogID{7}))
	w := storetest.NewWriter(t, sp)
	sources := []fold.Source{training, {Topic: "training", Partition: 1}}
	records := [][]storetest.Record{storetest.Records(20, draw), storetest.Records(20, draw)}
	for range draw(25) {
		i := draw(2)
		p, _ := s.Progress(sources[i])
		start := p.Watermark
		end := min(start+1+int64(draw(4)), int64(len(records[i])))
		switch kind := draw(12); {
		case kind == 0:
			log = append(log, []byte("\xff broken"))
			foldValue(t, s, log[len(log)-1])
		case kind == 1:
			again := *sp
			text := *sp.Text
			text.Alpha = float64(1 + draw(2))
			again.Text = &text
			add(codec.EncodeSpec(&again, fold.LogID{8}))
		case start == int64(len(records[i])):
		default:
			d := w.Delta(t, s, sources[i], records[i], start, end, storetest.Pending{})
			switch kind {
			case 2:
				d.Start, d.End = d.Start+1, d.End+1
			case 3:
				d.Counting[0] ^= 1
			}
			value, err := codec.EncodeDelta(d)
			add(value, err)
			if kind == 4 {
				add(value, nil)
			}
		}
	}
	return log
}

// However a log is folded, in one go, or with restarts from a file at any points, with or without
// ledgers, the same state comes out.
func TestOneLogOneState(t *testing.T) {
	bothLikelihoods(t, func(t *testing.T, likelihood string) {
		dir, files := t.TempDir(), 0
		rapid.Check(t, func(t *rapid.T) {
			draw := chance(t)
			s := storetest.Spec(t, likelihood, 5+draw(20), 1+draw(6))
			log := randomLog(t, s, draw)
			straight, classify := fold.New(true), fold.New(false)
			var outcomes []fold.Outcome
			for _, value := range log {
				a, b := foldValue(t, straight, value), foldValue(t, classify, value)
				if a != b {
					t.Fatalf("outcome %q with ledgers, %q without", a, b)
				}
				outcomes = append(outcomes, a)
			}
			want := storetest.Dump(t, straight)
			if got, counts := storetest.Counts(t, classify), storetest.Counts(t, straight); got != counts {
				t.Fatalf("without ledgers:\n%s\nwith them:\n%s", got, counts)
			}
			files++
			path := filepath.Join(dir, strconv.Itoa(files))
			if got := storetest.Dump(t, throughFile(t, path, log, outcomes, draw)); got != want {
				t.Fatalf("with restarts:\n%s\nwithout:\n%s", got, want)
			}
		})
	})
}

// throughFile folds a log with checkpoints, and restarts that lose what came after the last one.
func throughFile(t storetest.Fataler, path string, log [][]byte, outcomes []fold.Outcome, draw storetest.Chance) *fold.State {
	t.Helper()
	s, err := store.Open(path, time.Second)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	state := fold.New(true)
	for state.Next() < int64(len(log)) {
		at := state.Next()
		if got := foldValue(t, state, log[at]); got != outcomes[at] {
			t.Fatalf("offset %d after a restart: outcome %q, without one %q", at, got, outcomes[at])
		}
		switch draw(6) {
		case 0:
			storetest.Checkpoint(t, s, state)
		case 1:
			s = storetest.Reopen(t, s)
			if state, err = s.Load(); err != nil {
				t.Fatalf("load: %v", err)
			}
			if state == nil {
				state = fold.New(true)
			}
		}
	}
	storetest.Checkpoint(t, s, state)
	state = storetest.Load(t, s)
	if err := s.Check(); err != nil {
		t.Fatalf("check: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	return state
}
