package wire

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
	"bayestream/internal/shell/wire/mail"
)

func (d *Decoder) content(l *layout, record []byte, found fields, sc *scratch, in *model.Input) error {
	hasText, err := d.readTexts(l, record, found, sc, in)
	if err != nil {
		return err
	}
	err = d.readFeatures(l, record, found, sc, in)
	switch {
	case d.schema.HasText && !hasText && (err != nil || in.HasField() || len(d.schema.TextFields) == 1):
		return l.noText(record, found, sc)
	case err != nil:
		return err
	case !hasText && !in.HasField():
		return d.nothingFound(record)
	}
	return nil
}

// readTexts appends a segment for each field of the text, and reports whether the record has any of
// them.
func (d *Decoder) readTexts(l *layout, record []byte, found fields, sc *scratch, in *model.Input) (any bool,
	err error) {
	for i, spots := range l.texts {
		segment := model.Segment{Mark: d.schema.TextMarks[i]}
		if text, at := first(spots, record, found, sc); at != nil {
			if !text.IsString() {
				return false, Rejectf(NoText, "%s is %s, %s", at.place(), shown(text), text.Kind())
			}
			segment.Text = sc.text(text)
			any = true
		}
		in.Segments = append(in.Segments, segment)
	}
	return any, nil
}

// noText returns the error that names where a text was searched, and what the record has instead.
func (l *layout) noText(record []byte, found fields, sc *scratch) error {
	if len(l.texts) > 1 || len(l.texts[0]) > 1 {
		spots := slices.Concat(l.texts...)
		return Rejectf(NoText, "none of the fields %s is there; the record has %s%s", listed(spots), namesIn(record),
			dotted(record, pathsOf(spots)...))
	}
	only := &l.texts[0][0]
	value := only.raw(record, found, sc)
	if value.IsMissing() {
		return Rejectf(NoText, "%s is missing; the record has %s%s", only.place(), namesIn(record),
			dotted(record, only.path.String()))
	}
	return Rejectf(NoText, "%s is %s", only.place(), value.Kind())
}

func (d *Decoder) wholeValue(value []byte, in *model.Input) error {
	in.Numbers = zeroed(in.Numbers, len(d.numbers))
	in.Categories = zeroed(in.Categories, len(d.categories))
	if d.schema.Format == FormatMail {
		return d.readMail(value, in)
	}
	at := invalidUTF8(value)
	if at >= 0 {
		return Rejectf(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	}
	in.Segments = append(in.Segments, model.Segment{Text: value})
	return nil
}

func (d *Decoder) readMail(value []byte, in *model.Input) error {
	guessed, ok := mail.Read(in, value, d.schema.Whole)
	if !ok {
		return Rejectf(BadMail, "the value %s does not begin with a header field", show(value))
	}
	if d.Guessed != nil {
		for _, what := range guessed {
			d.Guessed(what)
		}
	}
	return nil
}

// weight reads the weight of a training record, 1 if it has none, and reports whether it has one.
// 2.0 is allowed for writers whose numbers are all floating point.
func (d *Decoder) weight(rec *record.Record, field jsonread.Value, dst *Training) (bool, error) {
	value, where := besides(rec, d.schema.WeightHeader, d.schema.WeightField, field)
	if value.IsAbsent() {
		return false, nil
	}
	w, err := strconv.ParseInt(wholePart(value), 10, 64) // a string has quotes
	if err != nil || w < 1 || w > MaxWeight {
		return false, Rejectf(BadWeight, "%s is %s, %s; want an integer from 1 to %d", where, shown(value), value.Kind(),
			MaxWeight)
	}
	dst.Weight = w
	return true, nil
}

// by reads who says the label, and bounds the weight by what that name may teach. What is no name
// names nobody: before names were read, such a record counted, and a recount must count it.
func (d *Decoder) by(rec *record.Record, field jsonread.Value, dst *Training) {
	name, isHeader := lastHeader(rec.Headers, d.schema.ByHeader)
	if !isHeader && field.IsString() {
		name = dst.scratch.text(field)
	}
	name = bytes.TrimSpace(name)
	if len(name) == 0 || counts.CheckClass(view(name)) != nil {
		return
	}
	dst.By = dst.scratch.intern(name)
	dst.Weight = d.WeightOf(dst.By, dst.Weight)
}

// WeightOf returns the weight of a record by a name which says that weight.
func (d *Decoder) WeightOf(by string, weight int64) int64 {
	if teacher, isBounded := d.schema.Teachers[by]; isBounded {
		return min(weight, teacher.Weight)
	}
	return weight
}

// time reads the time of a training record, in milliseconds or in RFC 3339. Without one it has that
// of the record in Kafka.
func (d *Decoder) time(rec *record.Record, field jsonread.Value, dst *Training) error {
	value, where := besides(rec, d.schema.TimeHeader, d.schema.TimeField, field)
	if value.IsAbsent() {
		return nil
	}
	text := string(value)
	if value.IsString() {
		text = string(dst.scratch.text(value))
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if at, notTime := time.Parse(time.RFC3339Nano, text); notTime == nil {
		ms = at.UnixMilli()
		err = nil
	}
	if err != nil || ms <= 0 {
		return Rejectf(BadTime, "%s is %s; want a time like 2026-01-31T12:00:00Z, or milliseconds since 1970", where,
			shown(value))
	}
	dst.Time = ms
	return nil
}

// besides returns the value of a header if the record has it, else that of the field, and where it
// is.
func besides(rec *record.Record, header, path string, field jsonread.Value) (jsonread.Value, place) {
	if value, ok := lastHeader(rec.Headers, header); ok {
		return value, place{"header", header}
	}
	return field, place{"field", path}
}

// wholePart cuts a fraction that is all zeros.
func wholePart(number jsonread.Value) string {
	s := string(number)
	for i := len(s) - 1; i > 0; i-- {
		switch s[i] {
		case '0':
			continue
		case '.':
			return s[:i]
		}
		break
	}
	return s
}
