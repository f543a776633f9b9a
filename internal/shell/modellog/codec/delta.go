package codec

import (
	"errors"
	"fmt"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/modellog/logpb"
)

const maxTopic = 249 // bytes: Kafka's limit

// EncodeDelta returns the log record of a delta.
func EncodeDelta(d *fold.Delta) ([]byte, error) {
	p := &logpb.Delta{
		Counting: d.Counting[:],
		LogId:    logIDProto(d.Log),
		Era:      d.Era,
		Spec:     d.Spec,
		EraCrc:   d.EraCRC,
		SpecCrc:  d.SpecCRC,
		Counts:   countsProto(d.Counts),
	}
	if d.Digest != nil {
		p.Digest = &logpb.Digest{Next: d.Digest.Next, Counts: d.Digest.Counts}
	}
	if d.Scores != nil {
		p.Scores = ScoresProto(d.Scores.List, d.Scores.Sums)
		p.Scores.Classes = talliesProto(d.Scores.Classes)
	}
	for i := range d.Ranges {
		r, err := rangeProto(&d.Ranges[i])
		if err != nil {
			return nil, err
		}
		p.Ranges = append(p.Ranges, r)
	}
	return marshal(&logpb.Record{Kind: &logpb.Record_Delta{Delta: p}})
}

func rangeProto(r *fold.Range) (p *logpb.Range, err error) {
	p = &logpb.Range{
		Topic: r.Topic, Partition: r.Partition, Generation: r.Generation, Start: r.Start, End: r.End, Previous: r.Previous,
		FromStart: r.FromStart, Lost: r.Lost, Ahead: r.Ahead, Anchor: anchorProto(r.Anchor), Digest: r.Digest,
	}
	reasons := map[string]uint32{}
	for _, s := range r.Skipped {
		i, ok := reasons[s.Reason]
		if !ok {
			i = uint32(len(p.Reasons))
			reasons[s.Reason] = i
			p.Reasons = append(p.Reasons, s.Reason)
		}
		p.SkippedOffset = append(p.SkippedOffset, s.Offset)
		p.SkippedReason = append(p.SkippedReason, i)
	}
	p.Ledger, err = ledgerPart(r.Ledger, r.Source)
	return p, err
}

func countsProto(d *model.Delta) *logpb.Counts {
	words := d.Text
	if d.Corrected != nil {
		words = d.Text.Beside(&d.Corrections, len(d.Classes))
	}
	p := &logpb.Counts{Classes: d.Classes, Documents: d.Documents, Corrected: d.Corrected,
		Tables: []*logpb.Table{{Kind: logpb.Kind_WORDS, Terms: termsProto(&words)}}}
	for i := range d.Categories {
		p.Tables = append(p.Tables,
			&logpb.Table{Kind: logpb.Kind_VALUES, Number: uint32(i), Terms: termsProto(&d.Categories[i])})
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
	p := &logpb.Terms{
		Bytes:   t.Bytes,
		Class:   t.Class,
		Count:   t.Count,
		Lengths: make([]uint32, t.Len()),
		Cells:   make([]uint32, t.Len()),
	}
	var end, cells uint32
	for i := range t.Ends {
		p.Lengths[i] = t.Ends[i] - end
		p.Cells[i] = t.Cells[i] - cells
		end = t.Ends[i]
		cells = t.Cells[i]
	}
	return p
}

// readDelta reads a delta, and its counts by the spec in force. A foreign delta has no counts:
// their shape is not known.
func readDelta(p *logpb.Delta, in *fold.Reading) (*fold.Delta, error) {
	d := &fold.Delta{
		Ranges:  make([]fold.Range, len(p.GetRanges())),
		Counts:  &model.Delta{},
		Era:     p.GetEra(),
		Spec:    p.GetSpec(),
		EraCRC:  p.GetEraCrc(),
		SpecCRC: p.GetSpecCrc(),
	}
	if len(d.Ranges) == 0 {
		return nil, errNoRange
	}
	for i, r := range p.GetRanges() {
		d.Ranges[i] = fold.Range{
			Source:     fold.Source{Topic: r.GetTopic(), Partition: r.GetPartition()},
			Generation: r.GetGeneration(),
			Start:      r.GetStart(),
			End:        r.GetEnd(),
			Previous:   r.GetPrevious(),
			FromStart:  r.GetFromStart(),
			Lost:       r.GetLost(),
			Ahead:      r.GetAhead(),
			Digest:     r.GetDigest(),
		}
	}
	if len(p.GetCounting()) != len(d.Counting) {
		return nil, fmt.Errorf("a fingerprint has %d bytes", len(d.Counting))
	}
	copy(d.Counting[:], p.GetCounting())
	var err error
	d.Log, err = readLogID(p.GetLogId())
	if err != nil {
		return nil, err
	}
	if in.Spec == nil || in.Counting != d.Counting || in.Log != d.Log {
		return d, nil
	}
	for i, r := range p.GetRanges() {
		if err := readRange(&d.Ranges[i], r, in.Spec); err != nil {
			return nil, err
		}
	}
	if p.Digest != nil {
		d.Digest = &fold.Digest{Next: p.Digest.GetNext(), Counts: p.Digest.GetCounts()}
	}
	d.Scores, err = readDeltaScores(p.Scores, in.List)
	if err != nil {
		return nil, err
	}
	d.Counts, err = readCounts(p.GetCounts(), in.Spec)
	if err != nil {
		return nil, err
	}
	return d, d.Counts.Validate(in.Spec)
}

var errNoRange = errors.New("the delta has no range")

// readRange reads what a delta of this log says of a range.
func readRange(r *fold.Range, p *logpb.Range, s *spec.Spec) (err error) {
	if err := checkSource(r.Source); err != nil {
		return err
	}
	if p.Anchor != nil {
		if r.Anchor, err = readAnchor(p.Anchor, r.End); err != nil {
			return err
		}
	}
	if r.Skipped, err = readSkipped(p); err != nil {
		return err
	}
	r.Ledger, err = readLedgerChanges(p.GetLedger(), r, s)
	return err
}

// readDeltaScores reads the scores of a delta, nil if there are none, or none of the list in force.
func readDeltaScores(p *logpb.Scores, l *race.List) (*fold.Scores, error) {
	if p == nil {
		return nil, nil
	}
	sums, err := ReadScores(p, l)
	if sums == nil || err != nil {
		return nil, err
	}
	classes, err := readTallies(p.GetClasses())
	if err == nil {
		err = classes.CheckOf(sums)
	}
	return &fold.Scores{List: l.Fingerprint(), Sums: sums, Classes: classes}, err
}

// checkSource reports whether a source is a partition of a topic.
func checkSource(s fold.Source) error {
	if s.Topic == "" || len(s.Topic) > maxTopic || strings.IndexByte(s.Topic, 0) >= 0 || s.Partition < 0 {
		return fmt.Errorf("topic %.300q, partition %d is no partition", s.Topic, s.Partition)
	}
	return nil
}

func readSkipped(p *logpb.Range) ([]fold.Skipped, error) {
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

func readCounts(p *logpb.Counts, s *spec.Spec) (*model.Delta, error) {
	d := &model.Delta{Classes: p.GetClasses(), Documents: p.GetDocuments(), Corrected: p.GetCorrected()}
	for i, table := range p.GetTables() {
		t, err := readTerms(table.GetTerms())
		switch {
		case err != nil:
			return nil, err
		case i == 0 && table.GetKind() == logpb.Kind_WORDS && table.GetNumber() == 0:
			d.Text = t
			if err := readCorrections(d); err != nil {
				return nil, err
			}
		case i > 0 && table.GetKind() == logpb.Kind_VALUES && int64(table.GetNumber()) == int64(i-1):
			d.Categories = append(d.Categories, t)
		default:
			return nil, fmt.Errorf("table %d is of kind %d and number %d", i, table.GetKind(), table.GetNumber())
		}
	}
	if len(p.GetTables()) == 0 {
		return nil, errors.New("counts without words")
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

// readCorrections takes the corrections out of the cells of the words.
func readCorrections(d *model.Delta) error {
	if len(d.Corrected) == 0 {
		return nil
	}
	if err := d.Text.Validate(2 * len(d.Classes)); err != nil {
		return err
	}
	d.Text, d.Corrections = d.Text.Apart(len(d.Classes))
	return nil
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
