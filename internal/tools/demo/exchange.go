package demo

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/status"
)

// test writes the documents of a block, without their labels, and waits for the answers.
func (d *demo) test(ctx context.Context, items []item) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errAnswers("decisions", len(items)))
	defer cancel()
	waiting := map[string]item{}
	var records []stream.Record
	for _, x := range items {
		waiting[x.ID] = x
		records = append(records, stream.Record{Key: []byte(x.ID), Value: x.document})
	}
	err := d.write(ctx, topicDocuments, records)
	for err == nil && len(waiting) > 0 {
		err = d.collect(ctx, waiting)
	}
	return cmp.Or(context.Cause(ctx), err)
}

// openAnswers begins at the end of the topics of answers: earlier records are from an earlier run.
func (d *demo) openAnswers(ctx context.Context) (err error) {
	if d.labels, err = d.client.TailFrom(ctx, topicLabels, stream.TailStart{End: true}); err == nil {
		d.dead, err = d.client.TailFrom(ctx, topicDead, stream.TailStart{End: true})
	}
	return err
}

func (d *demo) collect(ctx context.Context, waiting map[string]item) error {
	err := d.read(ctx, &d.labels, func(r *stream.Record) error {
		answer, err := wire.ParseDecision(r.Value)
		if err != nil {
			return fmt.Errorf("a decision cannot be read: %w", err)
		}
		if x, ok := waiting[answer.ID]; ok { // else it is written twice: the first counts
			delete(waiting, answer.ID)
			d.score.decided(x, answer)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.countDead(ctx, waiting)
}

// countDead counts the new dead letters. There will be no decision on their documents.
func (d *demo) countDead(ctx context.Context, waiting map[string]item) error {
	return d.read(ctx, &d.dead, func(r *stream.Record) error {
		d.score.dead++
		delete(waiting, string(r.Key))
		return nil
	})
}

// read calls f for the new records of a topic.
func (d *demo) read(ctx context.Context, t *stream.Tail, f func(*stream.Record) error) (err error) {
	for p := range t.Until {
		if _, t.Until[p], err = d.client.Offsets(ctx, t.Topic, p); err != nil {
			return err
		}
	}
	return d.client.EachOf(ctx, *t, func(r *stream.Record) error {
		t.From[r.Partition] = r.Offset + 1
		return f(r)
	})
}

// write appends records to a topic, each to the partition that Kafka's own clients would choose.
func (d *demo) write(ctx context.Context, topic string, records []stream.Record) error {
	w, err := d.client.NewKeyedWriter(ctx, topic)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := w.Write(ctx, r); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// learn writes the labelled records of a block and waits until they are counted and classify has
// the counts: the next block is tested with them.
func (d *demo) learn(ctx context.Context, items []item) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errAnswers("records to be counted", len(items)))
	defer cancel()
	var before, after, skippedBefore, skipped int64
	d.pipe.replica.Read(func(s *fold.State) { before, skippedBefore = counted(s) })
	var records []stream.Record
	for _, x := range items {
		records = append(records, d.labelled(x))
	}
	if err := d.write(ctx, topicTraining, records); err != nil {
		return err
	}
	var position int64
	err := d.pipe.replica.Wait(ctx, func(s *fold.State) bool {
		after, skipped = counted(s)
		position = s.Next() - 1
		return after >= before+int64(len(items))
	})
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	d.score.learned += int64(len(items)) - (skipped - skippedBefore)
	// here, so that the next block takes none of them for one of its documents
	if err := d.countDead(ctx, nil); err != nil {
		return err
	}
	return d.pipe.waitClassify(ctx, position)
}

func (d *demo) labelled(x item) stream.Record {
	r := stream.Record{Key: []byte(x.ID), Value: x.training}
	if name := d.options.Spec.RecordPlaces().Label.Header; name != "" {
		r.Headers = []stream.Header{{Key: name, Value: []byte(x.Label)}}
	}
	return r
}

// waitClassify waits until classify decides with the model at an offset of the log.
func (p *pipeline) waitClassify(ctx context.Context, offset int64) error {
	for {
		var at httpapi.Digest
		if status.Get(ctx, "http://"+p.Classify+"/v1/digest", &at) == nil && at.Offset >= offset {
			return nil
		}
		stream.Sleep(ctx, 2*time.Millisecond)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}
