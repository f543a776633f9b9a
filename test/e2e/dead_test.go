package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// place is the place of a record, as dead letters and decisions name it.
func (p *pipeline) place(topic string, partition int, offset int64) string {
	return fmt.Sprintf("%s/%d/%d", topic, partition, offset)
}

// letters returns all dead letters by the place of their record, each time that they were written.
func (p *pipeline) letters() map[string][]stream.Record {
	p.t.Helper()
	found := map[string][]stream.Record{}
	for part := range p.partitions {
		for _, rec := range p.read(p.dead, part) {
			at := strings.Join([]string{header(rec, wire.DeadTopic), header(rec, wire.DeadPartition), header(rec, wire.DeadOffset)}, "/")
			found[at] = append(found[at], rec)
		}
	}
	return found
}

// header returns the last header of a name, "" if there is none.
func header(rec stream.Record, name string) string {
	for _, h := range slices.Backward(rec.Headers) {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}

// deadLetters waits for as many dead letters, and checks that exactly these records are dead
// letters, once each and for these reasons, and that they are what was written. Readers may see
// them a moment after the decisions of the same transaction, and before those of the same batch.
func (p *pipeline) deadLetters(want map[string]wire.Reason) {
	p.t.Helper()
	var found map[string][]stream.Record
	eventually(p.t, patience, "dead letters", func() (bool, string) {
		found = p.letters()
		return len(found) >= len(want), fmt.Sprintf("there are %d, want %d", len(found), len(want))
	})
	for _, at := range slices.Sorted(maps.Keys(found)) {
		if _, ok := want[at]; !ok {
			p.t.Errorf("%s is a dead letter: %s", at, header(found[at][0], wire.DeadMessage))
		}
	}
	for at, reason := range want {
		if len(found[at]) != 1 {
			p.t.Errorf("%s has %d dead letters, want one", at, len(found[at]))
			continue
		}
		p.checkLetter(at, found[at][0], reason)
	}
}

// checkLetter compares a dead letter with its record and its reason.
func (p *pipeline) checkLetter(at string, letter stream.Record, reason wire.Reason) {
	p.t.Helper()
	rec := p.at(at)
	if !bytes.Equal(letter.Value, rec.Value) || !bytes.Equal(letter.Key, rec.Key) || (letter.Key == nil) != (rec.Key == nil) || (letter.Value == nil) != (rec.Value == nil) {
		p.t.Errorf("%s: the dead letter has key %q and value %.80q, the record %q and %.80q", at, letter.Key, letter.Value, rec.Key, rec.Value)
	}
	for i, h := range rec.Headers {
		if i >= len(letter.Headers) || letter.Headers[i].Key != h.Key || !bytes.Equal(letter.Headers[i].Value, h.Value) {
			p.t.Errorf("%s: the dead letter lacks header %d of the record, %s", at, i, h.Key)
		}
	}
	stage := map[string]string{p.training: "ingest", p.documents: "classify"}[rec.Topic]
	if got := header(letter, wire.DeadStage); got != stage {
		p.t.Errorf("%s: stage %q, want %q", at, got, stage)
	}
	if got := header(letter, wire.DeadClass); got != wire.DeadClassPrefix+string(reason) {
		p.t.Errorf("%s: class %q, want the reason %s", at, got, reason)
	}
	if got := header(letter, wire.DeadMessage); !strings.HasPrefix(got, reason.Summary()) {
		p.t.Errorf("%s: %q does not begin with %q", at, got, reason.Summary())
	}
	if len(letter.Headers) != len(rec.Headers)+6 {
		p.t.Errorf("%s: %d headers, want the %d of the record and 6", at, len(letter.Headers), len(rec.Headers))
	}
}

// at returns the record at a place.
func (p *pipeline) at(place string) stream.Record {
	p.t.Helper()
	for _, topic := range []string{p.training, p.documents} {
		for part := range p.partitions {
			if !strings.HasPrefix(place, fmt.Sprintf("%s/%d/", topic, part)) {
				continue
			}
			for _, rec := range p.read(topic, part) {
				if p.place(topic, part, rec.Offset) == place {
					return rec
				}
			}
		}
	}
	p.t.Fatalf("there is no record at %s", place)
	return stream.Record{}
}

func (p *pipeline) noDeadLetters() {
	p.t.Helper()
	p.deadLetters(nil)
}
