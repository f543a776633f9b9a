package worker

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// Holder is an entry of a ledger.
type Holder struct {
	Partition int
	Offset    int64 // of the record that put it in
	Put       fold.Learned
	Counted   stream.TopicID // of the topic in which it was put in; zero: not known
}

// Holders returns the entries that the ledgers of a topic have under an id, without those that are
// owed.
func Holders(s *fold.State, topic, id string) (found []Holder) {
	for _, src := range s.Sources() {
		l := s.Ledger(src)
		if l == nil || src.Topic != topic {
			continue
		}
		if e, ok := l.Entry(id); ok && !e.Put.Owed {
			p, _ := s.Progress(src)
			found = append(found, Holder{int(src.Partition), e.Offset, *e.Put, stream.TopicID(p.Anchor.TopicID)})
		}
	}
	return found
}

// text returns the place of the text.
func (h *Holder) text() *wire.Ref {
	return &wire.Ref{Topic: h.Put.Topic, Partition: int(h.Put.Partition), Offset: h.Put.Offset}
}

// Finder finds the document of a correction.
type Finder struct {
	Topic      string                             // of the training records
	Partitions func(context.Context) (int, error) // of it
	Refs       []string                           // topics to which a training record may refer; nil: any
	Decoder    *wire.Decoder
	Key        *spec.TermsKey                       // of hashed terms and ids; nil: none is known
	Replica    interface{ Read(func(*fold.State)) } // a *modellog.Replica, or a state
	Fetcher    Fetcher
	Index      *Index // of documents that were labelled; nil: they are found by their sources alone
}

// Target is where the record of a correction goes, and what document it has.
type Target struct {
	ID        string
	Partition int
	Text      *stream.Record // nil: the ledger of the partition knows it
	Was       *Holder        // nil: it was not learned
}

// Find returns the target of a correction: the partition whose ledger has the id, or for a document
// that was not learned yet the one of its id, with its source.
func (f *Finder) Find(ctx context.Context, c *wire.Correction) (Target, error) {
	if c.ID != "" {
		if to, known, err := f.byID(ctx, c.ID, c); known || err != nil {
			return to, err
		}
	}
	source := c.Source
	if source == nil {
		source = wire.ParsePlace(c.ID)
	}
	switch {
	case source == nil:
		return f.labelled(ctx, c)
	case source.Topic == f.Topic:
		return f.learnedAt(ctx, source, c)
	case f.Refs != nil && !slices.Contains(f.Refs, source.Topic):
		return Target{}, wire.Rejectf(wire.RefDenied, "topic %q is not among those that --ref-topics allows", source.Topic)
	}
	return f.documentAt(ctx, source, c)
}

// labelled returns the target of a document that was labelled under an id and not learned.
func (f *Finder) labelled(ctx context.Context, c *wire.Correction) (Target, error) {
	at, err := f.Index.Find(ctx, c.ID)
	if err != nil {
		return Target{}, err
	}
	if at == nil || f.Refs != nil && !slices.Contains(f.Refs, at.Topic) {
		return Target{}, unknown(c.ID)
	}
	source := &at.Ref
	text, err := RecordAt(ctx, f.Fetcher, source)
	if err != nil {
		return Target{}, err
	}
	var document wire.Document
	if err := f.Decoder.Document(text, &document); err != nil {
		return Target{}, err
	}
	if document.ID != c.ID || text.Time.After(at.Time) {
		return Target{}, unknown(c.ID) // another topic has its name
	}
	return f.documentAt(ctx, source, c)
}

// byID returns the target of a document that a ledger knows. known says whether one does.
func (f *Finder) byID(ctx context.Context, id string, c *wire.Correction) (to Target, known bool, err error) {
	holders := f.Holders(id)
	if len(holders) > 1 && c.Source != nil && c.Source.Topic == f.Topic {
		holders = slices.DeleteFunc(holders, func(h Holder) bool { return h.Partition != c.Source.Partition })
	}
	switch len(holders) {
	case 0:
		return to, false, nil
	case 1:
		to, err = f.to(ctx, id, &holders[0], c)
		return to, true, err
	}
	var places []string
	for _, h := range holders {
		places = append(places, fmt.Sprintf("%s/%d/%d", f.Topic, h.Partition, h.Offset))
	}
	return to, true, httpapi.Refusef(http.StatusConflict, "ambiguous_id", "%d documents have the id %q, in different "+
		"partitions: send the source of the one that is meant: %s", len(holders), id, strings.Join(places, ", "))
}

// Holders returns the entries that the ledgers have under an id.
func (f *Finder) Holders(id string) (found []Holder) {
	f.Replica.Read(func(s *fold.State) {
		if f.Key != nil && s.Spec() != nil && s.Spec().HashesTerms() {
			id = f.Key.Hasher().ID(id)
		}
		found = Holders(s, f.Topic, id)
	})
	return found
}

// to returns the target of a document of a ledger. A record whose value is the document says its
// label beside the text.
func (f *Finder) to(ctx context.Context, id string, h *Holder, c *wire.Correction) (Target, error) {
	to := Target{ID: id, Partition: h.Partition, Was: h}
	if !f.Decoder.IsWhole() || c.Forget {
		return to, nil
	}
	var err error
	to.Text, err = RecordAt(ctx, f.Fetcher, h.text())
	return to, err
}

// learnedAt returns the target of the document of a training record.
func (f *Finder) learnedAt(ctx context.Context, source *wire.Ref, c *wire.Correction) (Target, error) {
	rec, err := RecordAt(ctx, f.Fetcher, source)
	if err != nil {
		return Target{}, err
	}
	var t wire.Training
	if err := f.Decoder.Training(rec, &t); err != nil {
		return Target{}, err
	}
	if !t.Explicit {
		return Target{}, refuseNoID(source.String())
	}
	for _, h := range f.Holders(t.ID) {
		if h.Partition == source.Partition {
			return f.to(ctx, t.ID, &h, c)
		}
	}
	return Target{}, unknown(t.ID)
}

// documentAt returns the target of a document that is not a training record.
func (f *Finder) documentAt(ctx context.Context, source *wire.Ref, c *wire.Correction) (Target, error) {
	text, err := ReadAt(ctx, f.Fetcher, source.Topic, source.Partition, source.Offset)
	if err != nil {
		return Target{}, err
	}
	id, err := f.Decoder.CorrectedID(c, source, text)
	if err != nil {
		return Target{}, err
	}
	if to, known, err := f.byID(ctx, id, c); known || err != nil {
		return to, err
	}
	switch {
	case c.Forget:
		return Target{}, unknown(id)
	case text == nil:
		return Target{}, refuseGone(source)
	}
	partitions, err := f.Partitions(ctx)
	return Target{ID: id, Partition: stream.Murmur2Partition([]byte(id), max(1, partitions)), Text: text}, err
}

// RecordAt returns the record at a place. One that is gone is refused.
func RecordAt(ctx context.Context, from Fetcher, at *wire.Ref) (*stream.Record, error) {
	rec, err := ReadAt(ctx, from, at.Topic, at.Partition, at.Offset)
	if err == nil && rec == nil {
		err = refuseGone(at)
	}
	return rec, err
}

func refuseGone(at *wire.Ref) error {
	return httpapi.Refusef(http.StatusNotFound, string(wire.RefGone), "the topic does not hold the record %s any more", at)
}

// refuseNoID refuses a correction of what was learned from a record without an id. The sentence is
// true with a window and without one.
func refuseNoID(place string) error {
	return httpapi.Refusef(http.StatusConflict, "no_id", "the record %s has no id of its own: what it counted cannot be "+
		"corrected, and stays until it leaves the window, if the spec has one (limits.window)", place)
}

func unknown(id string) error {
	return httpapi.Refusef(http.StatusNotFound, string(wire.UnknownID),
		"no document %q was learned, or it was forgotten, is too old (limits.ledger, limits.window), or its counts "+
			"were imported: send its source", id)
}
