package codec

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"bayestream/internal/fold"
	"bayestream/internal/modellog/logpb"
	"bayestream/internal/spec"
	"bayestream/internal/tokenize"

	"google.golang.org/protobuf/proto"
)

// MaxDelta is the largest encoded delta that is appended, in bytes: it leaves room below Kafka's
// default limit of a message.
const MaxDelta = 900 << 10

// ErrNewer says that a record was written by a later version of the program. Passing over it could
// make this replica differ from the others, so it stops.
var ErrNewer = errors.New("the model log holds a kind of record that this version does not know: upgrade it")

// RevisionError says that the log was counted with another tokenizer.
type RevisionError struct{ Log, Program uint32 }

func (e *RevisionError) Error() string {
	return fmt.Sprintf("the model log was counted with tokenizer revision %d, this program has revision %d: run the version that wrote it, "+
		"or count again into a new model topic (docs/tokenizer.md says how)", e.Log, e.Program)
}

// EncodeSpec returns the log record of a spec.
func EncodeSpec(s *spec.Spec) ([]byte, error) {
	return proto.Marshal(&logpb.Record{Kind: &logpb.Record_Spec{Spec: SpecProto(s)}})
}

// SpecProto returns the protobuf form of a spec.
func SpecProto(s *spec.Spec) *logpb.Spec {
	return &logpb.Spec{Yaml: s.YAML(), TokenizerRevision: tokenize.Revision}
}

// ReadSpec reads the protobuf form of a spec.
func ReadSpec(p *logpb.Spec) (*spec.Spec, error) {
	if p.GetTokenizerRevision() != tokenize.Revision {
		return nil, &RevisionError{Log: p.GetTokenizerRevision(), Program: tokenize.Revision}
	}
	return spec.Parse(p.GetYaml())
}

// Decode reads a record of the log, to be folded next into state. A delta that is returned is valid for the spec in
// force, or foreign. What is not readable is an entry with Unreadable set, which the fold counts and passes over. The
// errors are ErrNewer and *RevisionError: after them nothing may be folded.
func Decode(value []byte, state *fold.State) (fold.Entry, error) {
	var r logpb.Record
	if err := proto.Unmarshal(value, &r); err != nil {
		return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
	}
	if hasUnknown(&r) {
		return fold.Entry{}, ErrNewer
	}
	switch k := r.Kind.(type) {
	case *logpb.Record_Spec:
		s, err := ReadSpec(k.Spec)
		var revision *RevisionError
		if errors.As(err, &revision) && state.Spec() == nil {
			return fold.Entry{}, err // the log is counted by it; a later spec only lost a race for an empty topic
		}
		return fold.Entry{Spec: s, Unreadable: err}, nil
	case *logpb.Record_Delta:
		d, err := readDelta(k.Delta, state)
		if err != nil {
			return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
		}
		return fold.Entry{Delta: d}, nil
	}
	return fold.Entry{Unreadable: errors.New("an empty record")}, nil
}

// hasUnknown reports whether a record has a field that this version does not know, at any depth: a count in such a
// field would be left out.
func hasUnknown(r *logpb.Record) bool {
	messages := []proto.Message{r}
	switch k := r.Kind.(type) {
	case *logpb.Record_Spec:
		messages = append(messages, k.Spec)
	case *logpb.Record_Delta:
		c := k.Delta.GetCounts()
		messages = append(messages, k.Delta, c, c.GetText())
		for _, t := range c.GetCategories() {
			messages = append(messages, t)
		}
		for _, s := range c.GetNumbers() {
			messages = append(messages, s)
		}
		for _, l := range k.Delta.GetLedger() {
			messages = append(messages, l)
		}
	}
	return slices.ContainsFunc(messages, func(m proto.Message) bool { return len(m.ProtoReflect().GetUnknown()) > 0 })
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of a record's value, as anchors hold it.
func Checksum(value []byte) uint32 { return crc32.Checksum(value, castagnoli) }
