package recount

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/modellog/logpb"

	"github.com/cespare/xxhash/v2"
	"google.golang.org/protobuf/proto"
)

// values is how many fields of values the model of a log has.
const values = 1

// Log is a model log that is being counted again.
type Log struct {
	// Dead has the places of the records that must be dead letters, with the reasons; "": any, because
	// it depends on when the record was read.
	Dead map[Place]string

	// Generations is how many generations of sources have begun behind the first one.
	Generations int

	// Crossed says that a rollback has taken out a reset, behind which another topic of the same name
	// was counted. What was counted of the topic before stays, and the ledger goes, as in a new
	// generation.
	Crossed bool

	Taught []Taught // labels that were learned by a name

	Left  int            // documents that have left a ledger or a window
	Owed  int            // documents that are to be taken out, because a rollback has taken out their forgets
	Taken int            // documents that upkeep has taken out
	Skips map[string]int // records that were skipped, by the reason

	rules    Rules
	topics   *Topics
	begun    bool     // the log has a spec: all specs of a log count alike
	id       []byte   // that the first spec gave it
	era      uint64   // 1 + the offset of the last control in force, or of the void that takes one out
	spec     int64    // the offset of the last spec that said something else than the one before it
	first    int64    // the offset of the first spec
	sums     []uint32 // of the records, by offset
	yaml     []byte   // what it says
	next     int64
	voids    Voids
	counting []byte // fingerprint of the first delta after it
	counts   *Counts
	scores   scores
	teachers map[teaching]int
	sources  map[Source]*source
}

// Taught is a label that was learned by a name.
type Taught struct {
	Topic         string
	Partition     int32
	Offset        int64
	ID, Label, By string
}

// teaching is what became of a label that a name has said.
type teaching struct{ by, became string }

const (
	labelled  = "labelled"
	agreed    = "agreed"
	corrected = "corrected"
)

// progress is how far a source was counted.
type progress struct {
	watermark, begin, skipped, lost int64
	fromStart                       bool
	previous                        uint64 // sum of the delta that counted last
	at                              int64  // its offset
	path                            uint64 // of the offsets of all that counted
	generation                      uint32
	ahead                           int64 // records in a row, up to the watermark, whose time was far ahead
}

// source is a partition that was counted.
type source struct {
	progress

	made   int   // of the topic that was counted
	newest int64 // the largest time of a document
	ledger ledger
}

// Entry is a record of the log.
type Entry struct {
	record *logpb.Record // nil: it cannot be read, and is passed over
	sum    uint32        // checksum
	xxh    uint64        // sum of a delta
}

// IsControl reports whether the record is a control.
func (e *Entry) IsControl() bool { return e.record.GetControl() != nil }

// Reader reads records of logs, each once.
type Reader struct{ entries map[string]*Entry }

// Read returns the record of a value.
func (r *Reader) Read(value []byte) *Entry {
	if e := r.entries[string(value)]; e != nil {
		return e
	}
	e := &Entry{&logpb.Record{}, sum(value), max(1, xxhash.Sum64(value))}
	if proto.Unmarshal(value, e.record) != nil {
		e.record = nil
	}
	if r.entries == nil {
		r.entries = map[string]*Entry{}
	}
	r.entries[string(value)] = e
	return e
}

// New returns the log before its first record, with the voids that are known.
func New(rules Rules, topics *Topics, voids Voids) *Log {
	return &Log{Dead: map[Place]string{}, Skips: map[string]int{}, rules: rules, topics: topics, counts: NewCounts(values),
		teachers: map[teaching]int{},
		sources:  map[Source]*source{}, voids: voids}
}

// IsOther reports whether Rules.Other is in force.
func (l *Log) IsOther() bool { return l.rules.Other != "" && string(l.yaml) == l.rules.Other }

// Next returns the offset that is counted next.
func (l *Log) Next() int64 { return l.next }

// Fold counts what the next record of the log says. The error says what is wrong with a record that
// must be accepted.
func (l *Log) Fold(e *Entry) error {
	at := l.next
	l.next++
	l.sums = append(l.sums, e.sum)
	r := e.record
	if r == nil {
		return nil // it cannot be read, and is passed over
	}
	if v := l.voids.of(at); v != nil {
		l.pass(at, r, v)
		return nil
	}
	if r.GetSpec() != nil {
		l.begin(at, r.GetSpec())
	}
	v := l.voids.at(at)
	switch {
	case v != nil:
		l.move(v)
		l.era = max(l.era, uint64(at)+1)
		return nil
	case !l.begun:
		return nil
	case r.GetControl() != nil:
		l.control(at, r.GetControl())
		return nil
	case r.GetDelta() == nil:
		return nil
	}
	return l.delta(r.GetDelta(), e.xxh)
}

// begin takes the first spec of the log, or one that says something else.
func (l *Log) begin(at int64, s *logpb.Spec) {
	if !bytes.Equal(l.yaml, s.GetYaml()) {
		l.yaml = s.GetYaml()
		l.spec = at
	}
	if !l.begun {
		l.begun = true
		l.first = at
		l.id = s.GetLogId()
	}
}

// delta counts what a delta says, of a record with that sum.
func (l *Log) delta(d *logpb.Delta, sum uint64) error {
	if l.counting == nil {
		l.counting = d.GetCounting()
	}
	r := d.GetRanges()[0]
	id := Source{Topic: r.GetTopic(), Partition: r.GetPartition()}
	src, known := l.sources[id]
	begins := !known && r.GetGeneration() == 0 || known && r.GetGeneration() == src.generation+1
	switch {
	case !l.isOf(d) || !begins && !src.follows(r) || r.GetPrevious() != src.last():
		return nil
	case begins && r.GetEnd() == r.GetStart():
		return nil
	case r.GetEnd() == r.GetStart():
		return l.upkeep(d, src, sum)
	}
	made, err := l.made(d, src, begins)
	if err != nil {
		return err
	}
	if begins {
		src = &source{progress: progress{watermark: r.GetStart(), begin: r.GetStart(), fromStart: d.GetFromStart(),
			generation: r.GetGeneration(), previous: src.last(), path: src.way()}, made: made}
	}
	read := Source{id.Topic, id.Partition, made}
	if begins && !l.topics.begins(read, r.GetStart()) {
		return fmt.Errorf("the first delta of %v starts at offset %d, where the partition never started", read, r.GetStart())
	}
	c := count1{Log: l, id: read, ledger: slices.Clone(src.ledger), skip: skipsOf(d), lost: d.GetLost(),
		newest: src.newest, ahead: src.ahead, dead: map[Place]string{}}
	if err := c.records(r.GetStart(), r.GetEnd()); err != nil {
		return fmt.Errorf("delta of %v, offsets %d to %d: %w", id, r.GetStart(), r.GetEnd()-1, err)
	}
	if l.tooManyClasses(&c) {
		return nil
	}
	for _, o := range c.observed {
		l.counts.Add(o.label, o.weight, o.document, l.rules.Presence)
	}
	for place, reason := range c.dead {
		l.Dead[place] = reason
	}
	if begins && known {
		l.Generations++
	}
	if err := l.score(d.GetScores(), c.fresh); err != nil {
		return fmt.Errorf("delta of %v, offsets %d to %d: %w", id, r.GetStart(), r.GetEnd()-1, err)
	}
	l.sources[id] = src
	src.watermark = r.GetEnd()
	src.accept(l.next-1, sum)
	src.read(d, &c)
	l.note(&c)
	for _, reason := range skipsOf(d) {
		l.Skips[reason]++
	}
	return nil
}

// note notes what became of the labels that a delta counts.
func (l *Log) note(c *count1) {
	l.Left += c.left
	l.Taught = append(l.Taught, c.taught...)
	for _, t := range c.became {
		l.teachers[t]++
	}
}

// read takes over what became of the records of a delta.
func (s *source) read(d *logpb.Delta, c *count1) {
	s.skipped += int64(len(d.GetSkippedOffset()))
	s.lost += d.GetLost()
	s.newest = c.newest
	s.ahead = c.ahead
	s.ledger = c.ledger
}

// sumAt returns that of the record at an offset, 0 of none.
func (l *Log) sumAt(at int64) uint32 {
	if at < 0 {
		return 0
	}
	return l.sums[at]
}

// specSum returns that of the spec in force, 0 of the first one.
func (l *Log) specSum() uint32 {
	if l.spec == l.first {
		return 0
	}
	return l.sums[l.spec]
}

// isOf reports whether a delta was built on this log, as it is counted and scored now.
func (l *Log) isOf(d *logpb.Delta) bool {
	r := d.GetRanges()[0]
	return bytes.Equal(l.id, d.GetLogId()) && bytes.Equal(l.counting, d.GetCounting()) &&
		r.GetEnd() >= r.GetStart() && d.GetEra() == l.era && d.GetEraCrc() == l.sumAt(int64(l.era)-1) &&
		d.GetSpec() == l.spec && d.GetSpecCrc() == l.specSum()
}

// follows reports whether a range begins where the source ends.
func (s *source) follows(r *logpb.Range) bool {
	return s != nil && r.GetGeneration() == s.generation && r.GetStart() == s.watermark
}

// accept notes the delta that counted last.
func (s *source) accept(at int64, sum uint64) {
	s.previous = sum
	s.at = at
	s.path = (s.path ^ uint64(at)) * 1099511628211
}

// last returns the sum of the delta that counted last, 0 before the first.
func (s *source) last() uint64 {
	if s == nil {
		return 0
	}
	return s.previous
}

// way returns the path of the deltas that counted, 0 before the first.
func (s *source) way() uint64 {
	if s == nil {
		return 0
	}
	return s.path
}

// made returns which of the topics of its name a delta was read from, by the id in its anchor.
func (l *Log) made(d *logpb.Delta, src *source, begins bool) (int, error) {
	r := d.GetRanges()[0]
	made, known := l.topics.IDs[string(d.GetAnchor().GetTopicId())]
	switch {
	case !known && (begins || d.GetAnchor() != nil):
		return 0, fmt.Errorf("delta of %s/%d, offsets %d to %d: no topic had the id %x", r.GetTopic(), r.GetPartition(),
			r.GetStart(), r.GetEnd()-1, d.GetAnchor().GetTopicId())
	case begins && (src == nil || made > src.made), made == src.made:
		return made, nil
	case !known:
		return src.made, nil
	}
	return 0, fmt.Errorf("delta of %s/%d, offsets %d to %d: it was read from topic %d of "+
		"that name, and the source was counted from topic %d",
		r.GetTopic(), r.GetPartition(), r.GetStart(), r.GetEnd()-1, made, src.made)
}

func skipsOf(d *logpb.Delta) map[int64]string {
	if len(d.GetSkippedOffset()) == 0 {
		return nil
	}
	skips := map[int64]string{}
	for i, offset := range d.GetSkippedOffset() {
		skips[offset] = d.GetReasons()[d.GetSkippedReason()[i]]
	}
	return skips
}

// tooManyClasses reports whether what a delta counts would bring more classes than the model may
// have.
func (l *Log) tooManyClasses(c *count1) bool {
	if len(l.counts.documents)+len(c.observed) <= l.rules.Classes {
		return false
	}
	difference := map[string]int64{}
	for _, o := range c.observed {
		difference[o.label] += o.weight
	}
	more := 0
	for label, n := range difference {
		if n > 0 && l.counts.documents[label] == 0 {
			more++
		}
	}
	return more > 0 && len(l.counts.documents)+more > l.rules.Classes
}

// Watermark returns the offset of a source that is counted next.
func (l *Log) Watermark(id Source) int64 {
	id.Made = 0
	if src := l.sources[id]; src != nil {
		return src.watermark
	}
	return 0
}

// Dump returns every count, the sources and, if wanted, their ledgers.
func (l *Log) Dump(ledgers bool) string {
	var out strings.Builder
	l.counts.Dump(&out)
	l.scores.dump(&out, &l.rules)
	var ids []Source
	for id := range l.sources {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b Source) int { return int(a.Partition - b.Partition) })
	for _, id := range ids {
		s := l.sources[id]
		fmt.Fprintf(&out, "source %s/%d %d from %d %v skipped %d lost %d\n", id.Topic, id.Partition, s.watermark, s.begin,
			s.fromStart, s.skipped, s.lost)
		if !ledgers {
			continue
		}
		for _, e := range s.ledger {
			fmt.Fprintf(&out, "ledger %s/%d %d %q %q by %q %d %s/%d/%d owed %v gone %v\n", id.Topic, id.Partition, e.offset,
				e.id, e.label, e.by, e.weight, e.at.Topic, e.at.Partition, e.at.Offset, e.owed, e.gone)
		}
	}
	if ledgers {
		for _, by := range l.names() {
			fmt.Fprintf(&out, "teacher %s %d %d %d\n", by, l.teachers[teaching{by, labelled}], l.teachers[teaching{by, agreed}],
				l.teachers[teaching{by, corrected}])
		}
	}
	return out.String()
}

// names returns who has said labels.
func (l *Log) names() (names []string) {
	for t := range l.teachers {
		names = append(names, t.by)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
