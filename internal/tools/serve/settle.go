package serve

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// settle ends what a kill has left of the last transaction of classify, of which the embedded broker
// keeps less than Kafka does:
//
//   - It gives an open transaction up, and writes no marker. Readers of committed records would miss
//     all that the same producer writes later.
//   - It writes the offset of the group behind the marker of the decisions. Where only the marker is on
//     the disk, the documents would be decided again.
func (p *pipeline) settle(ctx context.Context) error {
	answers := []string{labels, deadLetters}
	for _, topic := range append(answers, documents) {
		switch _, err := p.client.Topic(ctx, topic); {
		case errors.Is(err, stream.ErrUnknownTopic):
			return nil // classify has not begun
		case err != nil:
			return err
		}
	}
	producer, done, err := p.client.TakeOver(ctx, stream.Alone(p.classify().Group, documents, 0))
	if err == nil {
		err = producer.Abort(ctx, 0, answers...)
	}
	var next int64
	if err == nil {
		next, err = p.answeredBefore(ctx, answers)
	}
	if err == nil && next > done {
		err = producer.Commit(ctx, next)
	}
	if err != nil {
		return fmt.Errorf("settle the last transaction of the embedded broker: %w", err)
	}
	return nil
}

// answeredBefore returns the offset behind the last document that was answered, 0 if none was.
func (p *pipeline) answeredBefore(ctx context.Context, topics []string) (next int64, err error) {
	for _, topic := range topics {
		at, err := p.lastAnswer(ctx, topic)
		if err != nil {
			return 0, err
		}
		next = max(next, at+1)
	}
	return next, nil
}

// The end of a topic that is read for its last answer, in offsets: more if there is none, as behind a
// large transaction that was aborted.
const (
	lastAnswers = 1000
	mostAnswers = 100 * lastAnswers
)

// lastAnswer returns the offset of the document of the last answer of a topic, -1 if there is none.
func (p *pipeline) lastAnswer(ctx context.Context, topic string) (offset int64, err error) {
	first, end, err := p.client.Offsets(ctx, topic, 0)
	offset = -1
	for from := end; err == nil && offset < 0 && from > first && end-from < mostAnswers; {
		from = max(first, end-max(lastAnswers, 10*(end-from)))
		tail := stream.Tail{Topic: topic, From: []int64{from}, Until: []int64{end}}
		err = p.client.EachOf(ctx, tail, func(r *stream.Record) error {
			if at := answerTo(r); at.Topic == documents {
				offset = max(offset, at.Offset)
			}
			return nil
		})
	}
	return offset, err
}

// answerTo returns which record a decision or a dead letter answers.
func answerTo(r *stream.Record) wire.Ref {
	if letter, isLetter := wire.ReadLetter(r); isLetter {
		return wire.Ref{Topic: letter.Topic, Partition: letter.Partition, Offset: letter.Offset}
	}
	if _, source := wire.ReadSource(r); source != nil {
		return *source
	}
	return wire.Ref{}
}
