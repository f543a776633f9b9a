package codec

import (
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/logpb"
)

// MaxWhy is how long the reason in a control record may be, in bytes.
const MaxWhy = 1024

// EncodeControl returns the log record of a control.
func EncodeControl(c *fold.Control) ([]byte, error) {
	p := &logpb.Control{LogId: logIDProto(c.Log), Era: c.Era, Why: c.Why}
	switch {
	case c.Void != nil:
		p.Kind = &logpb.Control_Void{Void: VoidProto(c.Void)}
	case c.Reset != nil:
		p.Kind = &logpb.Control_Reset_{Reset_: &logpb.Reset{}}
	case c.Rename != nil:
		p.Kind = &logpb.Control_Rename{Rename: &logpb.Rename{From: c.Rename.From, To: c.Rename.To}}
	}
	if _, err := readControl(p); err != nil {
		return nil, err
	}
	return marshal(&logpb.Record{Kind: &logpb.Record_Control{Control: p}})
}

// VoidProto returns the protobuf form of a void.
func VoidProto(v *fold.Void) *logpb.Void {
	p := &logpb.Void{From: v.From, To: v.To, FirstCrc: v.FirstCRC, LastCrc: v.LastCRC, Recount: v.Recount}
	for i := range v.Marks {
		p.Marks = append(p.Marks, SourceProto(v.Marks[i].Source, &v.Marks[i].Progress))
	}
	return p
}

// ReadVoid reads the protobuf form of a void.
func ReadVoid(p *logpb.Void) (*fold.Void, error) {
	v := &fold.Void{From: p.GetFrom(), To: p.GetTo(), FirstCRC: p.GetFirstCrc(), LastCRC: p.GetLastCrc(),
		Recount: p.GetRecount()}
	if v.From < 0 || v.To <= v.From {
		return nil, fmt.Errorf("a void of the records %d to %d", v.From, v.To)
	}
	if v.Recount && len(p.GetMarks()) > 0 {
		return nil, errors.New("a void with recount has marks")
	}
	known := map[fold.Source]bool{}
	for _, m := range p.GetMarks() {
		src, progress, err := ReadSource(m)
		if err != nil {
			return nil, err
		}
		if known[src] {
			return nil, fmt.Errorf("a void has two marks of %.300q, partition %d", src.Topic, src.Partition)
		}
		known[src] = true
		v.Marks = append(v.Marks, fold.Mark{Source: src, Progress: progress})
	}
	return v, nil
}

func readControl(p *logpb.Control) (*fold.Control, error) {
	c := &fold.Control{Era: p.GetEra(), Why: p.GetWhy()}
	var err error
	c.Log, err = readLogID(p.GetLogId())
	if err != nil {
		return nil, err
	}
	if len(c.Why) > MaxWhy {
		return nil, fmt.Errorf("a control with a reason of %d bytes, the limit is %d", len(c.Why), MaxWhy)
	}
	switch k := p.Kind.(type) {
	case *logpb.Control_Void:
		c.Void, err = ReadVoid(k.Void)
		return c, err
	case *logpb.Control_Reset_:
		c.Reset = &fold.Reset{}
		return c, nil
	case *logpb.Control_Rename:
		c.Rename = &fold.Rename{From: k.Rename.GetFrom(), To: k.Rename.GetTo()}
		for _, name := range []string{c.Rename.From, c.Rename.To} {
			if err := counts.CheckClass(name); err != nil {
				return nil, fmt.Errorf("a class in a rename %w", err)
			}
		}
		return c, nil
	}
	return nil, errors.New("a control of no kind")
}

// SourceProto returns the protobuf form of how far a source was counted.
func SourceProto(src fold.Source, p *fold.Progress) *logpb.Source {
	return &logpb.Source{
		Topic: src.Topic, Partition: src.Partition, Generation: p.Generation, Watermark: p.Watermark, Begin: p.Begin,
		FromStart: p.FromStart, Skipped: p.Skipped, Lost: p.Lost, At: p.At, Anchor: anchorProto(&p.Anchor),
		Previous: p.Previous, Path: p.Path,
		Newest: p.Newest, Ahead: p.Ahead, Gone: p.Gone,
	}
}

// ReadSource reads the protobuf form of how far a source was counted.
func ReadSource(p *logpb.Source) (fold.Source, fold.Progress, error) {
	src := fold.Source{Topic: p.GetTopic(), Partition: p.GetPartition()}
	progress := fold.Progress{
		Generation: p.GetGeneration(), Watermark: p.GetWatermark(), Begin: p.GetBegin(), FromStart: p.GetFromStart(),
		Skipped: p.GetSkipped(), Lost: p.GetLost(), At: p.GetAt(), Anchor: fold.NoAnchor, Previous: p.GetPrevious(),
		Path:   p.GetPath(),
		Newest: p.GetNewest(), Ahead: p.GetAhead(), Gone: p.GetGone(),
	}
	if err := checkSource(src); err != nil {
		return src, progress, err
	}
	if p.GetBegin() < 0 || p.GetWatermark() < p.GetBegin() || p.GetSkipped() < 0 || p.GetLost() < 0 || p.GetAt() < 0 {
		return src, progress, fmt.Errorf("%.300q, partition %d, counted from offset %d to %d", src.Topic, src.Partition,
			p.GetBegin(), p.GetWatermark())
	}
	if p.Anchor == nil {
		return src, progress, nil
	}
	a, err := readAnchor(p.Anchor, p.GetWatermark())
	if err == nil {
		progress.Anchor = *a
	}
	return src, progress, err
}

// anchorProto returns the protobuf form of an anchor, nil for the anchor of no record.
func anchorProto(a *fold.Anchor) *logpb.Anchor {
	if a == nil || a.Offset < 0 {
		return nil
	}
	p := &logpb.Anchor{Offset: a.Offset, Epoch: a.Epoch, Checksum: a.Checksum}
	if a.TopicID != [16]byte{} {
		p.TopicId = a.TopicID[:]
	}
	return p
}

// readAnchor reads the anchor of a source that was counted up to an offset.
func readAnchor(p *logpb.Anchor, end int64) (*fold.Anchor, error) {
	a := &fold.Anchor{Offset: p.GetOffset(), Epoch: p.GetEpoch(), Checksum: p.GetChecksum()}
	id := p.GetTopicId()
	if a.Offset < 0 || a.Offset >= end || a.Epoch < -1 || len(id) != 0 && len(id) != len(a.TopicID) {
		return nil, fmt.Errorf("an anchor at offset %d, epoch %d, with a topic id of %d bytes, of a source that was "+
			"counted up to offset %d", a.Offset, a.Epoch, len(id), end)
	}
	copy(a.TopicID[:], id)
	return a, nil
}
