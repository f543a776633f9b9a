package fold_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

// tester is the part of testing.TB that rapid's *T has too.
type tester interface {
	storetest.Fataler
	Context() context.Context
}

// follow folds a log to its end, or up to a record that no version knows and no void takes out.
func follow(t tester, s *fold.State, log *storetest.Log, each ...func(fold.Entry, fold.Outcome)) {
	t.Helper()
	err := modellog.Replay(t.Context(), log, "log", s, -1, func(e fold.Entry, o fold.Outcome) {
		for _, f := range each {
			f(e, o)
		}
	})
	var newer *codec.NewerError
	if err != nil && !errors.As(err, &newer) {
		t.Fatalf("replay: %v", err)
	}
}

// scribe appends everything to a log that can stand in it.
type scribe struct {
	t       tester
	draw    storetest.Chance
	spec    *spec.Spec
	log     *storetest.Log
	state   *fold.State
	build   *storetest.Writer
	sources []fold.Source
	records [][]storetest.Record
}

// randomLog returns a log with everything in it: deltas of two partitions that count, repeat, leave
// gaps, come from elsewhere or are broken, specs that change the scoring or repeat, upkeep,
// generations, and controls of every kind, valid and not.
func randomLog(t tester, sp *spec.Spec, draw storetest.Chance) *storetest.Log {
	t.Helper()
	s := &scribe{
		t: t, draw: draw, spec: sp, log: &storetest.Log{}, state: fold.New(true), build: storetest.NewWriter(t, sp),
		sources: []fold.Source{training, {Topic: "training", Partition: 1}},
		records: [][]storetest.Record{storetest.Records(20, draw), storetest.Records(20, draw)},
	}
	if draw(2) == 0 {
		s.build.Gone = func(offset int64) bool { return offset%5 == 3 }
	}
	s.append(codec.EncodeSpec(sp, fold.LogID{7}))
	for range draw(25) {
		switch draw(18) {
		case 16, 17:
			s.imported()
		case 0:
			s.append([]byte("\xff broken"), nil)
		case 1:
			s.respecify()
		case 2, 3:
			s.control()
		case 4:
			s.newer()
		default:
			s.delta(draw(2))
		}
	}
	return s.log
}

func (s *scribe) append(value []byte, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("encode: %v", err)
	}
	s.log.Append(value)
	follow(s.t, s.state, s.log)
}

func (s *scribe) respecify() {
	again := *s.spec
	text := *s.spec.Text
	text.Alpha = float64(1 + s.draw(2))
	again.Text = &text
	if s.draw(3) > 0 && text.Likelihood == spec.Multinomial {
		text.Alpha = spec.Textbook.Alpha
		again.Race = &spec.Race{Share: 32, Candidates: []spec.Candidate{{Likelihood: spec.Multinomial, Alpha: float64(1 + s.draw(2))}, {Likelihood: spec.Multinomial, Alpha: 0.1}}}
	}
	if w := &again.Limits.Window; w.Records > 1 && s.draw(3) == 0 {
		w.Records--
	} else if w.Age.Milliseconds > spec.Day/24 && s.draw(3) == 0 {
		w.Age.Milliseconds -= spec.Day / 24
	}
	s.append(codec.EncodeSpec(&again, fold.LogID{8}))
}

// imported appends a delta of a file, of which many records were scored.
func (s *scribe) imported() {
	src := fold.Import("file")
	p, _ := s.state.Progress(src)
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: p.Watermark, End: p.Watermark + 1}},
		Counting: s.spec.Counting(),
		Log:      s.state.Log(),
		Counts:   model.NewBuilder(s.spec).Delta(),
		Scores:   storetest.Scores(s.state.Race().List(), 5000, s.draw),
	}
	d.BuildOn(s.state.Basis(src))
	s.append(codec.EncodeDelta(d))
}

// delta appends the next delta of a source, as it should be or with something wrong.
func (s *scribe) delta(i int) {
	src := s.sources[i]
	p, _ := s.state.Progress(src)
	if d := s.build.Upkeep(s.t, s.state, src, s.records[i]); d != nil && s.draw(2) == 0 {
		s.append(codec.EncodeDelta(d))
		return
	}
	start := p.Watermark
	end := min(start+1+int64(s.draw(4)), int64(len(s.records[i])))
	if start == end {
		s.regenerate(i)
		return
	}
	d := s.build.Delta(s.t, s.state, src, s.records[i], start, end)
	if s.draw(2) == 0 {
		d.Scores = storetest.Scores(s.state.Race().List(), int(end-start), s.draw)
	}
	kind := s.draw(14)
	switch kind {
	case 5:
		d.Scores = storetest.Scores(race.Of(s.spec), int(end-start), s.draw)
	case 0:
		d.Ranges[0].Start, d.Ranges[0].End = d.Ranges[0].Start+1, d.Ranges[0].End+1
	case 1:
		d.Counting[0] ^= 1
	case 2:
		d.Era++
	case 3:
		d.Spec++
	case 12:
		d.EraCRC++
	case 13:
		d.SpecCRC++
	}
	value, err := codec.EncodeDelta(d)
	s.append(value, err)
	if kind == 4 {
		s.append(value, nil)
	}
}

// regenerate begins the next generation of a source, whose topic has other records.
func (s *scribe) regenerate(i int) {
	src := s.sources[i]
	s.records[i] = storetest.Records(20, s.draw)
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: src, End: 1, Skipped: []fold.Skipped{{Reason: "test"}}}},
		Counting: s.spec.Counting(),
		Log:      s.state.Log(),
		Counts:   model.NewBuilder(s.spec).Delta(),
	}
	d.BuildOn(s.state.Basis(src))
	d.Ranges[0].Generation++
	s.append(codec.EncodeDelta(d))
}

// control appends a control that is in force, one that is not, or one that could be and names other
// records.
func (s *scribe) control() {
	from := int64(s.draw(len(s.log.Records)))
	var build modellog.Build
	switch s.draw(6) {
	case 0:
		build = modellog.Rollback(from, "test")
	case 1:
		build = modellog.Reset("test")
	case 2:
		build = modellog.Rename("ham", "spam", "test")
	case 3:
		build = modellog.Rename("spam", "ham", "test")
	case 4:
		to := min(int64(len(s.log.Records)), from+1+int64(s.draw(3)))
		_, err := modellog.VoidRecords(s.t.Context(), s.log, "log", from, to, "test")
		if err != nil && from > 0 {
			s.t.Fatalf("void: %v", err)
		}
		follow(s.t, s.state, s.log)
		return
	default:
		v := &fold.Void{From: from, To: from + 1, FirstCRC: 1, LastCRC: 1, Recount: s.draw(2) == 0}
		s.append(codec.EncodeControl(&fold.Control{Log: s.state.Log(), Era: s.state.Era() + uint64(s.draw(2)), Void: v}))
		return
	}
	_, err := modellog.Command(s.t.Context(), s.log, "log", s.state, build)
	var refused *modellog.RefusedError
	var newer *codec.NewerError // whose void a later one took out
	if err != nil && !errors.As(err, &refused) && !errors.As(err, &newer) {
		s.t.Fatalf("command: %v", err)
	}
}

// newer appends a record of a later version, and a void that takes it out.
func (s *scribe) newer() {
	offset := s.log.Append([]byte{1 << 3, codec.Format + 1})
	if _, err := modellog.VoidRecords(s.t.Context(), s.log, "log", offset, offset+1, "test"); err != nil {
		s.t.Fatalf("void: %v", err)
	}
	follow(s.t, s.state, s.log)
}

// However a log is folded, record by record as it grows, in one go, with restarts from a file at
// any points, with or without ledgers, the same state comes out.
func TestOneLogOneState(t *testing.T) {
	dir := t.TempDir()
	files := 0
	total := map[fold.Outcome]int{}
	leaders := map[race.Leader]int{}
	check := func(t *rapid.T) {
		draw := chance(t)
		sp := storetest.Spec(t, anyLikelihood(draw), 5+draw(20), 1+draw(6))
		switch draw(8) {
		case 0:
			sp.Limits.Window.Records = int64(1 + draw(5))
		case 1:
			sp.Limits.Window.Age.Milliseconds = int64(1+draw(5)) * spec.Day / 24
		}
		log := randomLog(t, sp, draw)
		live, classify := fold.New(true), fold.New(false)
		files++
		file := newFiled(t, filepath.Join(dir, strconv.Itoa(files)), draw)
		for n := range log.Records {
			prefix := &storetest.Log{Records: log.Records[:n+1]}
			follow(t, live, prefix)
			follow(t, classify, prefix)
			file.follow(prefix)
			leaders[live.Race().Leader()]++
			if stands(live, prefix) {
				continue
			}
			mustEqualState(t, "without ledgers", storetest.Counts(t, classify), storetest.Counts(t, live))
			mustEqualState(t, "with restarts", storetest.Dump(t, file.state), storetest.Dump(t, live))
			if draw(4) > 0 && n < len(log.Records)-1 {
				continue
			}
			fresh := fold.New(true)
			follow(t, fresh, prefix)
			mustEqualState(t, "in one go", storetest.Dump(t, fresh), storetest.Dump(t, live))
		}
		if live.Model() != nil {
			modeltest.CheckTables(t, live.Model())
		}
		if !stands(live, log) {
			mustHaveDigests(t, file.state, live, true)
			mustHaveDigests(t, classify, live, false)
		}
		file.close()
		last := map[int64]fold.Outcome{} // by offset: those of records that are folded again count once
		each := func(e fold.Entry, o fold.Outcome) { last[e.Offset] = o }
		follow(t, fold.New(false), log, each)
		for _, o := range last {
			total[o]++
		}
	}
	isTested := func() bool { // what is drawn at random may lack something once
		return len(leaders) > 1 && !slices.ContainsFunc(fold.Outcomes, func(o fold.Outcome) bool { return total[o] == 0 })
	}
	for range 5 {
		rapid.Check(t, check)
		if t.Failed() || isTested() {
			break
		}
	}
	t.Logf("%v, %d leaders", total, len(leaders))
	if len(leaders) < 2 {
		t.Errorf("the leaders are %v: the test does not test the race", leaders)
	}
	for _, o := range fold.Outcomes {
		if total[o] == 0 {
			t.Errorf("no record is %s: the test does not test it", o)
		}
	}
}

// stands reports whether a state does not come to the end of a log: before a record of a later
// version, whose void a rollback took out. Which controls behind that record it knows depends on
// where it came from, and so do its counts, which no worker then serves.
func stands(s *fold.State, log *storetest.Log) bool { return s.Next() < int64(len(log.Records)) }

func mustEqualState(t storetest.Fataler, how, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%s:\n%s\nrecord by record:\n%s", how, got, want)
	}
}

// filed is a state that is written to a file now and then, and loaded from it again.
type filed struct {
	t     tester
	draw  storetest.Chance
	path  string
	store *store.Store
	state *fold.State
}

func newFiled(t tester, path string, draw storetest.Chance) *filed {
	f := &filed{t: t, draw: draw, path: path, state: fold.New(true)}
	f.open()
	return f
}

func (f *filed) open() {
	f.t.Helper()
	s, err := store.Open(f.path, time.Second)
	if err != nil {
		f.t.Fatalf("open: %v", err)
	}
	f.store = s
}

// follow folds a log to its end, with checkpoints, and restarts that lose what came after the last
// one.
func (f *filed) follow(log *storetest.Log) {
	f.t.Helper()
	follow(f.t, f.state, log)
	switch f.draw(6) {
	case 0:
		f.checkpoint()
	case 1:
		f.store = storetest.Reopen(f.t, f.store)
		state, err := f.store.Load()
		if err != nil {
			f.t.Fatalf("load: %v", err)
		}
		if state == nil {
			state = fold.New(true)
		}
		f.state = state
		follow(f.t, f.state, log)
	}
}

// checkpoint writes the state to the file, or to a new one if it started over since.
func (f *filed) checkpoint() {
	f.t.Helper()
	if stored, err := f.store.Load(); err != nil {
		f.t.Fatalf("load: %v", err)
	} else if stored != nil && f.state.Checkpoint().Since < 0 {
		if err := f.store.Close(); err != nil {
			f.t.Fatalf("close: %v", err)
		}
		f.path += "+"
		f.open()
	}
	storetest.Checkpoint(f.t, f.store, f.state)
}

// close checks the file.
func (f *filed) close() {
	f.t.Helper()
	f.checkpoint()
	mustEqualState(f.t, "in the file", storetest.Dump(f.t, storetest.Load(f.t, f.store)), storetest.Dump(f.t, f.state))
	if err := f.store.Check(); err != nil {
		f.t.Fatalf("check: %v", err)
	}
	if err := f.store.Close(); err != nil {
		f.t.Fatalf("close: %v", err)
	}
}

// mustHaveDigests compares the digests of two states, those of the ledgers too if both have them.
func mustHaveDigests(t storetest.Fataler, got, want *fold.State, ledgers bool) {
	t.Helper()
	counts, entries := got.Digests()
	wantCounts, wantEntries := want.Digests()
	if counts != wantCounts || ledgers && entries != wantEntries {
		t.Fatalf("digests %s of the counts and %s of the ledgers, want %s and %s", counts, entries, wantCounts, wantEntries)
	}
}
