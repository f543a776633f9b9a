package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/recount"
)

// sample1 is what a process held at some moment.
type sample1 struct {
	process string
	held
}

// held is what a replica holds.
type held struct {
	next   int64
	anchor fold.Anchor
	ledger bool
	dump   string
}

// sample notes what a process holds.
func (w *world) sample(p *process) {
	p.replica.Read(func(s *fold.State) {
		if s.Model() != nil {
			w.samples = append(w.samples, sample1{p.name, held{s.Next(), s.Anchor(), s.KeepsLedger(), describe(s)}})
		}
	})
}

// describe returns a state in the words of the recount.
func describe(s *fold.State) string {
	var out strings.Builder
	m := s.Model()
	if m == nil {
		return ""
	}
	lines := slices.DeleteFunc(strings.SplitAfter(modeltest.Dump(m), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "numbers ") || strings.HasPrefix(l, "correct") // who corrects is data: see checkCorrections
	})
	out.WriteString(strings.Join(lines, ""))
	var numbers []string
	for _, c := range m.Classes().Live() {
		if n := m.Numbers(0).Sums(c); n != nil && n.N[0] != 0 {
			numbers = append(numbers, fmt.Sprintf("number %q %d %v %v\n", m.Classes().Name(c), n.N[0], n.Sum[0].Big(), n.Products[0].Big()))
		}
	}
	slices.Sort(numbers)
	out.WriteString(strings.Join(numbers, ""))
	describeRace(&out, s.Race())
	for _, src := range s.Sources() {
		g, _ := s.Progress(src)
		fmt.Fprintf(&out, "source %s/%d %d from %d %v skipped %d lost %d\n", src.Topic, src.Partition, g.Watermark, g.Begin, g.FromStart, g.Skipped, g.Lost)
		l := s.Ledger(src)
		if l == nil {
			continue
		}
		for c := range l.All() {
			fmt.Fprintf(&out, "ledger %s/%d %d %q %q by %q %d %s/%d/%d owed %v gone %v\n", src.Topic, src.Partition, c.Offset, c.ID, c.Put.Label, c.Put.By, c.Put.Weight,
				c.Put.Topic, c.Put.Partition, c.Put.Offset, c.Put.Owed, c.Put.Gone)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Teachers())) {
		t := s.Teachers()[name]
		fmt.Fprintf(&out, "teacher %s %d %d %d\n", name, t.Labels, t.Agreed, t.Corrected)
	}
	return out.String()
}

// describeRace writes what was scored, and what leads, in the words of the recount.
func describeRace(out *strings.Builder, r *race.State) {
	s := r.Sums()
	confidence := func(h *race.Histogram) string {
		var records, right, sum []int64
		for i := range h {
			records = append(records, h[i].Records)
			right = append(right, h[i].Right)
			sum = append(sum, h[i].Sum)
		}
		return recount.Digest(slices.Concat(records, right, sum))
	}
	leader, temper := slices.Index(r.List().Racing(), r.Leader().Candidate), slices.Index(race.Tempers(), r.Leader().Temper)
	fmt.Fprintf(out, "scored %d errors %d loss %d leader %d temper %d confidence %s\n", s.Scored, s.Decided.Errors, s.Decided.Loss, leader, temper,
		confidence(&s.Decided.Confidence))
	if s.Scored == 0 {
		return
	}
	for i := range s.By {
		fmt.Fprintf(out, "candidate %d errors %d cost %d loss %s confidence %s\n", i, s.By[i].Errors, s.By[i].Cost, recount.Digest(s.By[i].Loss), confidence(&s.By[i].Confidence))
	}
}

// finish ends all trouble, and waits until everything is counted everywhere.
func (w *world) finish() {
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
	w.trace("calm")
	if w.o.OnChange == "stop" && w.recount().Generations > 0 {
		w.fail("a generation has begun, and nobody has decided so")
	}
	for partition := range partitions {
		value, r := map[string]any{"label": "ham", "team": "ham", "text": "goal"}, &recount.Record{Label: "ham", Weight: 1, Document: recount.Document{Words: []string{"goal"}}}
		w.append(w.training(partition), value, r)
	}
	w.late.Wait()
	w.commands.Wait()
	time.Sleep(time.Second)
	for _, p := range slices.Clone(w.processes) {
		p.pause(0)
		if p.isDead() {
			w.restart(p)
		}
	}
	w.decide()
	w.settle()
	w.wait()
	w.sweep()
}

// wait waits until everything is counted everywhere.
func (w *world) wait() {
	for range 300 {
		time.Sleep(time.Second)
		if w.isDone() {
			w.trace("done")
			return
		}
		for _, p := range slices.Clone(w.processes) {
			if p.isDead() { // its state was behind the head of the log
				w.restart(p)
			}
		}
		w.settle()
	}
	w.fail("five minutes after the last fault not everything is counted: %s", w.progress())
}

// decide has somebody look at a training topic that is another one, and start the workers again so
// that they count it.
func (w *world) decide() {
	if !w.o.Replace || w.o.OnChange != "stop" {
		return
	}
	w.o.OnChange = "continue"
	for _, p := range slices.Clone(w.processes) {
		if p.ledger {
			p.kill()
			w.restart(p)
		}
	}
}

// settle gives all partitions to the first process that learns.
func (w *world) settle() {
	first := slices.IndexFunc(w.processes, func(p *process) bool { return p.ledger })
	for partition := range partitions {
		for i, p := range w.processes {
			p.own(partition, i == first)
		}
	}
}

func (w *world) isDone() bool {
	_, end, _ := w.memory.Offsets(w.t.Context(), "model", 0) // it has one
	for _, p := range w.processes {
		done := !p.isDead()
		p.replica.Read(func(s *fold.State) {
			done = done && s.Next() == end
			for partition := range partitions {
				source := fold.Source{Topic: "training", Partition: int32(partition)}
				g, _ := s.Progress(source)
				if l := s.Ledger(source); l != nil {
					for range l.Owed() {
						done = false
					}
				}
				s := w.training(partition)
				w.change(func(t *recount.Topics) {
					done = done && g.Watermark == t.Ends[s] && t.IDs[string(g.Anchor.TopicID[:])] == s.Made
				})
			}
		})
		if !done {
			return false
		}
	}
	return true
}

func (w *world) progress() string {
	var out []string
	for _, p := range w.processes {
		p.replica.Read(func(s *fold.State) {
			out = append(out, fmt.Sprintf("%s (dead %v) at %d, %v", p.name, p.isDead(), s.Next(), s.Checkpoint().Progress))
		})
	}
	return strings.Join(out, "; ")
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: %s", w.seed, fmt.Sprintf(format, args...))
}

// log returns the model log as it is, from its first record on.
func (w *world) log() []stream.Record { return slices.Concat(w.head, w.memory.Records("model", 0)) }

// recount counts the model log again.
func (w *world) recount() *recount.Log {
	entries := w.entries(w.log())
	w.mu.Lock()
	defer w.mu.Unlock()
	l, err := recount.Count(w.o.Rules, w.produced, entries)
	if err != nil {
		w.fail("%v", err)
	}
	return l
}

// voids returns the voids that are in force in a model log.
func (w *world) voids(entries []*recount.Entry) recount.Voids {
	w.mu.Lock()
	defer w.mu.Unlock()
	voids, err := recount.Known(w.o.Rules, w.produced, entries)
	if err != nil {
		w.fail("%v", err)
	}
	return voids
}

// advance counts the records of a model log on.
func (w *world) advance(l *recount.Log, entries []*recount.Entry) *recount.Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at := l.Next(); at < int64(len(entries)); at++ {
		if err := l.Fold(entries[at]); err != nil {
			w.fail("offset %d of the model log: %v", at, err)
		}
	}
	return l
}

// entries returns the records of a model log as the recount has them.
func (w *world) entries(records []stream.Record) []*recount.Entry {
	entries := make([]*recount.Entry, len(records))
	for i := range records {
		entries[i] = w.reader.Read(records[i].Value)
	}
	return entries
}

// check compares every replica with the recount, and the dead letters, and what was seen on the
// way.
func (w *world) check() {
	if w.t.Failed() {
		return
	}
	want := w.recount()
	for _, p := range w.processes {
		p.replica.Read(func(s *fold.State) {
			w.compare(p.name, describe(s), want.Dump(s.KeepsLedger()))
			r := s.Race()
			if r.Sums().Scored >= race.Enough {
				w.count("leaders")
			}
			if r.Calibration(r.Leader()) != nil {
				w.count("calibrations")
			}
		})
	}
	if w.snapshot == "" && w.seed%2 == 0 { // most schedules have a process that has started over
		again := fold.New(true)
		if err := modellog.Replay(w.t.Context(), w.memory, "model", again, -1, nil); err != nil {
			w.fail("replay: %v", err)
		}
		w.compare("a replay", describe(again), want.Dump(true))
		w.checkTaught(want)
	}
	if w.o.Rules.Window+int(w.o.Rules.Age) > 0 && want.Generations == 0 && !want.Crossed {
		w.compare("a model with windows, of the windows alone,", want.Counts(), want.Alone())
	}
	if w.o.Corrects {
		w.checkCorrections(want)
	}
	w.checkDead(want)
	w.checkSamples()
	w.addRecount(want)
}

// checkTaught compares what a name has taught, by the log, with the recount.
func (w *world) checkTaught(want *recount.Log) {
	for _, name := range simulatedNames {
		taught, err := modellog.TaughtBy(w.t.Context(), w.memory, "model", fold.New(true), name)
		if err != nil {
			w.fail("what %s taught: %v", name, err)
		}
		var got, meant []recount.Taught
		for _, x := range taught {
			got = append(got, recount.Taught{Topic: x.Source.Topic, Partition: x.Source.Partition, Offset: x.Record, ID: x.ID, Label: x.Label, By: name})
		}
		for _, x := range want.Taught {
			if x.By == name {
				meant = append(meant, x)
			}
		}
		w.compare("what "+name+" taught", fmt.Sprint(got), fmt.Sprint(meant))
	}
}

// checkCorrections compares the corrections of all replicas with those of a replay, and those of a
// model with windows with what the documents of its ledgers correct.
func (w *world) checkCorrections(l *recount.Log) {
	want := ""
	if w.snapshot == "" {
		again := fold.New(true)
		if err := modellog.Replay(w.t.Context(), w.memory, "model", again, -1, nil); err != nil {
			w.fail("replay: %v", err)
		}
		want = correctionsOf(again)
	}
	for _, p := range w.processes {
		p.replica.Read(func(s *fold.State) {
			got := correctionsOf(s)
			if want == "" {
				want = got
			}
			w.compare("corrections: "+p.name, got, want)
			if w.o.Rules.Window+int(w.o.Rules.Age) > 0 && l.Generations == 0 && !l.Crossed && s.KeepsLedger() {
				w.compare("corrections: the ledgers of "+p.name, w.correctionsIn(s), got)
			}
		})
	}
	w.count("models with corrections")
}

// correctionsOf returns the corrections of a state.
func correctionsOf(s *fold.State) string {
	if s.Model() == nil {
		return ""
	}
	return onlyCorrections(modeltest.Dump(s.Model()))
}

func onlyCorrections(dump string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(dump, "\n"), func(l string) bool { return !strings.HasPrefix(l, "correct") })
	return strings.Join(lines, "")
}

// correctionsIn returns what the documents of all ledgers correct.
func (w *world) correctionsIn(s *fold.State) string {
	counts := recount.NewCounts(1)
	for _, src := range s.Sources() {
		for c := range s.Ledger(src).All() {
			if c.Put.Ahead == "" {
				continue
			}
			at := recount.Place{Source: w.training(int(c.Put.Partition)), Offset: c.Put.Offset}
			if c.Put.Topic != "training" {
				at.Source = recount.Source{Topic: c.Put.Topic, Partition: c.Put.Partition}
			}
			w.change(func(t *recount.Topics) {
				counts.Correct(c.Put.Label, c.Put.Ahead, c.Put.Weight, &t.Records[at].Document)
			})
		}
	}
	var out strings.Builder
	counts.Dump(&out)
	return onlyCorrections(out.String())
}

// addRecount counts what the recount has found in the log.
func (w *world) addRecount(l *recount.Log) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := "left a ledger that is full"
	switch {
	case w.o.Rules.Window > 0:
		left = "left a window of records"
	case w.o.Rules.Age > 0:
		left = "left a window by age"
	}
	w.tally[left] += l.Left
	w.tally["forgets owed behind a rollback"] += l.Owed
	w.tally["taken out by upkeep"] += l.Taken
	w.tally["sums of partitions"] += l.Sums
	w.tally["sums that one partition spoilt"] += l.Spoilt
	w.tally["generations of a source"] += l.Generations
	for reason, n := range l.Skips {
		w.tally["skipped: "+reason] += n
	}
}

func (w *world) compare(who, got, want string) {
	if got != want {
		w.fail("%s differs from the recount: %s", who, filetest.FirstDifference(got, want))
	}
}

// checkDead looks for the dead letter of every record that is skipped.
func (w *world) checkDead(want *recount.Log) {
	letters := map[string]bool{}
	for partition := range partitions {
		for _, r := range w.memory.Records("dead", partition) {
			place := map[string]string{}
			for _, h := range r.Headers {
				place[h.Key] = string(h.Value)
			}
			at := fmt.Sprintf("%s/%s/%s ", place[wire.DeadTopic], place[wire.DeadPartition], place[wire.DeadOffset])
			letters[at] = true
			letters[at+wire.DeadReason(&r)] = true
		}
	}
	for place, reason := range want.Dead {
		if letter := fmt.Sprintf("%s/%d/%d %s", place.Topic, place.Partition, place.Offset, reason); !letters[letter] {
			w.fail("the dead letter %s is missing", letter)
		}
	}
}

// checkSamples compares what was seen on the way with a recount up to there, of the log that it
// came from: as it is, or as it was before records of it were lost. A replica that starts over may
// know voids that are behind what it has folded.
func (w *world) checkSamples() {
	checked := map[held]bool{}
	var logs []*replay
	for _, log := range append(w.lost, w.log()) {
		logs = append(logs, &replay{w, log, w.entries(log), map[int64]recount.Voids{}, map[string]*recount.Log{}})
	}
	slices.SortStableFunc(w.samples, func(a, b sample1) int { return cmp.Compare(a.next, b.next) })
	for _, s := range w.samples {
		if checked[s.held] {
			continue
		}
		checked[s.held] = true
		want := ""
		for _, log := range logs {
			if dump, ok := log.find(s); ok {
				want = dump
			}
			if want == s.dump {
				break
			}
		}
		w.compare(fmt.Sprintf("%s at offset %d", s.process, s.next), s.dump, want)
	}
}

// replay counts a model log up to one offset after the other.
type replay struct {
	*world
	records []stream.Record
	entries []*recount.Entry
	voids   map[int64]recount.Voids // by how many records are known, the last of which is a control
	counted map[string]*recount.Log // by the voids that are known
}

// find returns what a replica holds at the offset of a sample; of several possibilities, the one
// that the sample shows. It is false if the sample is not of this log.
func (r *replay) find(s sample1) (dump string, ok bool) {
	if s.next > int64(len(r.records)) || codec.Checksum(r.records[s.next-1].Value) != s.anchor.Checksum {
		return "", false
	}
	for known := s.next; known <= int64(len(r.entries)) && dump != s.dump; known++ {
		if known != s.next && !r.entries[known-1].IsControl() {
			continue
		}
		voids := r.known(known)
		dump = r.dump(voids, s)
		if dump != s.dump {
			dump = r.dump(voids.JudgedBefore(s.next), s)
		}
	}
	return dump, true
}

// known returns the voids that so many records put in force.
func (r *replay) known(records int64) recount.Voids {
	for records > 0 && !r.entries[records-1].IsControl() {
		records-- // it puts none in force
	}
	voids, isKnown := r.voids[records]
	if !isKnown {
		voids = r.world.voids(r.entries[:records])
		r.voids[records] = voids
	}
	return voids
}

// dump returns what a replica that knows the voids holds at the offset of a sample.
func (r *replay) dump(voids recount.Voids, s sample1) string {
	key := voids.Key()
	l := r.counted[key]
	if l == nil {
		l = recount.New(r.o.Rules, r.produced, voids)
		r.counted[key] = l
	}
	return r.advance(l, r.entries[:s.next]).Dump(s.ledger)
}

// close ends all processes, and removes their files.
func (w *world) close() {
	w.late.Wait()
	w.commands.Wait()
	for _, p := range slices.Clone(w.processes) {
		p.kill()
		w.bury(p)
	}
	if err := os.RemoveAll(w.dir); err != nil {
		w.t.Error(err)
	}
}
