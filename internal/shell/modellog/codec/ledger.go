package codec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/logpb"

	"google.golang.org/protobuf/proto"
)

// LedgerProto returns the row of a ledger in a model file.
func LedgerProto(c fold.LedgerChange) *logpb.LedgerChange {
	p := &logpb.LedgerChange{Offset: c.Offset, Id: c.ID, Gone: c.Gone}
	if c.Put != nil {
		p.Label = proto.String(c.Put.Label)
		p.Weight = c.Put.Weight
		p.Topic = c.Put.Topic
		p.Partition = c.Put.Partition
		p.At = c.Put.Offset
		p.Sum = c.Put.Sum
		p.Owed = c.Put.Owed
		p.Gone = c.Put.Gone
		p.Time = c.Put.Time
		p.By = c.Put.By
		p.Ahead = c.Put.Ahead
	}
	return p
}

// ReadLedger reads a row of a ledger in a model file.
func ReadLedger(p *logpb.LedgerChange) fold.LedgerChange {
	c := fold.LedgerChange{Offset: p.GetOffset(), ID: p.GetId()}
	if p.Label == nil {
		c.Gone = p.GetGone()
		return c
	}
	c.Put = &fold.Learned{
		Label: p.GetLabel(), Weight: p.GetWeight(), Topic: p.GetTopic(), Partition: p.GetPartition(), Offset: p.GetAt(),
		Sum:  p.GetSum(),
		Owed: p.GetOwed(), Gone: p.GetGone(), Time: p.GetTime(), By: p.GetBy(), Ahead: p.GetAhead(),
	}
	return c
}

// TeachersProto returns what became of the labels of names.
func TeachersProto(t fold.Teachers) (rows []*logpb.Teacher) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		n := t[name]
		rows = append(rows, &logpb.Teacher{Name: name, Labels: n.Labels, Agreed: n.Agreed, Corrected: n.Corrected})
	}
	return rows
}

// ReadTeachers reads what TeachersProto wrote.
func ReadTeachers(rows []*logpb.Teacher) (fold.Teachers, error) {
	t := fold.Teachers{}
	for _, r := range rows {
		n := fold.Taught{Labels: r.GetLabels(), Agreed: r.GetAgreed(), Corrected: r.GetCorrected()}
		if err := counts.CheckClass(r.GetName()); err != nil || min(n.Labels, n.Agreed, n.Corrected) < 0 {
			return nil, fmt.Errorf("the teacher %.64q has the counts %+v", r.GetName(), n)
		}
		t[r.GetName()] = n
	}
	return t, nil
}

// ledgerPart returns the part of a range of a source with changes of its ledger, nil if there are
// none.
func ledgerPart(changes []fold.LedgerChange, of fold.Source) (*logpb.LedgerPart, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	if i := slices.IndexFunc(changes, func(c fold.LedgerChange) bool { return !utf8.ValidString(c.ID) }); i >= 0 {
		return nil, fmt.Errorf("change %d of the ledger has the id %q, which is not UTF-8", i, changes[i].ID)
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(columnsOf(changes, of))
	if err != nil {
		return nil, fmt.Errorf("changes of the ledger: %w", err)
	}
	return &logpb.LedgerPart{Changes: encoded, Checksum: Checksum(encoded)}, nil
}

// ledgerColumns reads the part of a range with changes of the ledger; nil has none, and takes no memory.
func ledgerColumns(p *logpb.LedgerPart) (*logpb.LedgerChanges, error) {
	if p == nil {
		return nil, nil
	}
	var columns logpb.LedgerChanges
	if Checksum(p.GetChanges()) != p.GetChecksum() {
		return &columns, errors.New("the changes of the ledger have another checksum")
	}
	return &columns, proto.Unmarshal(p.GetChanges(), &columns)
}

// A columnWriter writes changes of the ledger of a source as columns.
type columnWriter struct {
	logpb.LedgerChanges
	of           fold.Source
	names        map[string]uint32
	offset, time int64 // of the change before
}

func columnsOf(changes []fold.LedgerChange, of fold.Source) *logpb.LedgerChanges {
	w := columnWriter{of: of, names: map[string]uint32{}}
	for i := range changes {
		w.add(&changes[i])
	}
	w.Id = unlessZero(w.Id)
	w.Label = unlessZero(w.Label)
	w.Gone = unlessZero(w.Gone)
	w.Weight = unlessZero(w.Weight)
	w.Sum = unlessZero(w.Sum)
	w.Time = unlessZero(w.Time)
	w.By = unlessZero(w.By)
	w.Topic = unlessZero(w.Topic)
	w.Partition = unlessZero(w.Partition)
	w.At = unlessZero(w.At)
	w.Ahead = unlessZero(w.Ahead)
	return &w.LedgerChanges
}

func (w *columnWriter) add(c *fold.LedgerChange) {
	w.Offset = append(w.Offset, c.Offset-w.offset)
	w.offset = c.Offset
	w.Ids = append(w.Ids, c.ID...)
	w.Id = append(w.Id, uint32(len(c.ID)))
	w.Gone = append(w.Gone, c.Gone)
	if c.Put == nil {
		w.Label = append(w.Label, 0)
		return
	}
	w.Label = append(w.Label, w.name(c.Put.Label))
	w.Weight = append(w.Weight, c.Put.Weight-1)
	w.Sum = append(w.Sum, c.Put.Sum)
	w.Time = append(w.Time, c.Put.Time-w.time)
	w.time = c.Put.Time
	w.By = append(w.By, w.nameIfAny(c.Put.By))
	w.Ahead = append(w.Ahead, w.nameIfAny(c.Put.Ahead))
	if c.Put.Topic == w.of.Topic && c.Put.Partition == w.of.Partition && c.Put.Offset == c.Offset {
		w.Topic = append(w.Topic, 0)
		return
	}
	w.Topic = append(w.Topic, w.name(c.Put.Topic))
	w.Partition = append(w.Partition, c.Put.Partition)
	w.At = append(w.At, c.Put.Offset)
}

// name returns 1 + the place of a name.
func (w *columnWriter) name(s string) uint32 {
	n, known := w.names[s]
	if !known {
		w.Names = append(w.Names, s)
		n = uint32(len(w.Names))
		w.names[s] = n
	}
	return n
}

// nameIfAny is name, 0 for no name.
func (w *columnWriter) nameIfAny(s string) uint32 {
	if s == "" {
		return 0
	}
	return w.name(s)
}

// unlessZero returns a column, nil if it is of zeros alone.
func unlessZero[T comparable](column []T) []T {
	var zero T
	if slices.ContainsFunc(column, func(v T) bool { return v != zero }) {
		return column
	}
	return nil
}

// A columnReader reads changes of the ledger of a source.
type columnReader struct {
	*logpb.LedgerChanges
	of           fold.Source
	ids          []byte // that were not read
	put, away    int    // how many changes with a label, and with a topic, were read
	offset, time int64
	learned      []fold.Learned // of the changes with a label
}

// readColumns reads what a columnWriter wrote.
func readColumns(p *logpb.LedgerChanges, of fold.Source) (changes []fold.LedgerChange, err error) {
	r := columnReader{LedgerChanges: p, of: of, ids: p.GetIds()}
	if err := r.check(); err != nil {
		return nil, err
	}
	changes = make([]fold.LedgerChange, len(p.GetOffset()))
	for i := range changes {
		if changes[i], err = r.next(i); err != nil {
			return nil, err
		}
	}
	if len(r.ids) > 0 {
		return nil, errors.New("the ledger has more bytes of ids than ids")
	}
	return changes, nil
}

// check compares the lengths of the columns, and makes room.
func (r *columnReader) check() error {
	all := len(r.GetOffset())
	labels := nonZero(r.GetLabel())
	topics := nonZero(r.GetTopic())
	if !isColumn(r.GetId(), all) || !isColumn(r.GetLabel(), all) || !isColumn(r.GetGone(), all) ||
		!isColumn(r.GetWeight(), labels) || !isColumn(r.GetSum(), labels) || !isColumn(r.GetTime(), labels) ||
		!isColumn(r.GetBy(), labels) || !isColumn(r.GetAhead(), labels) || !isColumn(r.GetTopic(), labels) ||
		!isColumn(r.GetPartition(), topics) || !isColumn(r.GetAt(), topics) {
		return fmt.Errorf("the columns of %d changes of the ledger, %d with a label, have other lengths", all, labels)
	}
	r.learned = make([]fold.Learned, labels)
	return nil
}

func nonZero(column []uint32) (n int) {
	for _, v := range column {
		if v != 0 {
			n++
		}
	}
	return n
}

// isColumn reports whether a column is of so many numbers, or left out.
func isColumn[T any](column []T, of int) bool { return len(column) == of || len(column) == 0 }

// at returns a number of a column, 0 if it is left out.
func at[T any](column []T, i int) (v T) {
	if len(column) > 0 {
		v = column[i]
	}
	return v
}

func (r *columnReader) next(i int) (c fold.LedgerChange, err error) {
	r.offset += r.Offset[i]
	length := at(r.GetId(), i)
	if int64(length) > int64(len(r.ids)) || !utf8.Valid(r.ids[:length]) {
		return c, fmt.Errorf("change %d of the ledger has no id of %d bytes", i, length)
	}
	c = fold.LedgerChange{Offset: r.offset, ID: string(r.ids[:length]), Gone: at(r.GetGone(), i)}
	r.ids = r.ids[length:]
	if label := at(r.GetLabel(), i); label != 0 {
		c.Put = &r.learned[r.put]
		err = r.read(c.Put, label)
	}
	return c, err
}

// read reads what is learned under a label.
func (r *columnReader) read(l *fold.Learned, label uint32) (err error) {
	r.time += at(r.GetTime(), r.put)
	topic := at(r.GetTopic(), r.put)
	*l = fold.Learned{
		Label: r.name(label, &err), By: r.name(at(r.GetBy(), r.put), &err), Ahead: r.name(at(r.GetAhead(), r.put), &err),
		Weight: at(r.GetWeight(), r.put) + 1, Sum: at(r.GetSum(), r.put), Time: r.time,
		Topic: r.of.Topic, Partition: r.of.Partition, Offset: r.offset,
	}
	if topic != 0 {
		l.Topic = r.name(topic, &err)
		l.Partition = at(r.GetPartition(), r.away)
		l.Offset = at(r.GetAt(), r.away)
		r.away++
	}
	r.put++
	return err
}

// name returns the name of a place, from 1 on; "" of 0. It sets err if there is none.
func (r *columnReader) name(place uint32, err *error) string {
	switch {
	case place == 0:
		return ""
	case int64(place) > int64(len(r.GetNames())):
		*err = fmt.Errorf("the ledger has %d names, none at %d", len(r.GetNames()), place)
		return ""
	}
	return r.GetNames()[place-1]
}

// readLedgerChanges reads the changes that the records of the range made, or in an upkeep delta
// those of entries that records before it put in. In a model with a window documents need no id.
func readLedgerChanges(p *logpb.LedgerPart, of *fold.Range, s *spec.Spec) ([]fold.LedgerChange, error) {
	columns, err := ledgerColumns(p)
	if err != nil {
		return nil, err
	}
	if len(columns.GetAhead()) > 0 && !s.Corrects() {
		return nil, errors.New("changes of the ledger name classes ahead, and the spec has no text.corrections")
	}
	isWindowed := !s.Limits.Window.IsZero()
	changes, err := readColumns(columns, of.Source)
	if err != nil {
		return nil, err
	}
	last := of.Start - 1
	upkeep := of.IsUpkeep()
	if upkeep {
		last = -1
	}
	for _, c := range changes {
		isNamed := c.ID != "" || isWindowed && (upkeep || c.Put != nil) || c.Put != nil && c.Put.By != ""
		if c.Offset <= last || c.Offset >= of.End || !isNamed {
			return nil, errors.New("ledger changes are out of order")
		}
		if c.Gone && !upkeep || c.Put != nil && (upkeep || c.Put.Time < 0) {
			return nil, errors.New("a ledger change says what only the fold may say")
		}
		last = c.Offset
	}
	for _, name := range columns.GetNames() {
		if err := counts.CheckClass(name); err != nil {
			return nil, fmt.Errorf("a name in the ledger %w", err)
		}
	}
	return changes, nil
}
