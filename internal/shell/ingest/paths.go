package ingest

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
)

// readBySpecInForce makes the batch read records by the spec in force, whose paths may have grown
// since the last one, and keep its window, which may be shorter. The error is errOvertaken if it is
// not that of the state that the batch is to be built on.
func (p *partition) readBySpecInForce() error {
	var now *spec.Spec
	isBuiltOn := false
	p.epoch.Read(func(s *fold.State) {
		now = s.Spec()
		isBuiltOn = s.Basis(p.source).Spec == p.built.Spec
	})
	if now == nil || !isBuiltOn {
		return errOvertaken
	}
	if now == p.batch.reads {
		return nil
	}
	decoder, err := wire.NewDecoder(wire.SchemaOf(now))
	if err != nil {
		return err
	}
	if now.FromRevision() != p.batch.reads.FromRevision() {
		p.log.Info("fields are looked for by the paths of a later spec", "partition", p.assign.Partition, "paths",
			now.FromRevision())
	}
	if now.Reading() != p.batch.reads.Reading() {
		p.log.Info("a later spec says where records have their label and weight", "partition", p.assign.Partition)
	}
	if now.Limits.Window != p.batch.reads.Limits.Window {
		p.log.Info("a later spec has made the window shorter", "partition", p.assign.Partition, "window",
			now.Limits.Window.String())
	}
	decoder.Guessed = p.batch.decoder.Guessed
	p.batch.decoder = decoder
	p.batch.limits = &now.Limits
	p.batch.reads = now
	p.remember(now)
	return nil
}

// readDocument decodes the document of a record at a place: in the training topic as
// training records are read, elsewhere as documents are.
func (b *batch) readDocument(at place, dst *wire.Document, read texts) error {
	if at.topic == b.source.Topic {
		return b.decoder.Learned(read[at], dst)
	}
	return b.decoder.Document(read[at], dst)
}
