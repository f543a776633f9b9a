package codec

import (
	"errors"
	"hash/crc32"

	"bayestream/internal/fold"
	"bayestream/internal/modellog/logpb"
	"bayestream/internal/spec"
	"bayestream/internal/tokenize"

	"google.golang.org/protobuf/proto"
)

// MaxDelta is the largest encoded delta that is appended, in bytes: it leaves room below Kafka's
// default limit of a message.
const MaxDelta = 900 << 10

// EncodeSpec returns the log record of a spec.
func EncodeSpec(s *spec.Spec) ([]byte, error) {
	return marshal(&logpb.Record{Kind: &logpb.Record_Spec{Spec: SpecProto(s)}})
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
// errors are *NewerError, and before any spec *FormatError and *RevisionError: after them nothing may be folded.
func Decode(value []byte, state *fold.State) (fold.Entry, error) {
	if err := checkFormat(value, state.Next()); err != nil {
		return refuse(err, state)
	}
	var r logpb.Record
	if err := proto.Unmarshal(value, &r); err != nil {
		return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
	}
	if what := unknown(&r); what != "" {
		return fold.Entry{}, &NewerError{Offset: state.Next(), What: what}
	}
	switch k := r.Kind.(type) {
	case *logpb.Record_Spec:
		return readSpecEntry(k.Spec, state)
	case *logpb.Record_Delta:
		d, err := readDelta(k.Delta, state)
		if err != nil {
			return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
		}
		return fold.Entry{Delta: d}, nil
	case *logpb.Record_Control:
		c, err := readControl(k.Control)
		if err != nil {
			return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
		}
		return fold.Entry{Control: c}, nil
	}
	return fold.Entry{Unreadable: errors.New("an empty record")}, nil
}

// refuse returns what a record is that is not of this format: an error where nothing may be folded behind it.
func refuse(err error, state *fold.State) (fold.Entry, error) {
	var newer *NewerError
	var old *FormatError
	if errors.As(err, &newer) || errors.As(err, &old) && state.Spec() == nil {
		return fold.Entry{}, err
	}
	return fold.Entry{Unreadable: err}, nil
}

func readSpecEntry(p *logpb.Spec, state *fold.State) (fold.Entry, error) {
	s, err := ReadSpec(p)
	var revision *RevisionError
	if errors.As(err, &revision) && state.Spec() == nil {
		return fold.Entry{}, err // the log is counted by it; a later spec only lost a race for an empty topic
	}
	return fold.Entry{Spec: s, Unreadable: err}, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of a record's value, as anchors hold it.
func Checksum(value []byte) uint32 { return crc32.Checksum(value, castagnoli) }
