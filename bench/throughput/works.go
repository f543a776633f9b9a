package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"bayestream/bench/labelled"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/wire"

	"github.com/segmentio/kafka-go"
)

// model is the topic of the model that classify reads.
func (b *bench) model() string { return b.name + "-model" }

// teach learns the model from n news.
func (b *bench) teach(ctx context.Context, n int) error {
	topic, err := b.training(ctx, n, newID)
	if err != nil {
		return err
	}
	b.taught = topic
	return b.startIngest(ctx, topic, b.model(), "").wait(ctx, n)
}

// newID returns an id for each record.
func newID(i int) string { return "news-" + strconv.Itoa(i) }

// training fills a topic with labelled news of about 140 bytes that have the ids that id returns.
func (b *bench) training(ctx context.Context, n int, id func(i int) string) (string, error) {
	topic, err := b.newTopic(ctx, "training")
	if err != nil {
		return "", err
	}
	items := texts(0)
	return topic, b.fill(ctx, topic, n, func(dst []byte, i int) []byte {
		x := &items[i%(len(items)-1)] // which divides no number of ids: a record that replaces another one has another text
		return labelled.AppendTraining(dst, id(i), x.Label, x.Text)
	})
}

// learning returns the works of ingest, with ids and a ledger: where each id is new; where each
// record of the second half replaces one of the first; and with a window of a tenth, so that most
// are taken out again.
func (b *bench) learning(ctx context.Context, n int) ([]work, error) {
	window := filepath.Join(b.dir, "window.yaml")
	if err := os.WriteFile(window, fmt.Appendf(nil, "limits: {window: {records: %d}}\n", max(n/b.partitions/10, 1)),
		0o600); err != nil {
		return nil, err
	}
	turn := fillBatch * b.partitions
	half := max(n/2/turn, 1) * turn // an id has one partition
	size := len(labelled.AppendTraining(nil, "news-000000", "election", texts(0)[0].Text))
	var works []work
	for _, w := range []struct {
		name, spec string
		first      int
		id         func(i int) string
	}{
		{"ingest, with ids and ledger", "", 0, newID},
		{"ingest, the second half replaces the first", "", half, func(i int) string { return newID(i % half) }},
		{"ingest, a window of a tenth", window, 0, newID},
	} {
		topic, err := b.training(ctx, n, w.id)
		if err != nil {
			return nil, err
		}
		works = append(works, work{Name: w.name, Bytes: size, messages: n, first: w.first,
			start: func(ctx context.Context) (running, error) {
				b.runs++
				return b.startIngest(ctx, topic, fmt.Sprintf("%s-model-%d", b.name, b.runs), w.spec), nil
			}})
	}
	return works, nil
}

// startIngest starts an ingest with a new group and the spec in a file, "" for the default. The
// messages done are those with committed offsets, which are in the log and folded.
func (b *bench) startIngest(ctx context.Context, topic, model, spec string) running {
	c := config.Default[config.Ingest]()
	c.Spec = spec
	b.worker(&c.Worker, "ingest", model)
	c.TrainingTopic = topic
	run := func(ctx context.Context) error { return ingest.Run(ctx, c, b.log) }
	return background(ctx, run, b.committed(c.Group, topic))
}

// committed returns a function that says how many messages of a topic a group has done: its
// committed offsets.
func (b *bench) committed(group, topic string) func(context.Context) (int, error) {
	offsets := &kafka.Client{Addr: kafka.TCP(b.brokers...)}
	var partitions []int
	for p := range b.partitions {
		partitions = append(partitions, p)
	}
	return func(ctx context.Context) (n int, err error) {
		r, err := offsets.OffsetFetch(ctx,
			&kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: partitions}})
		if err != nil || r.Error != nil {
			return 0, nil //nolint:nilerr // the group does not exist yet
		}
		for _, p := range r.Topics[topic] {
			n += int(max(p.CommittedOffset, 0))
		}
		return n, nil
	}
}

// sized returns the works on documents of one size: copy loops, classify and the consumer in
// Python.
func (b *bench) sized(ctx context.Context, bytes, n int) ([]work, error) {
	topic, err := b.newTopic(ctx, "documents")
	if err != nil {
		return nil, err
	}
	items := texts(bytes)
	err = b.fill(ctx, topic, n, func(dst []byte, i int) []byte {
		return labelled.AppendDocument(dst, "document-"+strconv.Itoa(i), items[i%len(items)].Text)
	})
	if err != nil {
		return nil, err
	}
	decision, err := b.decisionBytes(ctx, topic, n)
	if err != nil {
		return nil, err
	}
	copied := func(name string, value []byte) work {
		return work{Name: fmt.Sprintf("copy %d bytes, %s", bytes, name), Bytes: bytes, messages: n,
			start: func(ctx context.Context) (running, error) {
				to, err := b.newTopic(ctx, "copy")
				if err != nil {
					return running{}, err
				}
				run := func(ctx context.Context) error { return b.copyLoop(ctx, topic, to, to, value) }
				return background(ctx, run, func(ctx context.Context) (int, error) { return b.written(ctx, to) }), nil
			}}
	}
	works := []work{
		copied("as they are", nil),
		b.classify(topic, bytes, n, wire.EmitHeaders, exactlyOnce),
		copied(fmt.Sprintf("writing %d", decision), make([]byte, decision)),
		b.classify(topic, bytes, n, wire.EmitEvent, exactlyOnce),
		b.classify(topic, bytes, n, wire.EmitEvent, atLeastOnce),
	}
	if b.python != "" {
		works = append(works, b.pythonConsumer(b.python, topic, bytes, n))
	}
	return works, nil
}

// The values of --delivery.
const (
	exactlyOnce = "exactly-once"
	atLeastOnce = "at-least-once"
)

// classify returns the work of the worker in one of its modes.
func (b *bench) classify(topic string, bytes, n int, emit, delivery string) work {
	return work{Name: fmt.Sprintf("classify %d bytes, %s, %s", bytes, emit, delivery), Bytes: bytes, messages: n,
		start: func(ctx context.Context) (running, error) {
			_, r, err := b.startClassify(ctx, topic, emit, delivery)
			return r, err
		}}
}

// startClassify starts a classify with a new group on a new labels topic.
func (b *bench) startClassify(ctx context.Context, topic, emit, delivery string) (labels string, r running, err error) {
	labels, err = b.newTopic(ctx, "labels")
	if err != nil {
		return "", r, err
	}
	c := config.Default[config.Classify]()
	b.worker(&c.Worker, "classify", b.model())
	c.DocumentsTopic = topic
	c.LabelsTopic = labels
	c.Emit = emit
	c.Delivery = delivery
	c.CommitEach = b.commitEach
	run := func(ctx context.Context) error { return classify.Run(ctx, c, b.log) }
	return labels, background(ctx, run, b.committed(c.Group, topic)), nil
}

// background runs f until stop is called. Until then done returns how many messages are done, or
// the error of f.
func background(ctx context.Context, f func(context.Context) error, done func(context.Context) (int, error)) running {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	var err error
	go func() {
		defer close(ended)
		err = f(ctx)
		if errors.Is(err, context.Canceled) {
			err = nil
		}
	}()
	return running{
		done: func(ctx context.Context) (int, error) {
			select {
			case <-ended:
				if err != nil {
					return 0, err
				}
			default:
			}
			return done(ctx)
		},
		stop: func() error {
			cancel()
			<-ended
			return err
		},
	}
}
