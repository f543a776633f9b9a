package wire

import (
	"errors"
	"strconv"

	"bayestream/internal/gaussian"
	"bayestream/internal/model"
)

// content fills the Input from the fields of a JSON record.
func (d *Decoder) content(found *fields, sc *scratch, in *model.Input) error {
	if d.schema.HasText {
		text := found[slotText]
		if !text.isString() {
			return d.noText(text)
		}
		in.Segments = append(in.Segments, model.Segment{Text: sc.unquote(text)})
	}
	if err := d.readNumbers(found[slotNumbers], sc, in); err != nil {
		return err
	}
	return d.readCategories(found[slotCategories], sc, in)
}

// noText says what stands where the text should be.
func (d *Decoder) noText(field raw) error {
	if field.absent() {
		return Rejectf(NoText, "field %q is %s", d.schema.TextField, field.kind())
	}
	return Rejectf(NoText, "field %q is %s, %s", d.schema.TextField, field.shown(), field.kind())
}

// wholeValue fills the Input from a record whose value is all text.
func (d *Decoder) wholeValue(value []byte, in *model.Input) error {
	in.Numbers = absent(in.Numbers, len(d.numbers))
	in.Categories = absent(in.Categories, len(d.categories))
	if d.schema.Format == FormatMail {
		return readMail(value, in)
	}
	if at := invalidUTF8(value); at >= 0 {
		return Rejectf(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	}
	in.Segments = append(in.Segments, model.Segment{Text: value})
	return nil
}

// weight reads the weight of a training record, 1 when it has none. The decimal
// point is allowed for the sake of writers whose numbers are all floating point.
func (d *Decoder) weight(field raw, dst *Training) error {
	if field.absent() {
		return nil
	}
	if w, err := strconv.ParseInt(wholePart(field), 10, 64); err == nil && field.isNumber() && 1 <= w && w <= MaxWeight {
		dst.Weight = w
		return nil
	}
	return Rejectf(BadWeight, "field \"weight\" is %s, %s; want an integer from 1 to %d", field.shown(), field.kind(), MaxWeight)
}

// wholePart cuts a fraction of nothing but zeros.
func wholePart(number raw) string {
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

// readNumbers fills the numbers that the spec names; what is null or not there is
// missing, and other numbers are none of the model's business.
func (d *Decoder) readNumbers(object raw, sc *scratch, in *model.Input) error {
	in.Numbers = absent(in.Numbers, len(d.numbers))
	if len(d.numbers) == 0 || object.absent() {
		return nil
	}
	if !object.isObject() {
		return Rejectf(BadNumber, "field \"numbers\" is %s, %s; want an object", object.shown(), object.kind())
	}
	seen := sc.unseen(len(d.numbers))
	for m := walk(object); m.next(sc); {
		i, wanted := d.numbers[string(m.key)]
		if !wanted || seen[i] {
			continue
		}
		seen[i] = true
		if err := d.readNumber(m.value, i, &in.Numbers[i]); err != nil {
			return err
		}
	}
	return nil
}

// readNumber reads one number to fixed point, from its decimal text: no float64
// comes in between.
func (d *Decoder) readNumber(value raw, i int, dst *model.Number) error {
	if value.null() {
		return nil
	}
	name := d.schema.NumberFields[i]
	if !value.isNumber() {
		return Rejectf(BadNumber, "field \"numbers\", %q is %s, %s; want a number", name, value.shown(), value.kind())
	}
	fixed, err := gaussian.ParseFixed(value, d.schema.Digits)
	switch {
	case errors.Is(err, gaussian.ErrRange):
		return Rejectf(NumberRange, "field \"numbers\", %q is %s, more than %d decimal places leave room for", name, value.shown(), d.schema.Digits)
	case err != nil:
		return Rejectf(BadNumber, "field \"numbers\", %q is %s: %v", name, value.shown(), err)
	}
	*dst = model.Number{Value: fixed, Present: true}
	return nil
}

// readCategories fills the categories that the spec names. Only strings: whether
// 1 and 1.0, or true and "true", are one value is the writer's to say.
func (d *Decoder) readCategories(object raw, sc *scratch, in *model.Input) error {
	in.Categories = absent(in.Categories, len(d.categories))
	if len(d.categories) == 0 || object.absent() {
		return nil
	}
	if !object.isObject() {
		return Rejectf(BadCategory, "field \"categories\" is %s, %s; want an object", object.shown(), object.kind())
	}
	seen := sc.unseen(len(d.categories))
	for m := walk(object); m.next(sc); {
		i, wanted := d.categories[string(m.key)]
		if !wanted || seen[i] {
			continue
		}
		seen[i] = true
		if err := d.readCategory(m.value, i, sc, &in.Categories[i]); err != nil {
			return err
		}
	}
	return nil
}

// readCategory reads one categorical value.
func (d *Decoder) readCategory(value raw, i int, sc *scratch, dst *model.Category) error {
	if value.null() {
		return nil
	}
	name := d.schema.CategoryFields[i]
	if !value.isString() {
		return Rejectf(BadCategory, "field \"categories\", %q is %s, %s; want a string", name, value.shown(), value.kind())
	}
	text := sc.unquote(value)
	if len(text) > MaxCategoryBytes {
		return Rejectf(BadCategory, "field \"categories\", %q has %d bytes, the limit is %d", name, len(text), MaxCategoryBytes)
	}
	*dst = model.Category{Value: text, Present: true}
	return nil
}

// absent returns n zero values in the memory of dst: present is what is read.
func absent[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n)
	}
	dst = dst[:n]
	clear(dst)
	return dst
}
