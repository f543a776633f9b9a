package classify

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// corrector is what a correction asks of the worker. A *worker.Worker is one.
type corrector interface {
	TopicPartitions(ctx context.Context, topic string) (int, error)
	SendCorrection(ctx context.Context, topic string, partition int, rec stream.Record, wait time.Duration) (httpapi.Corrected, error)
}

// correct answers POST /v1/labels.
func (c *classifier) correct(ctx context.Context, said *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
	done, err := c.writeCorrection(ctx, said, wait)
	return done, worker.RefusalOf(ctx, err)
}

// writeCorrection writes a training record that refers to the document, for ingest to count. It knows
// no ledger, and an id only if it has decided on that document recently.
func (c *classifier) writeCorrection(ctx context.Context, said *wire.Correction, wait time.Duration) (httpapi.Corrected, error) {
	decoder, err := c.trainingDecoder()
	if err != nil {
		return httpapi.Corrected{}, err
	}
	source, err := c.sourceOf(said)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	text, err := worker.ReadAt(ctx, c.broker, source.Topic, source.Partition, source.Offset)
	switch {
	case err != nil:
		return httpapi.Corrected{}, err
	case text == nil:
		return httpapi.Corrected{}, httpapi.RefuseGone(source.String())
	}
	if source.Topic == c.config.TrainingTopic {
		return c.correctLearned(ctx, decoder, said, source, text, wait)
	}
	id, err := decoder.CorrectedID(said, source, text)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	rec, err := decoder.CorrectionRecord(id, said, text)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	partitions, err := c.corrector.TopicPartitions(ctx, c.config.TrainingTopic)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	return c.corrector.SendCorrection(ctx, c.config.TrainingTopic, stream.Murmur2Partition([]byte(id), partitions), rec, wait)
}

// correctLearned corrects the document of a training record, by its id and in its partition, whose ledger knows it.
func (c *classifier) correctLearned(ctx context.Context, decoder *wire.Decoder, said *wire.Correction, source *wire.Ref, learned *stream.Record, wait time.Duration) (httpapi.Corrected, error) {
	var t wire.Training
	if err := decoder.Training(learned, &t); err != nil {
		return httpapi.Corrected{}, err
	}
	if !t.Explicit {
		return httpapi.Corrected{}, httpapi.RefuseNoID(source.String())
	}
	var text *stream.Record
	if decoder.IsWhole() {
		text = learned
	}
	rec, err := decoder.CorrectionRecord(t.ID, said, text)
	if err != nil {
		return httpapi.Corrected{}, err
	}
	return c.corrector.SendCorrection(ctx, c.config.TrainingTopic, source.Partition, rec, wait)
}

// trainingDecoder returns a decoder of training records.
func (c *classifier) trainingDecoder() (*wire.Decoder, error) {
	var s *spec.Spec
	c.replica.Read(func(state *fold.State) { s = state.Spec() })
	if s == nil {
		return nil, fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)
	}
	return wire.NewDecoder(worker.Schema(c.config.Worker, s, c.config.LabelField, c.config.LabelHeader))
}

// sourceOf returns where the document of a correction stands: the place that it names, or that of a recent decision.
func (c *classifier) sourceOf(said *wire.Correction) (*wire.Ref, error) {
	source := said.Source
	if source == nil {
		source = wire.ParsePlace(said.ID)
	}
	if source == nil {
		recent, _, found := c.recent.find(said.ID)
		if !found {
			return nil, &httpapi.RefusedError{
				Status: http.StatusConflict, Reason: "send_source",
				Message: fmt.Sprintf("no recent decision of this worker is on a document %q: send source, as its decision says it, or ask a worker that runs ingest", said.ID),
			}
		}
		return recent, nil
	}
	if source.Topic != c.config.DocumentsTopic && source.Topic != c.config.TrainingTopic {
		return nil, wire.Rejectf(wire.RefDenied, "topic %q is neither that of the documents, %q, nor that of the training records, %q", source.Topic, c.config.DocumentsTopic, c.config.TrainingTopic)
	}
	return source, nil
}

// decided answers GET /v1/decisions/{id}.
func (c *classifier) decided(id string) (decision []byte, found bool) {
	_, decision, found = c.recent.find(id)
	return decision, found
}
