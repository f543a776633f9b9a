package wire

import (
	"slices"
	"strconv"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire/jsonread"
	"bayestream/internal/shell/wire/mail"
)

// content fills the Input from the members of a JSON record.
func (d *Decoder) content(l *layout, record []byte, found fields, sc *scratch, in *model.Input) error {
	hasText, err := d.readTexts(l, record, found, sc, in)
	if err != nil {
		return err
	}
	err = d.readFeatures(l, record, found, sc, in)
	switch {
	case d.schema.HasText && !hasText && (err != nil || hasFeature(in) || len(d.schema.TextFields) == 1):
		return l.noText(record, found, sc)
	case err != nil:
		return err
	case !hasText && !hasFeature(in):
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

// noText returns the error that names where a text was searched.
func (l *layout) noText(record []byte, found fields, sc *scratch) error {
	if len(l.texts) > 1 || len(l.texts[0]) > 1 {
		return Rejectf(NoText, "none of the fields %s is there", listed(slices.Concat(l.texts...)))
	}
	only := &l.texts[0][0]
	return Rejectf(NoText, "%s is %s", only.place(), only.raw(record, found, sc).Kind())
}

// wholeValue fills the Input from a record whose value is one text or mail.
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

// readMail fills the Input from a mail.
func (d *Decoder) readMail(value []byte, in *model.Input) error {
	message := mail.WithoutEnvelope(value)
	segments, guessed, ok := mail.AppendSegments(in.Segments, message)
	if !ok {
		return Rejectf(BadMail, "the value %s does not begin with a header field", show(message))
	}
	in.Segments = segments
	if d.Guessed != nil {
		for _, what := range guessed {
			d.Guessed(what)
		}
	}
	return nil
}

// weight reads the weight of a training record, 1 if it has none. 2.0 is allowed for writers whose
// numbers are all floating point.
func (d *Decoder) weight(field jsonread.Value, dst *Training) error {
	if field.IsAbsent() {
		return nil
	}
	w, err := strconv.ParseInt(wholePart(field), 10, 64)
	if err == nil && field.IsNumber() && 1 <= w && w <= MaxWeight {
		dst.Weight = w
		return nil
	}
	return Rejectf(BadWeight, "field \"weight\" is %s, %s; want an integer from 1 to %d", shown(field), field.Kind(),
		MaxWeight)
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
