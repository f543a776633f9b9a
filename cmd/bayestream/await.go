package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/status"
)

const (
	explainAfter = 5 * time.Second // of waiting in silence
	lookAtLog    = 100 * time.Millisecond
)

// awaited follows the model log until records of the training topic are counted.
type awaited struct {
	process cli.Process
	client  *stream.Client
	topics  status.Topics
	state   *fold.State         // of the log before the records were sent
	before  stream.Tail         // the ends of the training topic then
	id      stream.TopicID      // of the training topic then; zero: the brokers have none
	skipped map[wire.Ref]string // reasons
}

// await begins to follow, before the records are sent. state is that of the log so far.
func await(ctx context.Context, p cli.Process, client *stream.Client, topics status.Topics,
	state *fold.State) (*awaited, error) {
	before, err := client.TailFrom(ctx, topics.Training, stream.TailStart{End: true})
	if err != nil {
		return nil, err
	}
	id, err := client.TopicID(ctx, topics.Training, 0)
	return &awaited{process: p, client: client, topics: topics, state: state, before: before, id: id,
		skipped: map[wire.Ref]string{}}, err
}

// counted waits until all that was sent is counted or skipped. After some seconds it says what it
// waits for. It returns how many were counted, and those that were not by their reasons.
func (a *awaited) counted(ctx context.Context, sent []stream.Written) (n int64, skipped map[string]int64, err error) {
	explain := a.process.Timer(explainAfter)
	for {
		if err := a.fold(ctx); err != nil {
			return 0, nil, err
		}
		if a.hasAll(sent) {
			n, skipped = a.count(sent)
			return n, skipped, nil
		}
		select {
		case <-explain:
			a.explain(ctx, sent)
		case <-time.After(lookAtLog):
		case <-ctx.Done():
			return 0, nil, context.Cause(ctx)
		}
	}
}

// fold folds what is new in the log.
func (a *awaited) fold(ctx context.Context) error {
	err := modellog.Replay(ctx, a.client, a.topics.Model, a.state, -1, func(e fold.Entry, outcome fold.Outcome) {
		if e.Delta == nil || outcome != fold.Accepted {
			return
		}
		for _, r := range e.Delta.Ranges {
			for _, s := range r.Skipped {
				a.skipped[wire.Ref{Topic: r.Topic, Partition: int(r.Partition), Offset: s.Offset}] = s.Reason
			}
		}
	})
	if errors.Is(err, stream.ErrUnknownTopic) {
		return nil // ingest makes it
	}
	return err
}

// hasAll reports whether the deltas have all records.
func (a *awaited) hasAll(sent []stream.Written) bool {
	return !a.isOther(sent) && !slices.ContainsFunc(sent, func(w stream.Written) bool {
		return a.progress(w).Watermark <= w.Last
	})
}

// isOther reports whether deltas have counted another topic than the one that the records are in.
func (a *awaited) isOther(sent []stream.Written) bool {
	return slices.ContainsFunc(sent, func(w stream.Written) bool { return a.progress(w).Anchor.IsOfOther(a.id) })
}

func (a *awaited) progress(w stream.Written) fold.Progress {
	p, _ := a.state.Progress(fold.Source{Topic: a.topics.Training, Partition: int32(w.Partition)})
	return p
}

// explain says what is waited for.
func (a *awaited) explain(ctx context.Context, sent []stream.Written) {
	if a.isOther(sent) {
		(&printer{w: a.process.Stderr}).f("not learned yet: the topic %s was created again, and the model has counted the "+
			"one before it; bayestream status says why ingest waits\n", a.topics.Training)
		return
	}
	explainWait(ctx, a.process, a.client, a.topics, "not learned yet")
}

func (a *awaited) count(sent []stream.Written) (n int64, skipped map[string]int64) {
	skipped = map[string]int64{}
	for _, w := range sent {
		n += w.Records
	}
	for at, reason := range a.skipped {
		if slices.ContainsFunc(sent, func(w stream.Written) bool {
			return at.Topic == a.topics.Training && w.Partition == at.Partition && w.First <= at.Offset && at.Offset <= w.Last
		}) {
			skipped[reason]++
			n--
		}
	}
	return n, skipped
}

// forwarded returns where ingest wrote a record again, to the partition that knows its document.
func (a *awaited) forwarded(ctx context.Context, at wire.Ref) (again []stream.Written, err error) {
	tail, err := a.client.TailFrom(ctx, a.topics.Training, stream.TailStart{})
	if err != nil {
		return nil, err
	}
	copy(tail.From, a.before.From)
	err = a.client.EachOf(ctx, tail, func(r *stream.Record) error {
		if f, is := wire.ReadForward(r); is && f.From == at {
			again = append(again, stream.Written{Partition: r.Partition, Records: 1, First: r.Offset, Last: r.Offset})
		}
		return nil
	})
	return again, err
}

// byReason lists the records that were not learned.
func byReason(skipped map[string]int64) string {
	var parts []string
	for _, reason := range slices.SortedFunc(maps.Keys(skipped), func(a, b string) int {
		return cmp.Or(cmp.Compare(skipped[b], skipped[a]), cmp.Compare(a, b))
	}) {
		parts = append(parts, fmt.Sprintf("%d %s", skipped[reason], reason))
	}
	return strings.Join(parts, ", ")
}

// explainWait says on standard error what a verb waits for.
func explainWait(ctx context.Context, p cli.Process, client *stream.Client, topics status.Topics, what string) {
	s, err := lookAt(ctx, client, topics, nil)
	if err != nil {
		return // what waits meets the same error, and says so
	}
	(&printer{w: p.Stderr}).f("%s: %s\n", what, s.Summary())
}
