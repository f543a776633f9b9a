package ingest

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// Schema returns how a configuration reads training records, by a spec.
func Schema(c config.Ingest, s *spec.Spec) wire.Schema {
	schema := worker.Schema(c.Worker, s, c.LabelField, c.LabelHeader)
	schema.LabelType = c.LabelType
	return schema
}

// readByPathsInForce makes the batch read records by the paths of the spec in force, which may have
// grown since the last one, and keep its window, which may be shorter. The error is errOvertaken if
// they differ from the state that the batch is to be built on.
func (p *partition) readByPathsInForce() error {
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
	decoder, err := wire.NewDecoder(Schema(p.config, now))
	if err != nil {
		return err
	}
	if now.FromRevision() != p.batch.reads.FromRevision() {
		p.log.Info("fields are looked for by the paths of a later spec", "partition", p.assign.Partition, "paths",
			now.FromRevision())
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
