package codec

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"bayestream/internal/counts"
	"bayestream/internal/fold"
	"bayestream/internal/gaussian"
	"bayestream/internal/model"
	"bayestream/internal/modellog/logpb"
	"bayestream/internal/spec"
	"bayestream/internal/tokenize"

	"google.golang.org/protobuf/proto"
)

// MaxDelta is the largest encoded delta that is appended, in bytes: it leaves room below Kafka's
// default limit of a message.
const MaxDelta = 900 << 10

const maxTopic = 249 // bytes: Kafka's limit

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

// EncodeDelta returns the log record of a delta.
func EncodeDelta(d *fold.Delta) ([]byte, error) {
	p := &logpb.Delta{
		Counting: d.Counting[:], Topic: d.Source.Topic, Partition: d.Source.Partition,
		Start: d.Start, End: d.End, FromStart: d.FromStart, Counts: countsProto(d.Counts),
	}
	reasons := map[string]uint32{}
	for _, s := range d.Skipped {
		i, ok := reasons[s.Reason]
		if !ok {
			i = uint32(len(p.Reasons))
			reasons[s.Reason] = i
			p.Reasons = append(p.Reasons, s.Reason)
		}
		p.SkippedOffset = append(p.SkippedOffset, s.Offset)
		p.SkippedReason = append(p.SkippedReason, i)
	}
	for _, c := range d.Ledger {
		p.Ledger = append(p.Ledger, LedgerProto(c))
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&logpb.Record{Kind: &logpb.Record_Delta{Delta: p}})
}

// LedgerProto returns the protobuf form of a change of a ledger.
func LedgerProto(c fold.LedgerChange) *logpb.LedgerChange {
	p := &logpb.LedgerChange{Offset: c.Offset, Id: c.ID}
	if c.Put != nil {
		p.Label = proto.String(c.Put.Label)
		p.Weight = c.Put.Weight
		p.Topic = c.Put.Topic
		p.Partition = c.Put.Partition
		p.At = c.Put.Offset
		p.Sum = c.Put.Sum
	}
	return p
}

// ReadLedger reads the protobuf form of a change of a ledger.
func ReadLedger(p *logpb.LedgerChange) fold.LedgerChange {
	c := fold.LedgerChange{Offset: p.GetOffset(), ID: p.GetId()}
	if p.Label != nil {
		c.Put = &fold.Learned{
			Label: p.GetLabel(), Weight: p.GetWeight(), Topic: p.GetTopic(), Partition: p.GetPartition(), Offset: p.GetAt(), Sum: p.GetSum(),
		}
	}
	return c
}

func countsProto(d *model.Delta) *logpb.Counts {
	p := &logpb.Counts{Classes: d.Classes, Documents: d.Documents, Text: termsProto(&d.Text)}
	for i := range d.Categories {
		p.Categories = append(p.Categories, termsProto(&d.Categories[i]))
	}
	for _, block := range d.Numbers {
		sums := &logpb.Sums{}
		for _, s := range block {
			var packed []byte
			if s != nil {
				packed = s.AppendBytes(nil)
			}
			sums.Classes = append(sums.Classes, packed)
		}
		p.Numbers = append(p.Numbers, sums)
	}
	return p
}

func termsProto(t *counts.Terms) *logpb.Terms {
	p := &logpb.Terms{Bytes: t.Bytes, Class: t.Class, Count: t.Count, Lengths: make([]uint32, t.Len()), Cells: make([]uint32, t.Len())}
	var end, cells uint32
	for i := range t.Ends {
		p.Lengths[i] = t.Ends[i] - end
		p.Cells[i] = t.Cells[i] - cells
		end = t.Ends[i]
		cells = t.Cells[i]
	}
	return p
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

// readDelta reads a delta, and its counts by the spec in force. A foreign delta has no counts: their shape is not known.
func readDelta(p *logpb.Delta, state *fold.State) (*fold.Delta, error) {
	d := &fold.Delta{
		Source:    fold.Source{Topic: p.GetTopic(), Partition: p.GetPartition()},
		Start:     p.GetStart(),
		End:       p.GetEnd(),
		FromStart: p.GetFromStart(),
		Counts:    &model.Delta{},
	}
	if len(p.GetCounting()) != len(d.Counting) {
		return nil, fmt.Errorf("a fingerprint has %d bytes", len(d.Counting))
	}
	copy(d.Counting[:], p.GetCounting())
	if state.Spec() == nil || state.Counting() != d.Counting {
		return d, nil
	}
	if s := d.Source; s.Topic == "" || len(s.Topic) > maxTopic || strings.IndexByte(s.Topic, 0) >= 0 || s.Partition < 0 {
		return nil, fmt.Errorf("topic %.300q, partition %d is no partition", s.Topic, s.Partition)
	}
	var err error
	d.Skipped, err = readSkipped(p)
	if err != nil {
		return nil, err
	}
	d.Ledger, err = readLedgerChanges(p)
	if err != nil {
		return nil, err
	}
	d.Counts, err = readCounts(p.GetCounts(), state.Spec())
	if err != nil {
		return nil, err
	}
	return d, d.Counts.Validate(state.Spec())
}

func readSkipped(p *logpb.Delta) ([]fold.Skipped, error) {
	if len(p.GetSkippedOffset()) != len(p.GetSkippedReason()) {
		return nil, errors.New("skipped offsets without reasons")
	}
	var out []fold.Skipped
	for i, offset := range p.GetSkippedOffset() {
		reason := p.GetSkippedReason()[i]
		if int64(reason) >= int64(len(p.GetReasons())) {
			return nil, errors.New("a skipped offset has an unknown reason")
		}
		out = append(out, fold.Skipped{Offset: offset, Reason: p.GetReasons()[reason]})
	}
	return out, nil
}

func readLedgerChanges(p *logpb.Delta) ([]fold.LedgerChange, error) {
	var out []fold.LedgerChange
	last := p.GetStart() - 1
	for _, c := range p.GetLedger() {
		if c.GetOffset() <= last || c.GetOffset() >= p.GetEnd() || c.GetId() == "" {
			return nil, errors.New("ledger changes are out of order")
		}
		last = c.GetOffset()
		out = append(out, ReadLedger(c))
	}
	return out, nil
}

func readCounts(p *logpb.Counts, s *spec.Spec) (*model.Delta, error) {
	d := &model.Delta{Classes: p.GetClasses(), Documents: p.GetDocuments()}
	var err error
	if d.Text, err = readTerms(p.GetText()); err != nil {
		return nil, err
	}
	for _, c := range p.GetCategories() {
		t, err := readTerms(c)
		if err != nil {
			return nil, err
		}
		d.Categories = append(d.Categories, t)
	}
	if len(p.GetNumbers()) != len(s.Numbers) {
		return nil, fmt.Errorf("%d blocks of numbers, the spec has %d", len(p.GetNumbers()), len(s.Numbers))
	}
	for i, block := range p.GetNumbers() {
		sums, err := readSums(block, &s.Numbers[i])
		if err != nil {
			return nil, err
		}
		d.Numbers = append(d.Numbers, sums)
	}
	return d, nil
}

func readSums(p *logpb.Sums, n *spec.Numbers) ([]*gaussian.Sums, error) {
	out := make([]*gaussian.Sums, len(p.GetClasses()))
	for i, packed := range p.GetClasses() {
		if len(packed) == 0 {
			continue
		}
		s, err := gaussian.ReadSums(packed, len(n.Fields), n.Full())
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// readTerms turns lengths into ends; Validate checks the rest.
func readTerms(p *logpb.Terms) (counts.Terms, error) {
	t := counts.Terms{Bytes: p.GetBytes(), Class: p.GetClass(), Count: p.GetCount()}
	if len(p.GetLengths()) != len(p.GetCells()) {
		return t, errors.New("terms without rows")
	}
	var end, cells uint64
	for i, n := range p.GetLengths() {
		end += uint64(n)
		cells += uint64(p.GetCells()[i])
		if end > uint64(len(t.Bytes)) || cells > uint64(len(t.Class)) {
			return t, errors.New("a term ends after the data")
		}
		t.Ends = append(t.Ends, uint32(end))
		t.Cells = append(t.Cells, uint32(cells))
	}
	return t, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of a record's value, as anchors hold it.
func Checksum(value []byte) uint32 { return crc32.Checksum(value, castagnoli) }
