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

	Sums   int            // deltas of several partitions that count
	Spoilt int            // those that do not, because of some of their partitions
	Left   int            // documents that have left a ledger or a window
	Owed   int            // documents that are to be taken out, because a rollback has taken out their forgets
	Taken  int            // documents that upkeep has taken out
	Skips  map[string]int // records that were skipped, by the reason

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

// delta counts what a delta says, of a record with that sum: all of its ranges or, if one of them
// does not count, none.
func (l *Log) delta(d *logpb.Delta, sum uint64) error {
	if l.counting == nil {
		l.counting = d.GetCounting()
	}
	ranges := d.GetRanges()
	if !isOrdered(ranges) {
		return nil
	}
	follows := func(r *logpb.Range) bool { return l.isOf(d) && l.follows(r, len(ranges)) }
	if slices.ContainsFunc(ranges, func(r *logpb.Range) bool { return !follows(r) }) {
		if slices.ContainsFunc(ranges, follows) {
			l.Spoilt++
		}
		return nil
	}
	if first := ranges[0]; isUpkeep(first) {
		return l.upkeep(first, l.sources[idOf(first)], sum)
	}
	var all []*count1
	var observed []observed
	fresh := int64(0)
	for _, r := range ranges {
		c, err := l.count(r)
		if err != nil {
			return fmt.Errorf("delta of %v, offsets %d to %d: %w", idOf(r), r.GetStart(), r.GetEnd()-1, err)
		}
		all = append(all, c)
		observed = append(observed, c.observed...)
		fresh += c.fresh
	}
	if l.tooManyClasses(observed) {
		return nil
	}
	for _, o := range observed {
		l.counts.Add(o.label, o.weight, o.document, l.rules.Presence)
	}
	if err := l.score(d.GetScores(), fresh); err != nil {
		return fmt.Errorf("delta of %v: %w", ranges, err)
	}
	for i, c := range all {
		l.accept(c, ranges[i], sum)
	}
	if len(ranges) > 1 {
		l.Sums++
	}
	return nil
}

// isOrdered reports whether ranges are of one source each, in their order.
func isOrdered(ranges []*logpb.Range) bool {
	for i := 1; i < len(ranges); i++ {
		a, b := ranges[i-1], ranges[i]
		if a.GetTopic() > b.GetTopic() || a.GetTopic() == b.GetTopic() && a.GetPartition() >= b.GetPartition() {
			return false
		}
	}
	return len(ranges) > 0
}

func isUpkeep(r *logpb.Range) bool { return r.GetStart() == r.GetEnd() }

func idOf(r *logpb.Range) Source { return Source{Topic: r.GetTopic(), Partition: r.GetPartition()} }

// begins reports whether a range is the first of its source, or of its next generation.
func (s *source) begins(r *logpb.Range) bool {
	if s == nil {
		return r.GetGeneration() == 0
	}
	return r.GetGeneration() == s.generation+1
}

// follows reports whether a range, one of so many of its delta, begins where its source ends.
func (l *Log) follows(r *logpb.Range, of int) bool {
	src := l.sources[idOf(r)]
	isNext := src != nil && r.GetGeneration() == src.generation && r.GetStart() == src.watermark
	switch {
	case r.GetEnd() < r.GetStart(), r.GetPrevious() != src.last():
		return false
	case src.begins(r), of > 1:
		return !isUpkeep(r) && (src.begins(r) || isNext)
	}
	return isNext
}

// count counts the records of a range. It changes nothing.
func (l *Log) count(r *logpb.Range) (*count1, error) {
	src := l.sources[idOf(r)]
	begins := src.begins(r)
	made, err := l.made(r, src, begins)
	if err != nil {
		return nil, err
	}
	read := Source{r.GetTopic(), r.GetPartition(), made}
	c := &count1{Log: l, id: read, skip: skipsOf(r), lost: r.GetLost(), dead: map[Place]string{}}
	if begins && !l.topics.begins(read, r.GetStart()) {
		return nil, fmt.Errorf("%v is counted from offset %d on, where the partition never started", read, r.GetStart())
	}
	if !begins {
		c.ledger, c.newest, c.ahead = slices.Clone(src.ledger), src.newest, src.ahead
	}
	return c, c.records(r.GetStart(), r.GetEnd())
}

// accept takes over what became of the records of a range that counts, of a delta with that sum.
func (l *Log) accept(c *count1, r *logpb.Range, sum uint64) {
	src := l.sources[idOf(r)]
	if src.begins(r) {
		if src != nil {
			l.Generations++
		}
		src = &source{progress: progress{begin: r.GetStart(), fromStart: r.GetFromStart(), generation: r.GetGeneration(),
			path: src.way()}, made: c.id.Made}
		l.sources[idOf(r)] = src
	}
	src.watermark = r.GetEnd()
	src.accept(l.next-1, sum)
	src.skipped += int64(len(r.GetSkippedOffset()))
	src.lost += r.GetLost()
	src.newest = c.newest
	src.ahead = c.ahead
	src.ledger = c.ledger
	l.note(c)
	for place, reason := range c.dead {
		l.Dead[place] = reason
	}
	for _, reason := range skipsOf(r) {
		l.Skips[reason]++
	}
}

// note notes what became of the labels that a delta counts.
func (l *Log) note(c *count1) {
	l.Left += c.left
	l.Taught = append(l.Taught, c.taught...)
	for _, t := range c.became {
		l.teachers[t]++
	}
}

// sumAt returns that of the record at an offset, 0 of none, and of one that was not read yet: the void
// of an era may be behind the records that it takes out.
func (l *Log) sumAt(at int64) uint32 {
	if at < 0 || at >= int64(len(l.sums)) {
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
	return bytes.Equal(l.id, d.GetLogId()) && bytes.Equal(l.counting, d.GetCounting()) &&
		d.GetEra() == l.era && d.GetEraCrc() == l.sumAt(int64(l.era)-1) &&
		d.GetSpec() == l.spec && d.GetSpecCrc() == l.specSum()
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

// made returns which of the topics of its name a range was read from, by the id in its anchor.
func (l *Log) made(r *logpb.Range, src *source, begins bool) (int, error) {
	made, known := l.topics.IDs[string(r.GetAnchor().GetTopicId())]
	switch {
	case !known && (begins || r.GetAnchor() != nil):
		return 0, fmt.Errorf("no topic had the id %x", r.GetAnchor().GetTopicId())
	case begins && (src == nil || made > src.made), made == src.made:
		return made, nil
	case !known:
		return src.made, nil
	}
	return 0, fmt.Errorf("it was read from topic %d of that name, and the source was counted from topic %d", made,
		src.made)
}

func skipsOf(r *logpb.Range) map[int64]string {
	if len(r.GetSkippedOffset()) == 0 {
		return nil
	}
	skips := map[int64]string{}
	for i, offset := range r.GetSkippedOffset() {
		skips[offset] = r.GetReasons()[r.GetSkippedReason()[i]]
	}
	return skips
}

// tooManyClasses reports whether what a delta counts would bring more classes than the model may
// have.
func (l *Log) tooManyClasses(all []observed) bool {
	if len(l.counts.documents)+len(all) <= l.rules.Classes {
		return false
	}
	difference := map[string]int64{}
	for _, o := range all {
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
