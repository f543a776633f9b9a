package stream

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Tail is the part of a topic to read, partition by partition.
type Tail struct {
	Topic string
	From  []int64 // the first offset of each partition
	Until []int64 // the offset to stop before, of each partition; nil: go on with what is written meanwhile

	Schemas bool // the records get their schemas, as in a FetchRequest
}

// TailFrom returns a Tail from the start of the topic, its end, or the first records at or after a
// time.
func (c *Client) TailFrom(ctx context.Context, topic string, from TailStart) (Tail, error) {
	info, err := c.Topic(ctx, topic)
	if err != nil {
		return Tail{}, err // it names the topic
	}
	t := Tail{Topic: topic}
	for p := range info.Partitions {
		first, end, err := c.Offsets(ctx, topic, p)
		switch {
		case err != nil:
		case from.End:
			first = end
		case !from.Time.IsZero():
			first, err = c.OffsetAt(ctx, topic, p, from.Time)
		}
		if err != nil {
			return Tail{}, err
		}
		t.From = append(t.From, first)
		t.Until = append(t.Until, end)
	}
	return t, nil
}

// TailStart is where a Tail begins: by default at the start of the topic.
type TailStart struct {
	End  bool
	Time time.Time
}

// ErrStop is returned by the function that EachOf calls, to end it.
var ErrStop = errors.New("stop reading")

// EachOf calls f for the committed records of a Tail, one after the other, those of a partition in
// order. Without Until it goes on until ctx ends. The record is valid until f returns.
func (c *Client) EachOf(ctx context.Context, t Tail, f func(*Record) error) error {
	return c.EachOfAll(ctx, []Tail{t}, f)
}

// EachOfAll is EachOf for several topics at once.
func (c *Client) EachOfAll(ctx context.Context, tails []Tail, f func(*Record) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var one sync.Mutex
	for _, t := range tails {
		for p := range t.From {
			group.Go(func() error {
				until := int64(-1)
				if t.Until != nil {
					until = t.Until[p]
				}
				from := FetchRequest{Topic: t.Topic, Partition: p, Offset: t.From[p], Committed: true, Schemas: t.Schemas}
				return c.eachIn(ctx, from, until, func(r *Record) error {
					one.Lock()
					defer one.Unlock()
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
					return f(r)
				})
			})
		}
	}
	err := group.Wait()
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

func (c *Client) eachIn(ctx context.Context, from FetchRequest, until int64, f func(*Record) error) error {
	for until < 0 || from.Offset < until {
		got, err := c.Fetch(ctx, from)
		if err != nil {
			return err
		}
		for i := range got.Records {
			if until >= 0 && got.Records[i].Offset >= until {
				return nil
			}
			if err := f(&got.Records[i]); err != nil {
				return err
			}
		}
		if until >= 0 && got.Next == from.Offset && got.LastStable < until && len(got.Records) == 0 {
			return nil // an open transaction holds back the rest
		}
		from.Offset = got.Next
	}
	return nil
}
