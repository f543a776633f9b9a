package recount

import (
	"fmt"
	"slices"
)

// count1 counts the records of one delta.
type count1 struct {
	*Log
	id       Source
	ledger   ledger
	skip     map[int64]string // by offset: the reason for which the delta skips it
	lost     int64            // records of it that were deleted before they were read
	newest   int64            // the largest time of a document
	ahead    int64            // records in a row whose time is far ahead of that
	left     int              // documents that have left the ledger or the window
	observed []observed
	taught   []Taught
	became   []teaching
	fresh    int64 // records that learned a document whose id was not known
	dead     map[Place]string
}

// observed is a document that is added, or with a negative weight taken out.
type observed struct {
	label    string
	weight   int64
	document *Document
}

// Times are compared with the newest one; a record may be ahead by half of the window or a day, or
// be the hundredth in a row that is.
const (
	day         = 24 * 60 * 60 * 1000
	mostAhead   = 100
	aheadOfTime = "ahead_of_time"
)

// The reasons that depend on when a record was read.
const (
	refGone        = "ref_gone"
	cannotUnlearn  = "cannot_unlearn"
	tooManyClasses = "too_many_classes"
	unknownID      = "unknown_id"
	forwarded      = "forwarded"
	superseded     = "superseded"
	lost           = "lost"
)

// records counts the offsets [start, end).
func (c *count1) records(start, end int64) error {
	for offset := start; offset < end; offset++ {
		at := Place{c.id, offset}
		reason, skipped := c.skip[offset]
		r := c.topics.Records[at].by(c.IsOther())
		if reason == lost {
			delete(c.skip, offset)
			if !slices.Contains(c.topics.Starts[c.id], offset+c.lost) || offset+c.lost > end {
				return fmt.Errorf("offset %d: it says that %d records are lost, which were not deleted", offset, c.lost)
			}
			offset += c.lost - 1
			c.lost = 0
			continue
		}
		if r == nil {
			if skipped {
				return fmt.Errorf("offset %d holds no record and is skipped as %q", offset, reason)
			}
			continue
		}
		if err := c.record(at, r, reason); err != nil {
			return fmt.Errorf("offset %d: %w", offset, err)
		}
		if skipped && !isSilent(r, reason) {
			c.dead[at] = c.topics.Records[at].rejected(r.Reject)
		}
		delete(c.skip, offset)
	}
	if len(c.skip) > 0 || c.lost != 0 {
		return fmt.Errorf("it skips the offsets %v, which are not its own, and says that %d other records are lost", c.skip,
			c.lost)
	}
	return nil
}

// isSilent reports whether a record that is skipped for that reason has no dead letter.
func isSilent(r *Record, reason string) bool {
	return reason == forwarded || reason == superseded || reason == unknownID && r.Forget
}

// record counts a record, or agrees that it is skipped for that reason ("": it is not).
func (c *count1) record(at Place, r *Record, reason string) error {
	before, known := c.ledger.find(r.ID, &c.rules)
	want := r.Reject
	switch {
	case want != "":
	case r.Ref != nil && !slices.Contains(c.rules.Refs, r.Ref.Topic):
		want = "ref_denied"
	case r.Forwarded != nil && r.Forwarded.From.Source == c.id:
		want = c.repeated(at, r, reason)
	case r.Forwarded != nil && !(known && c.isMeant(r, before, reason)):
		want = superseded
	}
	switch {
	case want != "":
	case !r.Forget && c.isAhead(r):
		want = aheadOfTime
	case (r.Forget || r.Relabel) && !known && reason == forwarded:
		return c.forwarded(at)
	case (r.Forget || r.Relabel) && !known, r.Relabel && before.owed:
		want = unknownID
	case c.maySkip(r, known, before, reason):
		return nil
	}
	if reason != want {
		return fmt.Errorf("it is skipped for the reason %q, want %q (none: it counts)", reason, want)
	}
	if want == "" {
		return c.count(at, r, known, before)
	}
	return nil
}

// time returns the time of a record: one that has none is as old as the newest.
func (c *count1) time(r *Record) int64 {
	switch {
	case c.rules.Age == 0:
		return 0
	case r.Time == 0:
		return c.newest
	}
	return r.Time
}

// isAhead reports whether the time of a record is far ahead of all before it.
func (c *count1) isAhead(r *Record) bool {
	if c.newest == 0 || c.time(r) <= c.newest+max(day, c.rules.Age/2) || c.ahead == mostAhead {
		c.ahead = 0
		return false
	}
	c.ahead++
	return true
}

// maySkip reports whether a usable record can have been skipped for that reason.
func (c *count1) maySkip(r *Record, known bool, before entry, reason string) bool {
	switch reason {
	case refGone:
		return r.Ref != nil && c.topics.gone(*r.Ref)
	case cannotUnlearn:
		return known && c.topics.gone(before.at)
	case tooManyClasses:
		return !r.Forget && c.rules.Classes < 100
	}
	return false
}

// isMeant reports whether a record that was forwarded is about an entry of the ledger: by the order
// of the records that were forwarded from one partition, else by the entry, or the text, that it
// names, or by what another record has made of that one. In another topic of the name it is about
// none. The reason for which it is skipped decides if the record that put the entry in may have
// been gone.
func (c *count1) isMeant(r *Record, e entry, reason string) bool {
	at := Place{c.id, e.offset}
	to, last := r.Forwarded, c.topics.Records[at].Forwarded
	if to.From.Made != c.id.Made {
		return false
	}
	named := to.To == at || r.Forget && to.To == e.at
	meant := named
	switch {
	case last == nil:
	case last.From.Source == to.From.Source:
		meant = last.From.Offset < to.From.Offset
	case r.Forget:
		meant = named || last.To == to.To
	}
	if c.topics.gone(at) && named == (reason != superseded) {
		return named
	}
	return meant
}

// repeated says why a record does not count that was written again in its own partition; "": it
// counts. It has its document, the record that it repeats was not forwarded before, and nothing was
// said of its id since. A window of documents is not behind it. If records since were deleted,
// nobody knows.
func (c *count1) repeated(at Place, r *Record, reason string) string {
	first := r.Forwarded.From.Offset
	hasLeft := c.rules.Window > 0 && at.Offset > first+int64(c.rules.Window)
	if r.Forget || r.Relabel || first >= at.Offset || hasLeft {
		return superseded
	}
	isCut := func(start int64) bool { return start > first+1 }
	isGone := c.id.Made < c.topics.Made[c.id.Topic]
	if reason == unknownID && (isGone || slices.ContainsFunc(c.topics.Starts[c.id], isCut)) {
		return unknownID
	}
	if r.Forwarded.elsewhere {
		return superseded
	}
	for offset := first + 1; offset < at.Offset; offset++ {
		between := c.topics.Records[Place{c.id, offset}]
		if between != nil && c.supersedes(between, r) {
			return superseded
		}
	}
	return ""
}

// supersedes reports whether a record, which stands between another one and the record that the
// other one repeats, says something of the same id, or repeats the same. If it repeats an older
// record, it has said it there.
func (c *count1) supersedes(between, r *Record) bool {
	said := between.by(c.IsOther())
	isSaid := said.Reject == "" && said.ID == r.ID
	f := between.Forwarded
	switch {
	case f == nil:
		return isSaid
	case f.From.Source == c.id:
		return f.From.Offset == r.Forwarded.From.Offset || isSaid && f.From.Offset > r.Forwarded.From.Offset
	}
	return isSaid && f.From.Made == c.id.Made
}

// forwarded agrees that a record was forwarded: it must be in the topic before the delta that says
// so.
func (c *count1) forwarded(at Place) error {
	if !c.topics.Forwards[at] {
		return fmt.Errorf("it is skipped as forwarded, and no partition has it")
	}
	return nil
}

// count takes out what the id was counted as before, and counts the document.
func (c *count1) count(at Place, r *Record, known bool, before entry) error {
	if known && !r.Forget && !before.owed && before.by != "" && before.by != r.By {
		became := corrected
		if before.label == r.Label {
			became = agreed
		}
		c.became = append(c.became, teaching{before.by, became})
	}
	if known {
		old := c.topics.Records[before.at]
		c.observed = append(c.observed, observed{before.label, -before.weight, &old.Document})
		c.ledger.drop(r.ID, &c.rules)
	}
	if r.Forget {
		return nil
	}
	text, weight := at, r.Weight
	switch {
	case r.Relabel:
		text = before.at
		if weight == 0 {
			weight = before.weight
		}
	case r.Ref != nil:
		text = *r.Ref
	}
	if most, isBounded := c.rules.Teachers[r.By]; isBounded {
		weight = min(weight, most)
	}
	d := c.topics.Records[text]
	if d == nil {
		return fmt.Errorf("it counts, and %v never held a document", text)
	}
	c.observed = append(c.observed, observed{r.Label, weight, &d.Document})
	if !known {
		c.fresh++
	}
	if r.By != "" {
		c.became = append(c.became, teaching{r.By, labelled})
		c.taught = append(c.taught, Taught{at.Topic, at.Partition, at.Offset, r.ID, r.Label, r.By})
	}
	if r.ID != "" || c.rules.isWindowed() {
		now := c.time(r)
		c.newest = max(c.newest, now)
		c.left += c.ledger.put(entry{offset: at.Offset, id: r.ID, label: r.Label, by: r.By, weight: weight, at: text,
			time: now},
			c.newest, &c.rules)
	}
	return nil
}
