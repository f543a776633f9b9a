package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/serve"
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
	if d.labels == nil {
		if err := d.openLabels(ctx); err != nil {
			return err
		}
	}
	if err := d.write(ctx, topicDocuments, records); err != nil {
		return err
	}
	for p := 0; len(waiting) > 0; p = (p + 1) % partitions {
		if err := d.collect(ctx, p, waiting); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
	}
	return nil
}

// tail is the position in each partition of a topic.
type tail struct {
	topic string
	next  [partitions]int64
}

// openLabels begins at the end of the topics of answers: earlier records are from an earlier run.
func (d *demo) openLabels(ctx context.Context) error {
	d.labels = &tail{topic: topicLabels}
	d.dead = &tail{topic: topicDead}
	for _, t := range []*tail{d.labels, d.dead} {
		for p := range partitions {
			_, end, err := d.client.Offsets(ctx, t.topic, p)
			if err != nil {
				return err
			}
			t.next[p] = end
		}
	}
	return nil
}

// collect reads the decisions and dead letters of one partition.
func (d *demo) collect(ctx context.Context, p int, waiting map[string]item) error {
	records, err := d.labels.read(ctx, d.client, p)
	if err != nil {
		return err
	}
	for i := range records {
		answer, err := wire.ParseDecision(records[i].Value)
		if err != nil {
			return fmt.Errorf("a decision cannot be read: %w", err)
		}
		x, ok := waiting[answer.ID]
		if !ok {
			continue // written twice: the first counts
		}
		delete(waiting, answer.ID)
		d.score.decided(x, answer)
	}
	return d.countDead(ctx, p, waiting)
}

// countDead counts the new dead letters of one partition. There will be no decision on their
// documents.
func (d *demo) countDead(ctx context.Context, p int, waiting map[string]item) error {
	records, err := d.dead.read(ctx, d.client, p)
	if err != nil {
		return err
	}
	for i := range records {
		d.score.dead++
		delete(waiting, string(records[i].Key))
	}
	return nil
}

// read returns the new records of a partition, after a short wait if there are none.
func (t *tail) read(ctx context.Context, c *stream.Client, p int) ([]stream.Record, error) {
	_, end, err := c.Offsets(ctx, t.topic, p)
	if err != nil || end <= t.next[p] {
		return nil, err
	}
	got, err := c.Fetch(ctx, stream.FetchRequest{Topic: t.topic, Partition: p, Offset: t.next[p],
		MaxWait: 50 * time.Millisecond, Committed: true})
	if err != nil {
		return nil, err
	}
	t.next[p] = got.Next
	return got.Records, nil
}

// write appends records to a topic, each to the partition that Kafka's own clients would choose.
func (d *demo) write(ctx context.Context, topic string, records []stream.Record) error {
	var by [partitions][]stream.Record
	for _, r := range records {
		p := stream.Murmur2Partition(r.Key, partitions)
		by[p] = append(by[p], r)
	}
	for p, list := range by {
		if len(list) == 0 {
			continue
		}
		if _, err := d.client.ProduceRetry(ctx, topic, p, list); err != nil {
			return err
		}
	}
	return nil
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
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	d.score.learned += int64(len(items)) - (skipped - skippedBefore)
	for p := range partitions { // here, so that the next block takes none of them for one of its documents
		if err := d.countDead(ctx, p, nil); err != nil {
			return err
		}
	}
	return d.pipe.waitClassify(ctx, items[0].document, bodyType(d.options.Spec), position)
}

// labelled returns the training record of an item.
func (d *demo) labelled(x item) stream.Record {
	r := stream.Record{Key: []byte(x.ID), Value: x.training}
	if name := d.options.Spec.RecordPlaces().Label.Header; name != "" {
		r.Headers = []stream.Header{{Key: name, Value: []byte(x.Label)}}
	}
	return r
}

// bodyType returns the media type of a document.
func bodyType(s *spec.Spec) string {
	if s.IsJSON() {
		return "application/json"
	}
	return "application/octet-stream"
}

// waitClassify waits until classify decides on a document with the model at an offset of the log.
func (p *pipeline) waitClassify(ctx context.Context, document []byte, mediaType string, offset int64) error {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.Classify+"/v1/classify",
			bytes.NewReader(document))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", mediaType)
		var answer struct {
			Model struct{ Offset int64 }
		}
		if status, body, err := serve.Ask(req); err == nil && status == http.StatusOK &&
			json.Unmarshal(body, &answer) == nil && answer.Model.Offset >= offset {
			return nil
		}
		stream.Sleep(ctx, 2*time.Millisecond)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}
