package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// correctJSON is the body of POST /v1/corrections.
type correctJSON struct {
	Documents   []string `json:"documents"`
	Label       string   `json:"label"`
	Forget      bool     `json:"forget"`
	Undo        bool     `json:"undo"`
	New         bool     `json:"new"`
	By          string   `json:"by"`
	WaitSeconds *float64 `json:"wait_seconds"`
}

// receiptsJSON say what became of the corrections of a request.
type receiptsJSON struct {
	Receipts []receiptJSON `json:"receipts"`
}

type receiptJSON struct {
	Document string      `json:"document"`
	ID       string      `json:"id"`
	Place    *string     `json:"place"`
	Outcome  string      `json:"outcome"`
	Reason   string      `json:"reason"`
	Message  string      `json:"message"`
	Before   *judgedJSON `json:"before"`
	After    *judgedJSON `json:"after"`

	at    wire.Ref
	input *model.Input // nil: the text is gone
	class string
}

// Bounds on a request.
const (
	mostAtOnce  = 200
	mostByBytes = 100
	usualWait   = 5 * time.Second
	mostWait    = 20 * time.Second
)

// check returns what is wrong with a request.
func (b *correctJSON) check() error {
	said := 0
	for _, yes := range []bool{b.Label != "", b.Forget, b.Undo} {
		if yes {
			said++
		}
	}
	switch {
	case len(b.Documents) == 0 || len(b.Documents) > mostAtOnce:
		return fmt.Errorf("documents: want 1 to %d", mostAtOnce)
	case said != 1:
		return errors.New("want exactly one of label, forget and undo")
	case len(b.By) > mostByBytes:
		return fmt.Errorf("by: want %d bytes at most", mostByBytes)
	case b.WaitSeconds != nil && !(*b.WaitSeconds >= 0 && *b.WaitSeconds <= mostWait.Seconds()):
		return fmt.Errorf("wait_seconds: want 0 to %v", mostWait.Seconds())
	case b.Label != "":
		if err := counts.CheckClass(b.Label); err != nil {
			return fmt.Errorf("label %w", err)
		}
	}
	return nil
}

// correct answers POST /v1/corrections.
func (c *Console) correct(r *http.Request, b *correctJSON) (status int, answer any, err error) {
	b.Label = strings.TrimSpace(b.Label) // as in records
	if err := b.check(); err != nil {
		return 0, nil, badRequest("%v", err)
	}
	if !c.ready.Load() {
		return 0, nil, fmt.Errorf("%w: the console is still reading", httpapi.ErrNotReady)
	}
	out := receiptsJSON{Receipts: []receiptJSON{}}
	for _, document := range b.Documents {
		out.Receipts = append(out.Receipts, c.correctOne(r.Context(), document, b))
	}
	wait := usualWait
	if b.WaitSeconds != nil {
		wait = time.Duration(*b.WaitSeconds * float64(time.Second))
	}
	c.await(r.Context(), out.Receipts, wait)
	status = http.StatusOK
	for i := range out.Receipts {
		if out.Receipts[i].Outcome == httpapi.OutcomeWritten {
			status = http.StatusAccepted
		}
	}
	return status, out, nil
}

// correctOne writes the correction of one document.
func (c *Console) correctOne(ctx context.Context, document string, b *correctJSON) receiptJSON {
	r := receiptJSON{Document: document, Outcome: outcomeRefused}
	var err error
	if b.Undo {
		err = c.undo(ctx, &r, b)
	} else {
		err = c.say(ctx, &r, b)
	}
	if err == nil {
		return r
	}
	if refused := httpapi.RefusalIn(worker.RefusalOf(ctx, err)); refused != nil {
		r.Reason, r.Message = refused.Reason, refused.Message
		return r
	}
	c.log.Error("a correction could not be written", "document", document, "error", err)
	r.Reason, r.Message = "trouble", "Kafka did not take the correction, or did not say so: it may be written or not"
	return r
}

// say writes that a document has a label, or is to be forgotten.
func (c *Console) say(ctx context.Context, r *receiptJSON, b *correctJSON) error {
	n, err := c.find(ctx, r.Document)
	if err != nil {
		return err
	}
	r.ID = n.id
	if !b.New {
		c.replica.Read(func(s *fold.State) { err = worker.CheckLabel(s, b.Label, worker.AskAny) })
		if err != nil {
			return err
		}
	}
	l, err := c.lens()
	if err != nil {
		return err
	}
	said := &wire.Correction{ID: n.id, Source: n.source, Label: b.Label, Forget: b.Forget, By: b.By}
	to, err := c.finder(l.decoder).Find(ctx, said)
	if err != nil {
		return err
	}
	rec, err := l.decoder.CorrectionRecord(n.id, said, to.Text)
	if err != nil {
		return err
	}
	note := note{By: b.By, Was: c.wasOf(to.Was)}
	if n.source != nil {
		note.Source = n.source.String()
	}
	r.class = b.Label
	if r.class == "" && to.Was != nil {
		r.class = to.Was.Put.Label
	}
	c.judgeBefore(ctx, l, n, r)
	note.Before = r.Before
	return c.write(ctx, r, to.Partition, note, said, rec)
}

// judgeBefore sets what the model says of a document before its correction. Where the text is gone,
// nothing is known.
func (c *Console) judgeBefore(ctx context.Context, l *lens, n *named, r *receiptJSON) {
	rec, _ := c.text(ctx, n) // else nothing is known
	var document wire.Document
	if rec == nil || l.hashed || c.readDocument(l, rec, &document) != nil {
		return
	}
	r.input = &document.Input
	r.Before = c.judge(l, r)
}

// judge returns what the model says of a document now.
func (c *Console) judge(l *lens, r *receiptJSON) (out *judgedJSON) {
	c.replica.Read(func(s *fold.State) {
		if s.Model() == nil || s.Spec() != l.spec {
			return
		}
		l.judge(s, r.input, r.ID, -1, func(d *model.Decision) {
			out = &judgedJSON{Class: r.class}
			if d.Labelled {
				label := d.Label
				out.Label = &label
				out.Class = cmp.Or(out.Class, label)
			}
			for i := range d.Classes {
				if d.Classes[i].Name == out.Class {
					out.Posterior = d.Classes[i].Posterior
				}
			}
		})
	})
	return out
}

// write writes the records of a correction to a partition of the training topic, and waits until
// all replicas have them. The last of them is the correction.
func (c *Console) write(ctx context.Context, r *receiptJSON, partition int, n note, said *wire.Correction,
	records ...stream.Record) error {
	header, err := json.Marshal(n)
	if err != nil {
		return err
	}
	last := &records[len(records)-1]
	last.Headers = append(last.Headers, stream.Header{Key: headerCorrection, Value: header})
	topic := c.options.Topics.Training
	offset, err := worker.WriteDurably(ctx, c.client, topic, partition, records...)
	if err != nil {
		return err
	}
	r.at = wire.Ref{Topic: topic, Partition: partition, Offset: offset}
	r.Place = new(r.at.String())
	r.Outcome = httpapi.OutcomeWritten
	x := &correctionJSON{Time: time.Now().UTC(), Way: "console", ID: r.ID, Action: actionCorrect, at: r.at, note: n}
	if said.Forget {
		x.Action = actionForget
	} else {
		x.Label = &said.Label
	}
	c.corrections.add(x)
	return nil
}

// await waits until all corrections of a request are counted or skipped, but not longer than given,
// and judges the documents again.
func (c *Console) await(ctx context.Context, receipts []receiptJSON, wait time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		changed := c.corrections.outcomes.Changed()
		if c.settle(receipts) == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// settle sets the outcomes that are known, and returns how many are not.
func (c *Console) settle(receipts []receiptJSON) (open int) {
	for i := range receipts {
		r := &receipts[i]
		if r.Outcome != httpapi.OutcomeWritten {
			continue
		}
		x, known := c.corrections.find(*r.Place)
		if !known || x.Outcome == httpapi.OutcomeWritten {
			open++
			continue
		}
		r.Outcome, r.Reason = x.Outcome, x.Reason
		l, err := c.lens()
		if err == nil && r.input != nil && !l.hashed {
			r.After = c.judge(l, r)
			c.corrections.judged(r.at, r.After)
		}
	}
	return open
}

// outcome returns what is known of a record of the training topic.
func (a *corrections) outcome(at wire.Ref) (outcome, reason string) {
	src := sourceOf(at)
	var watermark int64
	a.c.replica.Read(func(s *fold.State) {
		p, _ := s.Progress(src)
		watermark = p.Watermark
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	outcome, reason = a.outcomes.Of(at)
	switch {
	case outcome == httpapi.OutcomeSkipped:
	case at.Offset >= watermark:
		return httpapi.OutcomeWritten, ""
	case outcome == httpapi.OutcomeWritten:
		return httpapi.OutcomeSkipped, reasonRolledBack
	}
	return outcome, reason
}

// reasonRolledBack is why a record does not count that a delta had which is no longer in force.
const reasonRolledBack = "rolled_back"

func sourceOf(at wire.Ref) fold.Source {
	return fold.Source{Topic: at.Topic, Partition: int32(at.Partition)}
}

// restart notes that the replica goes on from another state. What each correction came to is found
// out again.
func (a *corrections) restart(s *fold.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes.Restart(s)
	for _, x := range a.list {
		x.Outcome = httpapi.OutcomeWritten
		x.Reason = ""
	}
}

// folded notes a record of the model log. Behind one that is a command corrections that were not
// counted may never be.
func (a *corrections) folded(o fold.Outcome) {
	if o != fold.Controlled {
		return
	}
	a.mu.Lock()
	var waiting []*correctionJSON
	for _, x := range a.list {
		if x.Outcome == httpapi.OutcomeWritten {
			waiting = append(waiting, x)
		}
	}
	a.mu.Unlock()
	for _, x := range waiting {
		a.refresh(x)
	}
}

// accepted notes a delta. The replica calls it under its lock.
func (a *corrections) accepted(d *fold.Delta) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes.Accepted(d)
	for _, x := range a.list {
		isIn := func(r fold.Range) bool {
			return sourceOf(x.at) == r.Source && x.at.Offset >= r.Start && x.at.Offset < r.End
		}
		if x.Outcome == httpapi.OutcomeWritten && slices.ContainsFunc(d.Ranges, isIn) {
			outcome, reason := a.outcomes.Of(x.at)
			a.settle(x, outcome, reason)
		}
	}
}
