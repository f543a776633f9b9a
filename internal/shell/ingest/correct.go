package ingest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// corrector answers POST /v1/labels. It never changes a ledger: it writes a training record to the partition that holds
// the document, whoever counts that.
type corrector struct {
	prepared atomic.Pointer[ingester] // nil: there is no spec yet
	worker   *worker.Worker
}

// correct writes the record of a correction and returns what became of it.
func (x *corrector) correct(ctx context.Context, c *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
	done, err := x.write(ctx, c, wait)
	return done, worker.RefusalOf(ctx, err)
}

func (x *corrector) write(ctx context.Context, c *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
	in := x.prepared.Load()
	if in == nil {
		return httpapi.Corrected{}, fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)
	}
	partitions, err := x.worker.TopicPartitions(ctx, in.config.TrainingTopic)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	f, err := in.finder(partitions)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	to, err := f.find(ctx, c)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	rec, err := f.decoder.CorrectionRecord(to.id, c, to.text)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	return x.worker.SendCorrection(ctx, f.topic, to.partition, rec, wait)
}

// finder finds the document of a correction.
type finder struct {
	topic      string // of the training records
	partitions int    // of it
	refs       []string
	decoder    *wire.Decoder
	key        *spec.TermsKey
	replica    *modellog.Replica
	fetcher    worker.Fetcher
}

// finder returns one for the training topic, which has that many partitions. It reads records by the paths in force.
func (in *ingester) finder(partitions int) (*finder, error) {
	reads := in.latest()
	in.replica.Read(func(s *fold.State) {
		if now := s.Spec(); now != nil { // else the log was created again, and will have this one
			reads = now
		}
	})
	decoder, err := wire.NewDecoder(Schema(in.config, reads))
	if err != nil {
		return nil, err
	}
	return &finder{
		topic: in.config.TrainingTopic, partitions: partitions, refs: in.config.RefTopics, decoder: decoder, key: in.key, replica: in.replica, fetcher: in.broker,
	}, nil
}

// target is where the record of a correction goes, and what document it has.
type target struct {
	id        string
	partition int
	text      *stream.Record // nil: the ledger of the partition knows it
}

// find returns the target of a correction: the partition whose ledger has the id, or for a document that was not learned
// yet the one of its id, with its source.
func (f *finder) find(ctx context.Context, c *wire.Correction) (target, error) {
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
		return target{}, unknown(c.ID)
	case source.Topic == f.topic:
		return f.learnedAt(ctx, source, c)
	case !slices.Contains(f.refs, source.Topic):
		return target{}, wire.Rejectf(wire.RefDenied, "topic %q is not among those that --ref-topics allows", source.Topic)
	}
	return f.documentAt(ctx, source, c)
}

// byID returns the target of a document that a ledger knows. known says whether one does.
func (f *finder) byID(ctx context.Context, id string, c *wire.Correction) (to target, known bool, err error) {
	holders := f.holders(id)
	if len(holders) > 1 && c.Source != nil && c.Source.Topic == f.topic {
		holders = slices.DeleteFunc(holders, func(h holder) bool { return h.partition != c.Source.Partition })
	}
	switch len(holders) {
	case 0:
		return to, false, nil
	case 1:
		to, err = f.to(ctx, id, holders[0], c)
		return to, true, err
	}
	var places []string
	for _, h := range holders {
		places = append(places, fmt.Sprintf("%s/%d/%d", f.topic, h.partition, h.offset))
	}
	return to, true, &httpapi.RefusedError{
		Status: http.StatusConflict, Reason: "ambiguous_id",
		Message: fmt.Sprintf("%d documents have the id %q, in different partitions: send the source of the one that is meant: %s", len(holders), id, strings.Join(places, ", ")),
	}
}

// holders returns the entries that the ledgers have under an id.
func (f *finder) holders(id string) (found []holder) {
	if f.key != nil {
		id = f.key.Hasher().ID(id)
	}
	f.replica.Read(func(s *fold.State) { found = holders(s, f.topic, id) })
	return found
}

// to returns the target of a document of a ledger. A record whose value is the document says its label beside the text.
func (f *finder) to(ctx context.Context, id string, h holder, c *wire.Correction) (target, error) {
	to := target{id: id, partition: h.partition}
	if !f.decoder.IsWhole() || c.Forget {
		return to, nil
	}
	var err error
	to.text, err = worker.ReadAt(ctx, f.fetcher, h.text.topic, int(h.text.partition), h.text.offset)
	if err == nil && to.text == nil {
		err = httpapi.RefuseGone(h.text.String())
	}
	return to, err
}

// learnedAt returns the target of the document of a training record.
func (f *finder) learnedAt(ctx context.Context, source *wire.Ref, c *wire.Correction) (target, error) {
	rec, err := worker.ReadAt(ctx, f.fetcher, source.Topic, source.Partition, source.Offset)
	if err != nil {
		return target{}, err
	}
	if rec == nil {
		return target{}, httpapi.RefuseGone(source.String())
	}
	var t wire.Training
	if err := f.decoder.Training(rec, &t); err != nil {
		return target{}, err
	}
	if !t.Explicit {
		return target{}, httpapi.RefuseNoID(source.String())
	}
	for _, h := range f.holders(t.ID) {
		if h.partition == source.Partition {
			return f.to(ctx, t.ID, h, c)
		}
	}
	return target{}, unknown(t.ID)
}

// documentAt returns the target of a document that is not a training record.
func (f *finder) documentAt(ctx context.Context, source *wire.Ref, c *wire.Correction) (target, error) {
	text, err := worker.ReadAt(ctx, f.fetcher, source.Topic, source.Partition, source.Offset)
	if err != nil {
		return target{}, err
	}
	id, err := f.decoder.CorrectedID(c, source, text)
	if err != nil {
		return target{}, err
	}
	if to, known, err := f.byID(ctx, id, c); known || err != nil {
		return to, err
	}
	switch {
	case c.Forget:
		return target{}, unknown(id)
	case text == nil:
		return target{}, httpapi.RefuseGone(source.String())
	}
	return target{id: id, partition: stream.Murmur2Partition([]byte(id), f.partitions), text: text}, nil
}

func unknown(id string) error {
	return &httpapi.RefusedError{
		Status: http.StatusNotFound, Reason: string(wire.UnknownID),
		Message: fmt.Sprintf("no document %q was learned, or it was forgotten, or it is not among the newest (limits.ledger, or limits.window where the spec has one): to label another document send its source", id),
	}
}
