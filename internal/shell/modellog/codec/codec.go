// Package codec is the form of a model in the log and in a file: specs and deltas as records of the
// model topic, changes of ledgers and checkpoints as rows of a model file, in protobuf. Equal
// values have equal bytes. What is decoded is checked before it is returned.
//
// It knows no broker: package modellog appends the records and follows them.
package codec

import (
	"errors"
	"fmt"
	"hash/crc32"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/tokenize"
)

// MaxDelta is the largest encoded delta that is appended to a topic whose limit is not known, in
// bytes: it leaves room below Kafka's default limit of a message.
const MaxDelta = 900 << 10

// DeltaLimit returns the largest encoded delta, in bytes, for a topic with that max.message.bytes;
// 0: it is not known. A topic without a limit to speak of does not get deltas that a reader could
// not hold beside others.
func DeltaLimit(maxMessageBytes int) int {
	const (
		batch = 64 << 10 // bytes that the batch around a record may take
		most  = 32 << 20
	)
	if maxMessageBytes <= 0 {
		return MaxDelta
	}
	return min(max(maxMessageBytes-batch, maxMessageBytes/2), most)
}

// EncodeSpec returns the log record of a spec. If it becomes the first one of its log, the log gets
// the id.
func EncodeSpec(s *spec.Spec, id fold.LogID) ([]byte, error) {
	return marshal(&logpb.Record{Kind: &logpb.Record_Spec{Spec: SpecProto(s, id)}})
}

// SpecProto returns the protobuf form of a spec.
func SpecProto(s *spec.Spec, id fold.LogID) *logpb.Spec {
	text, _ := written.get(s, func() ([]byte, error) { return s.YAML(), nil })
	return &logpb.Spec{Yaml: text, TokenizerRevision: tokenize.Revision, LogId: logIDProto(id)}
}

// ReadSpec reads the protobuf form of a spec.
func ReadSpec(p *logpb.Spec) (*spec.Spec, fold.LogID, error) {
	if p.GetTokenizerRevision() != tokenize.Revision {
		return nil, fold.LogID{}, &RevisionError{Counts: p.GetTokenizerRevision(), Program: tokenize.Revision}
	}
	id, err := readLogID(p.GetLogId())
	if err != nil {
		return nil, id, err
	}
	s, err := read.get(string(p.GetYaml()), func() (*spec.Spec, error) { return spec.Parse(p.GetYaml()) })
	return s, id, err
}

// A log has a spec for each start of a worker, and in each checkpoint: to read or write
// one anew takes longer than to fold some thousand counts. Specs do not change.
var (
	read    recent[string, *spec.Spec]
	written recent[*spec.Spec, []byte]
)

// logIDProto returns the bytes of the id of a log, none for the zero id of logs that tests make.
func logIDProto(id fold.LogID) []byte {
	if id == (fold.LogID{}) {
		return nil
	}
	return id[:]
}

func readLogID(b []byte) (id fold.LogID, err error) {
	if len(b) != 0 && len(b) != len(id) {
		return id, fmt.Errorf("the id of a log has %d bytes, this one has %d", len(id), len(b))
	}
	copy(id[:], b)
	return id, nil
}

// Decode reads the record at an offset of the log, to be folded into a state that reads so. A delta
// that is returned is valid for the spec in force, or foreign. What is not readable is an entry
// with Unreadable set, which the fold counts and passes over. The errors are *NewerError, and
// before any spec *FormatError and *RevisionError: after them nothing may be folded.
func Decode(value []byte, offset int64, in fold.Reading) (fold.Entry, error) {
	if err := checkFormat(value, offset); err != nil {
		return refuse(err, in)
	}
	var r logpb.Record
	unknown, err := parse(value, &r)
	switch {
	case err != nil:
		return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
	case unknown != "":
		return fold.Entry{}, &NewerError{Offset: offset, What: unknown}
	}
	switch k := r.Kind.(type) {
	case *logpb.Record_Spec:
		return readSpecEntry(k.Spec, in)
	case *logpb.Record_Delta:
		d, err := readDelta(k.Delta, &in)
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

// refuse returns what a record is that is not of this format: an error where nothing may be folded
// behind it.
func refuse(err error, in fold.Reading) (fold.Entry, error) {
	var newer *NewerError
	var old *FormatError
	if errors.As(err, &newer) || errors.As(err, &old) && in.Spec == nil {
		return fold.Entry{}, err
	}
	return fold.Entry{Unreadable: err}, nil
}

func readSpecEntry(p *logpb.Spec, in fold.Reading) (fold.Entry, error) {
	s, id, err := ReadSpec(p)
	var revision *RevisionError
	if errors.As(err, &revision) && in.Spec == nil {
		return fold.Entry{}, err // the log is counted by it; a later spec only lost a race for an empty topic
	}
	return fold.Entry{Spec: s, Log: id, Unreadable: err}, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns what a delta of that value is called by the next one of its source. It is not 0.
func Sum(value []byte) uint64 { return digest.Name(value) }

// Checksum returns the CRC-32C of a record's value, as anchors hold it.
func Checksum(value []byte) uint32 { return crc32.Checksum(value, castagnoli) }
