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

const (
	maxTopic = 249      // bytes: Kafka's limit
	maxTerm  = 32 << 10 // bytes: the longest key that the store can keep
)

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
			reasons[s.Reason], p.Reasons = i, append(p.Reasons, s.Reason)
		}
		p.SkippedOffset, p.SkippedReason = append(p.SkippedOffset, s.Offset), append(p.SkippedReason, i)
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
		p.Label, p.Weight = proto.String(c.Put.Label), c.Put.Weight
		p.Topic, p.Partition, p.At, p.Sum = c.Put.Topic, c.Put.Partition, c.Put.Offset, c.Put.Sum
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
		p.Lengths[i], p.Cells[i] = t.Ends[i]-end, t.Cells[i]-cells
		end, cells = t.Ends[i], t.Cells[i]
	}
	return p
}

// Decode reads a record of the log; spec is the one in force, nil before there is one. What is not
// readable is an entry with Unreadable set, which the fold counts and passes over; the errors are
// ErrNewer and *RevisionError, after which nothing may be folded.
func Decode(value []byte, sp *spec.Spec) (fold.Entry, error) {
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
		if errors.As(err, &revision) && sp == nil {
			return fold.Entry{}, err // the log is counted by it; a later one only lost a race for an empty topic
		}
		return fold.Entry{Spec: s, Unreadable: err}, nil
	case *logpb.Record_Delta:
		d, err := readDelta(k.Delta, sp)
		if err != nil {
			return fold.Entry{Unreadable: err}, nil //nolint:nilerr // an entry that is passed over
		}
		return fold.Entry{Delta: d}, nil
	}
	return fold.Entry{Unreadable: errors.New("an empty record")}, nil
}

// hasUnknown reports whether a record has a field that this version does not know, at any depth. A
// count that is not understood is a count that is left out.
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

// readDelta reads a delta. spec is what the blocks of numbers are read by; nil before there is one.
func readDelta(p *logpb.Delta, sp *spec.Spec) (*fold.Delta, error) {
	d := &fold.Delta{
		Source: fold.Source{Topic: p.GetTopic(), Partition: p.GetPartition()},
		Start:  p.GetStart(), End: p.GetEnd(), FromStart: p.GetFromStart(),
	}
	if copy(d.Counting[:], p.GetCounting()) != len(d.Counting) || len(p.GetCounting()) != len(d.Counting) {
		return nil, errors.New("a fingerprint has 32 bytes")
	}
	if sp == nil || sp.Counting() != d.Counting {
		d.Counts = &model.Delta{}
		return d, nil // foreign: its counts have a shape that is not known here
	}
	if s := d.Source; s.Topic == "" || len(s.Topic) > maxTopic || strings.IndexByte(s.Topic, 0) >= 0 || s.Partition < 0 {
		return nil, fmt.Errorf("topic %.300q, partition %d is no partition", s.Topic, s.Partition)
	}
	if len(p.GetSkippedOffset()) != len(p.GetSkippedReason()) {
		return nil, errors.New("skipped offsets without reasons")
	}
	for i, offset := range p.GetSkippedOffset() {
		r := p.GetSkippedReason()[i]
		if int64(r) >= int64(len(p.GetReasons())) {
			return nil, errors.New("a skipped offset has a reason that is not there")
		}
		d.Skipped = append(d.Skipped, fold.Skipped{Offset: offset, Reason: p.GetReasons()[r]})
	}
	last := d.Start - 1
	for _, c := range p.GetLedger() {
		if c.GetOffset() <= last || c.GetOffset() >= d.End || c.GetId() == "" {
			return nil, errors.New("ledger changes are out of order")
		}
		last = c.GetOffset()
		d.Ledger = append(d.Ledger, ReadLedger(c))
	}
	var err error
	d.Counts, err = readCounts(p.GetCounts(), sp)
	return d, err
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
	err = d.Validate(s)
	return d, err
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

func readTerms(p *logpb.Terms) (counts.Terms, error) {
	t := counts.Terms{Bytes: p.GetBytes(), Class: p.GetClass(), Count: p.GetCount()}
	if len(p.GetLengths()) != len(p.GetCells()) {
		return t, errors.New("terms without rows")
	}
	var end, cells uint64
	for i, n := range p.GetLengths() {
		if n > maxTerm {
			return t, fmt.Errorf("a term of %d bytes, the limit is %d", n, maxTerm)
		}
		end += uint64(n)
		cells += uint64(p.GetCells()[i])
		if end > uint64(len(t.Bytes)) || cells > uint64(len(t.Class)) {
			return t, errors.New("a term ends after the data")
		}
		t.Ends, t.Cells = append(t.Ends, uint32(end)), append(t.Cells, uint32(cells))
	}
	return t, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of a record's value, as anchors hold it.
func Checksum(value []byte) uint32 { return crc32.Checksum(value, castagnoli) }
