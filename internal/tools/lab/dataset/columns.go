package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// columns are the places of the columns that are needed; -1: there is none.
type columns struct {
	label, id  int
	weight     int
	texts      []int
	numbers    []int
	categories []int

	header  []string
	missing []missingColumn
	twice   string // the name of two columns, of which one is needed
	any     bool   // a column of the document is there
	bare    bool   // the rows are an id and a label alone
}

// missingColumn is a column that the spec or a flag names and that is not there.
type missingColumn struct {
	name, flag string // flag: which flag would name it; "": none
	feature    bool   // a number, a category, or one of several texts: a row may be without it
}

// columns finds the columns of a header.
func (o Options) columns(header []string) columns {
	c := columns{}
	for _, name := range header {
		c.header = append(c.header, strings.TrimSpace(name))
	}
	at := o.Spec.RecordPlaces()
	isLabelled := !o.Unlabelled && o.Label == ""
	c.label = c.find(cmp.Or(o.LabelField, at.Label.Field), missingColumn{flag: "--label-field"}, isLabelled)
	c.id = c.find(cmp.Or(o.IDField, at.ID.Field), missingColumn{flag: "--id-field"}, o.IDField != "")
	c.weight = c.find(at.Weight.Field, missingColumn{}, false)
	var fields []string
	if o.Spec.Text != nil {
		fields = o.textFields()
	}
	text := missingColumn{feature: len(fields) > 1}
	if len(fields) == 1 {
		text.flag = "--text-field"
	}
	for _, f := range fields {
		c.texts = append(c.texts, c.feature(f, text))
	}
	if !c.any { // a document has one of its texts
		for i := range c.missing {
			c.missing[i].feature = false
		}
	}
	for _, f := range o.Spec.NumberFields() {
		c.numbers = append(c.numbers, c.feature(f, missingColumn{feature: true}))
	}
	for _, f := range o.Spec.CategoryFields() {
		c.categories = append(c.categories, c.feature(f, missingColumn{feature: true}))
	}
	c.bare = o.Topic && !o.Unlabelled && c.id >= 0 && c.label >= 0 && len(c.header) == 2
	return c
}

// feature returns the place of a column of the document.
func (c *columns) feature(name string, missing missingColumn) int {
	i := c.find(name, missing, true)
	c.any = c.any || i >= 0
	return i
}

// find returns the place of a column.
func (c *columns) find(name string, missing missingColumn, needed bool) int {
	i := slices.Index(c.header, name)
	switch {
	case i < 0 && needed:
		missing.name = name
		c.missing = append(c.missing, missing)
	case i >= 0 && slices.Contains(c.header[i+1:], name):
		c.twice = name
	}
	return i
}

// absent returns the missing columns if rows may be without all of them, as the records of a topic
// may; else none. Rows need a column of the document, and no missing one may be there in another
// case.
func (c *columns) absent() (names []string) {
	for _, m := range c.missing {
		if !m.feature || !c.any || c.inOtherCase(m.name) >= 0 {
			return nil
		}
		names = append(names, m.name)
	}
	return names
}

// inOtherCase returns the place of a column whose name differs in case alone, or -1.
func (c *columns) inOtherCase(name string) int {
	return slices.IndexFunc(c.header, func(other string) bool { return strings.EqualFold(other, name) })
}

// check returns an error if a column is missing, or one that is needed is there twice.
func (c *columns) check() error {
	if c.twice != "" {
		return fmt.Errorf("two columns are called %q", c.twice)
	}
	if c.bare || len(c.absent()) == len(c.missing) {
		return nil
	}
	if slices.ContainsFunc(c.header, func(name string) bool {
		return strings.Contains(name, "\r") &&
			!strings.Contains(name, "\n")
	}) {
		return errors.New("lines end with a carriage return alone, as old Macs wrote them: " +
			"convert the file: tr '\\r' '\\n' <FILE")
	}
	var missing []string
	hint, flags := "", []string{}
	for _, m := range c.missing {
		missing = append(missing, m.name)
		i := c.inOtherCase(m.name)
		switch {
		case i < 0 && m.flag != "":
			flags = append(flags, m.flag)
		case i < 0:
		case m.flag == "":
			hint += fmt.Sprintf("; %q is not %q, since upper and lower case differ", c.header[i], m.name)
		default:
			hint += fmt.Sprintf("; for %q say %s=%s", c.header[i], m.flag, c.header[i])
		}
	}
	if len(flags) > 0 {
		hint += "; columns of other names are named by " + strings.Join(flags, " and ")
	}
	return fmt.Errorf("there is no column %s; the header names %s%s", quoted(missing), quoted(c.header), hint)
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, strconv.Quote(n))
	}
	return strings.Join(out, ", ")
}
