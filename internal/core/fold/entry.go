package fold

import (
	"cmp"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
)

// Source is a partition of a training topic, or the pseudo-topic "import/<sha256>" of a file.
type Source struct {
	Topic     string
	Partition int32
}

// importPrefix begins the topic of a pseudo-source. No topic of Kafka has a slash in its name.
const importPrefix = "import/"

// Import returns the pseudo-source of a file with that checksum.
func Import(checksum string) Source { return Source{Topic: importPrefix + checksum} }

// IsImport reports whether the source is a file.
func (s Source) IsImport() bool { return strings.HasPrefix(s.Topic, importPrefix) }

func (s Source) compare(t Source) int {
	return cmp.Or(cmp.Compare(s.Topic, t.Topic), cmp.Compare(s.Partition, t.Partition))
}

// LogID tells a model log from another one of its name. It is random, and is in the first spec
// of the log.
type LogID [16]byte

// Skipped is a record that was read and not counted.
type Skipped struct {
	Offset int64
	Reason string
}

// Delta is one record of the log: the counts of ranges of records. A delta of several ranges is the
// sum of what one process has read: it counts as a whole, or not at all.
type Delta struct {
	Counting spec.Fingerprint
	Log      LogID        // of the log that it was built on
	Ranges   []Range      // in the order of their sources, one of each
	Counts   *model.Delta // in canonical form
	Era      uint64       // of the state that it was built on
	Spec     int64        // offset of the spec in force in that state
	EraCRC   uint32       // Castagnoli, of the record that Era names: an offset may get another one
	SpecCRC  uint32       // likewise; 0 for the first spec, which Log names
	Digest   *Digest      // of the state that it was built on; nil: not known
	// of the records that were scored; nil: none, or they are of another list than the one in force
	Scores *Scores

	Found *model.Found // by State.Find; nil: nobody has looked
}

// Range is the records [Start, End) of a source, and what a delta says of them besides the counts.
// With Start == End it is upkeep, which changes counts and ledger without reading on.
type Range struct {
	Source
	Generation uint32 // how often the topic was replaced by another one of its name
	Previous   uint64 // sum of the delta of the source that was accepted last in the state that it was built on; 0: none
	Start      int64
	End        int64
	FromStart  bool // the first range of its generation: it begins where the topic began
	Skipped    []Skipped
	Lost       int64          // records of the range that were deleted before they were read
	Ledger     []LedgerChange // by ascending offset
	Ahead      int64          // behind it: Progress.Ahead
	Anchor     *Anchor        // the last record that was read; nil: none
	Digest     uint64         // of the ledger of the source, where Delta.Digest is known
}

// Scores is what records that were scored before they were learned add up to. It is data: who built
// the delta fixed it.
type Scores struct {
	List    race.Fingerprint
	Sums    *race.Sums
	Classes race.Tallies // of the same records; a file has none
}

// ScoresOf returns what a trial comes to, nil if nothing was scored. It is a view.
func ScoresOf(t *model.Trial) *Scores {
	if t.Sums == nil || t.Sums.Scored == 0 {
		return nil
	}
	return &Scores{List: t.List().Fingerprint(), Sums: t.Sums, Classes: t.Classes}
}

// BuildOn says what a delta of one range was built on. Its generation is another one where it
// begins the next.
func (d *Delta) BuildOn(b Basis) {
	d.Era, d.EraCRC = b.Era, b.EraCRC
	d.Spec, d.SpecCRC = b.Spec, b.SpecCRC
	d.Ranges[0].Generation = b.Generation
	d.Ranges[0].Previous = b.Previous
}

// IsUpkeep reports whether the delta changes counts and ledger without reading on.
func (d *Delta) IsUpkeep() bool { return len(d.Ranges) == 1 && d.Ranges[0].IsUpkeep() }

// IsUpkeep reports whether the range has no record.
func (r *Range) IsUpkeep() bool { return r.Start == r.End }

// Digest is what the builder of a delta had counted.
type Digest struct {
	Next   int64 // the offset of the log that its state would have folded next
	Counts uint64
}

// Control is a record of the log that changes what records before it count for. One of Void, Reset
// and Rename is set.
type Control struct {
	Log    LogID  // of the log that it was made for
	Era    uint64 // of the state that it was made for
	Why    string
	Void   *Void
	Reset  *Reset
	Rename *Rename
}

// Void takes the records [From, To) of the log out. Specs among them stay in force, unless it has
// Recount.
type Void struct {
	From, To          int64
	FirstCRC, LastCRC uint32 // of the values of the first and the last of them
	Recount           bool   // what they counted is counted again; without it, it is gone
	Marks             []Mark // without Recount: how far each source was counted before the void
}

// Mark is how far a source was counted.
type Mark struct {
	Source
	Progress
}

// Reset empties the counts, the ledgers and the list of sources.
type Reset struct{}

// Rename moves what a class counted to another name.
type Rename struct{ From, To string }

// Entry is one record of the model log, decoded. One of Spec, Delta and Control is set, or
// Unreadable.
type Entry struct {
	Offset     int64
	Epoch      int32  // leader epoch of its batch; -1: unknown
	CRC        uint32 // Castagnoli, of the record's value
	Sum        uint64 // of the value of a delta: the next one of its source names it
	Time       int64  // of the record, in milliseconds
	Spec       *spec.Spec
	Log        LogID // with Spec: what the log is called if it is the first one
	Delta      *Delta
	Control    *Control
	Unreadable error
}

// Outcome says what became of an entry.
type Outcome string

// The outcomes of an entry. All but Accepted, Respecified and Controlled leave the state as it was,
// apart from the position.
const (
	Accepted    Outcome = "accepted"    // a delta was added
	Respecified Outcome = "respecified" // the first spec, or one that scores differently or changes the name or the window
	Repeated    Outcome = "repeated"    // a spec equal to the one in force
	// a delta or control that was built on an earlier state, or a spec that drops a path from where
	// fields stand
	Stale      Outcome = "stale"
	Gap        Outcome = "gap"        // a delta or control that was built on a later state
	Foreign    Outcome = "foreign"    // another counting fingerprint or log, or a delta before any spec
	Invalid    Outcome = "invalid"    // unreadable, or it does not fit the counts
	Controlled Outcome = "controlled" // a control in force
	Voided     Outcome = "voided"     // a record that a void takes out
)

// Outcomes lists all outcomes, for metrics.
var Outcomes = []Outcome{Accepted, Respecified, Repeated, Stale, Gap, Foreign, Invalid, Controlled, Voided}

// Anchor identifies a record: the last folded one of the model log, or the last counted one of a
// source. It tells the topic from another one of its name.
type Anchor struct {
	Offset   int64  // -1: there is none
	Epoch    int32  // leader epoch of its batch; -1: unknown
	Checksum uint32 // Castagnoli: of the value in the model log; of key and value, each after its length, in a source
	TopicID  [16]byte
}

// IsOfOther reports whether the record is of another topic than one with that id. An id of zero is not
// known.
func (a Anchor) IsOfOther(topic [16]byte) bool {
	none := [16]byte{}
	return a.TopicID != none && topic != none && a.TopicID != topic
}

// NoAnchor is the anchor where no record was read.
var NoAnchor = Anchor{Offset: -1, Epoch: -1}

// Progress is how far a source was counted.
type Progress struct {
	Generation uint32 // how often the topic was replaced by another one of its name
	Watermark  int64  // the next offset to count
	Begin      int64  // where counting began
	FromStart  bool   // Begin was the start of the topic
	Previous   uint64 // sum of the last delta that was accepted; 0: none
	At         int64  // its offset in the model log
	Path       uint64 // hash of the offsets of all that were accepted: deltas of two workers may be equal
	Skipped    int64  // records that were read and not counted
	Lost       int64  // records that were deleted before they were read
	Newest     int64  // the largest time of a record that put a document into the ledger, where the window is an age
	// how many records in a row, up to the watermark, were refused because their time is far ahead of
	// Newest
	Ahead  int64
	Gone   int64  // documents that are owed, and cannot be taken out because their text is gone
	Anchor Anchor // of the last record that was read
}

// Basis is the state that a delta was built on, as far as its source goes.
type Basis struct {
	Era        uint64
	Spec       int64
	EraCRC     uint32
	SpecCRC    uint32
	Generation uint32
	Previous   uint64
}

// isOther reports whether p is of another topic of the name than q: of another generation or, after
// a reset, after which generations begin again, of a topic with another id.
func (p *Progress) isOther(q *Progress) bool {
	return p.Generation != q.Generation || p.hasOtherID(q)
}

func (p *Progress) hasOtherID(q *Progress) bool { return p.Anchor.IsOfOther(q.Anchor.TopicID) }
