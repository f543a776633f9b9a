package wire

import (
	"errors"
	"strconv"

	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/model"
	"bayestream/internal/wire/jsonread"
	"bayestream/internal/wire/mail"
)

// content fills the Input from the fields of a JSON record.
func (d *Decoder) content(found *fields, sc *scratch, in *model.Input) error {
	if d.schema.HasText {
		text := found[slotText]
		if !text.IsString() {
			return d.noText(text)
		}
		in.Segments = append(in.Segments, model.Segment{Text: sc.text(text)})
	}
	if err := d.readNumbers(found[slotNumbers], sc, in); err != nil {
		return err
	}
	return d.readCategories(found[slotCategories], sc, in)
}

// noText says what the text field is instead of a string.
func (d *Decoder) noText(field jsonread.Value) error {
	if field.IsAbsent() {
		return Rejectf(NoText, "field %q is %s", d.schema.TextField, field.Kind())
	}
	return Rejectf(NoText, "field %q is %s, %s", d.schema.TextField, shown(field), field.Kind())
}

// wholeValue fills the Input from a record whose value is one text or mail.
func (d *Decoder) wholeValue(value []byte, in *model.Input) error {
	in.Numbers = zeroed(in.Numbers, len(d.numbers))
	in.Categories = zeroed(in.Categories, len(d.categories))
	if d.schema.Format == FormatMail {
		return readMail(value, in)
	}
	at := invalidUTF8(value)
	if at >= 0 {
		return Rejectf(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	}
	in.Segments = append(in.Segments, model.Segment{Text: value})
	return nil
}

// readMail fills the Input from a mail.
func readMail(value []byte, in *model.Input) error {
	message := mail.WithoutEnvelope(value)
	segments, ok := mail.AppendSegments(in.Segments, message)
	if !ok {
		return Rejectf(BadMail, "the value %s does not begin with a header field", show(message))
	}
	in.Segments = segments
	return nil
}

// weight reads the weight of a training record, 1 if it has none. 2.0 is allowed for writers whose numbers are all
// floating point.
func (d *Decoder) weight(field jsonread.Value, dst *Training) error {
	if field.IsAbsent() {
		return nil
	}
	w, err := strconv.ParseInt(wholePart(field), 10, 64)
	if err == nil && field.IsNumber() && 1 <= w && w <= MaxWeight {
		dst.Weight = w
		return nil
	}
	return Rejectf(BadWeight, "field \"weight\" is %s, %s; want an integer from 1 to %d", shown(field), field.Kind(), MaxWeight)
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

// readNumbers fills the numbers that the spec names. Null is missing, other numbers are ignored.
func (d *Decoder) readNumbers(object jsonread.Value, sc *scratch, in *model.Input) error {
	in.Numbers = zeroed(in.Numbers, len(d.numbers))
	if len(d.numbers) == 0 || object.IsAbsent() {
		return nil
	}
	if !object.IsObject() {
		return Rejectf(BadNumber, "field \"numbers\" is %s, %s; want an object", shown(object), object.Kind())
	}
	return sc.pickFeatures(object, d.numbers, func(i int, value jsonread.Value) error {
		return d.readNumber(value, i, &in.Numbers[i])
	})
}

// readNumber reads one number from its decimal digits to fixed point, without a float64 in between.
func (d *Decoder) readNumber(value jsonread.Value, i int, dst *model.Number) error {
	if value.IsNull() {
		return nil
	}
	name := d.schema.NumberFields[i]
	if !value.IsNumber() {
		return Rejectf(BadNumber, "field \"numbers\", %q is %s, %s; want a number", name, shown(value), value.Kind())
	}
	fixed, err := gaussian.ParseFixed(value, d.schema.Digits)
	switch {
	case errors.Is(err, gaussian.ErrRange):
		return Rejectf(NumberRange, "field \"numbers\", %q is %s, more than %d decimal places leave room for", name, shown(value), d.schema.Digits)
	case err != nil:
		return Rejectf(BadNumber, "field \"numbers\", %q is %s: %v", name, shown(value), err)
	}
	*dst = model.Number{Value: fixed, Present: true}
	return nil
}

// readCategories fills the categories that the spec names. Only strings are categories: the writer knows whether 1 and
// 1.0, or true and "true", are one value.
func (d *Decoder) readCategories(object jsonread.Value, sc *scratch, in *model.Input) error {
	in.Categories = zeroed(in.Categories, len(d.categories))
	if len(d.categories) == 0 || object.IsAbsent() {
		return nil
	}
	if !object.IsObject() {
		return Rejectf(BadCategory, "field \"categories\" is %s, %s; want an object", shown(object), object.Kind())
	}
	return sc.pickFeatures(object, d.categories, func(i int, value jsonread.Value) error {
		return d.readCategory(value, i, sc, &in.Categories[i])
	})
}

// readCategory reads one categorical value.
func (d *Decoder) readCategory(value jsonread.Value, i int, sc *scratch, dst *model.Category) error {
	if value.IsNull() {
		return nil
	}
	name := d.schema.CategoryFields[i]
	if !value.IsString() {
		return Rejectf(BadCategory, "field \"categories\", %q is %s, %s; want a string", name, shown(value), value.Kind())
	}
	text := sc.text(value)
	if len(text) > maxCategoryBytes {
		return Rejectf(BadCategory, "field \"categories\", %q has %d bytes, the limit is %d", name, len(text), maxCategoryBytes)
	}
	if err := counts.CheckTerm(text); err != nil && len(text) > 0 {
		return Rejectf(BadCategory, "field \"categories\", %q %v", name, err)
	}
	*dst = model.Category{Value: text, Present: true}
	return nil
}
