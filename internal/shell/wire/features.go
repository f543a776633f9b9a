package wire

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/wire/jsonread"
)

// readFeatures fills the numbers and the categories that the spec names: from the objects "numbers"
// and "categories", and what is missing there from the spots of the layout. Null is missing, what
// the spec does not name is ignored.
func (d *Decoder) readFeatures(l *layout, record []byte, found fields, sc *scratch, in *model.Input) error {
	in.Numbers = zeroed(in.Numbers, len(d.numbers))
	in.Categories = zeroed(in.Categories, len(d.categories))
	err := sc.pickFeatures("numbers", found[slotNumbers], d.numbers, BadNumber, func(i int, value jsonread.Value) error {
		return d.readNumber(value, place{"field \"numbers\",", d.schema.NumberFields[i]}, &in.Numbers[i])
	})
	if err != nil {
		return err
	}
	for i := range in.Numbers {
		if in.Numbers[i].Present {
			continue
		}
		if value, at := first(l.numbers[i], record, found, sc); at != nil {
			if err := d.readNumber(value, at.place(), &in.Numbers[i]); err != nil {
				return err
			}
		}
	}
	err = sc.pickFeatures("categories", found[slotCategories], d.categories, BadCategory,
		func(i int, value jsonread.Value) error {
			return readCategory(value, place{"field \"categories\",", d.schema.CategoryFields[i]}, sc, &in.Categories[i])
		})
	if err != nil {
		return err
	}
	for i := range in.Categories {
		if in.Categories[i].Present {
			continue
		}
		if value, at := first(l.categories[i], record, found, sc); at != nil {
			if err := readCategory(value, at.place(), sc, &in.Categories[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readNumber reads one number from its decimal digits to fixed point, without a float64 in between.
func (d *Decoder) readNumber(value jsonread.Value, at place, dst *model.Number) error {
	if value.IsNull() {
		return nil
	}
	if !value.IsNumber() {
		return Rejectf(BadNumber, "%s is %s, %s; want a number", at, shown(value), value.Kind())
	}
	fixed, err := gaussian.ParseFixed(value, d.schema.Digits)
	switch {
	case errors.Is(err, gaussian.ErrRange):
		most := math.MaxInt64 / math.Pow10(d.schema.Digits)
		return Rejectf(NumberRange, "%s is %s: want a number from %.2g to %.2g, or a coarser "+
			"numbers[].scale in the spec, now %v",
			at, shown(value), -most, most, math.Pow10(-d.schema.Digits))
	case err != nil:
		return Rejectf(BadNumber, "%s is %s: %v", at, shown(value), err)
	}
	*dst = model.Number{Value: fixed, Present: true}
	return nil
}

// readCategory reads one categorical value. Only strings are categories: the writer knows whether 1
// and 1.0, or true and "true", are one value.
func readCategory(value jsonread.Value, at place, sc *scratch, dst *model.Category) error {
	if value.IsNull() {
		return nil
	}
	if !value.IsString() {
		return Rejectf(BadCategory, "%s is %s, %s; want a string", at, shown(value), value.Kind())
	}
	text, bad := CheckCategory(sc.text(value))
	if bad != nil {
		return bad.At(at)
	}
	*dst = model.Category{Value: text, Present: true}
	return nil
}

// nothingFound returns the error of a record that has no field of the spec, with what it has
// instead.
func (d *Decoder) nothingFound(record []byte) error {
	wanted := d.schema.fieldNames()
	var nulls []string
	var r jsonread.Reader
	for r.Reset(record); r.Next(); {
		if name := string(r.Name()); r.Value().IsNull() && slices.Contains(wanted, name) {
			nulls = append(nulls, name)
		}
	}
	if len(nulls) > 0 {
		return Rejectf(NothingFound, "the record has no value in the fields %s: null stands in %s", quoteSome(wanted),
			quoteSome(nulls))
	}
	return Rejectf(NothingFound, "the record has none of the fields %s; it has %s%s", quoteSome(wanted), namesIn(record),
		dotted(record, d.schema.TextFields...))
}

// namesIn lists the first few fields of a JSON object.
func namesIn(record []byte) string {
	var has []string
	var r jsonread.Reader
	for r.Reset(record); r.Next(); {
		has = append(has, string(r.Name()))
	}
	return quoteSome(has)
}

// dotted says what to do about the first path that is the name of a field, dots and all; "": none is.
func dotted(record []byte, paths ...string) string {
	var r jsonread.Reader
	for _, path := range paths {
		name := strings.ReplaceAll(path, ".", `\.`)
		if name != path && !jsonread.NewPath(name).Find(&r, record).IsMissing() {
			return "; a dot leads into a field: write the name as " + name
		}
	}
	return ""
}

// quoteSome lists the first few names.
func quoteSome(names []string) string {
	const most = 8
	var out []string
	for _, name := range names[:min(len(names), most)] {
		out = append(out, show(name))
	}
	switch rest := len(names) - most; {
	case len(names) == 0:
		return "no field at all"
	case rest > 0:
		out = append(out, "and "+strconv.Itoa(rest)+" more")
	}
	return strings.Join(out, ", ")
}
