package htmltext

import "golang.org/x/net/html/atom"

// Bounds of what is open at a time. An element that is nested deeper takes the place of the last
// one, as in browsers.
const (
	maxOpen    = 512
	maxFormats = 64
)

// An element is open: its end was not read.
type element struct {
	id     uint32
	kind   kind
	own    style
	look   look
	format int // index + 1 in stack.formats, or 0
}

// name returns the index of an element in stack.names.
func (e *element) name() uint8 { return uint8(e.id >> 8) }

// A format is an element such as b that goes on behind the end of the paragraph it was opened in,
// or a marker: none goes on out of a cell, or into one.
type format struct {
	id     uint32
	kind   kind
	own    style
	open   bool
	ended  bool
	marker bool
}

// A stack has the open elements (HTML Standard, 13.2.4.2 and 13.2.4.3), below them the html and the
// body element.
type stack struct {
	open    []element
	formats []format
	foreign int         // open elements svg and math
	inP     int         // open elements p
	names   [256]uint16 // open elements, by a part of their id
	quirks  bool
	broken  bool // a line ended or began since the reader looked
}

func newStack(quirks bool) stack {
	s := stack{quirks: quirks}
	for _, a := range []atom.Atom{atom.Html, atom.Body} {
		s.open = append(s.open, element{id: uint32(a), kind: kinds[a]})
	}
	return s
}

func (s *stack) top() *element { return &s.open[len(s.open)-1] }

// begin opens an element, unless it has no content or stands where there is none. It returns the
// look of it.
func (s *stack) begin(e element, closed bool) look {
	a := atom.Atom(e.id)
	if s.foreign > 0 && e.kind&undrawn != 0 {
		s.leaveForeign()
	}
	switch {
	case a == atom.Body || a == atom.Html:
		return s.root(a, &e.own)
	case e.kind&ignored != 0, a == atom.Form && s.find(e.id, noScope) >= 0:
		return s.place()
	case (a == atom.Select || a == atom.Input) && s.find(uint32(atom.Select), plainScope) >= 0:
		s.endIn(uint32(atom.Select), plainScope)
		return s.place()
	case e.kind&tableParts != 0:
		return s.beginTablePart(e)
	}
	s.endBefore(a, e.kind)
	if e.kind&paragraphs == 0 {
		s.reopen()
	}
	e.look = s.place().with(e.kind, &e.own)
	if e.kind&voids != 0 || closed && s.foreign > 0 {
		s.broken = s.broken || e.breaksLine()
	} else {
		s.enter(e)
	}
	return e.look
}

// enter opens an element that has content.
func (s *stack) enter(e element) {
	s.push(e)
	switch {
	case e.id == uint32(atom.Svg) || e.id == uint32(atom.Math):
		s.foreign++
	case e.kind&formats != 0:
		s.addFormat(format{id: e.id, kind: e.kind, own: e.own, open: true})
	case e.kind&markers != 0:
		s.addFormat(format{marker: true})
	}
}

// root gives what a tag of html or body declares to the element, which is there before it.
func (s *stack) root(a atom.Atom, own *style) look {
	at := 0
	if a == atom.Body {
		at = 1
	}
	if s.open[at].own.raise(own) {
		s.look(at)
	}
	return s.open[at].look
}

func (s *stack) push(e element) {
	if len(s.open) >= maxOpen {
		s.cut(len(s.open) - 1)
	}
	s.open = append(s.open, e)
	s.names[e.name()]++
	s.broken = s.broken || e.breaksLine()
	if e.id == uint32(atom.P) {
		s.inP++
	}
}

// addFormat adds a format that belongs to the last element.
func (s *stack) addFormat(f format) {
	if len(s.formats) < maxFormats || f.marker && len(s.formats) < maxFormats+maxOpen {
		s.formats = append(s.formats, f)
		s.open[len(s.open)-1].format = len(s.formats)
	}
}

// cut ends all elements from an index on.
func (s *stack) cut(at int) {
	for i := len(s.open) - 1; i >= at; i-- {
		e := &s.open[i]
		s.broken = s.broken || e.breaksLine()
		s.leave(e)
		switch {
		case e.format == 0 || e.format > len(s.formats):
		case s.formats[e.format-1].marker:
			s.formats = s.formats[:e.format-1]
		default:
			s.formats[e.format-1].open = false
		}
	}
	s.open = s.open[:at]
}

// leave takes an element out of the numbers of open ones.
func (s *stack) leave(e *element) {
	s.names[e.name()]--
	switch atom.Atom(e.id) {
	case atom.P:
		s.inP--
	case atom.Svg, atom.Math:
		s.foreign--
	}
}

// reopen opens the formats again that were ended by the end of what they were in.
func (s *stack) reopen() {
	from := len(s.formats)
	for from > 0 && !s.formats[from-1].marker && !s.formats[from-1].open {
		from--
	}
	for i := from; i < len(s.formats); i++ {
		f := &s.formats[i]
		if !f.ended {
			f.open = true
			s.push(element{id: f.id, kind: f.kind, own: f.own, look: s.place().with(f.kind, &f.own), format: i + 1})
		}
	}
}

// find returns the index of the last open element of an id, or -1 if a scope ends before it.
func (s *stack) find(id uint32, scope kind) int {
	if sought := (element{id: id}); s.names[sought.name()] == 0 {
		return -1
	}
	for i := len(s.open) - 1; i > 1; i-- {
		if s.open[i].id == id {
			return i
		}
		if s.open[i].kind&scope != 0 {
			break
		}
	}
	return -1
}

// endIn ends an element and all in it.
func (s *stack) endIn(id uint32, scope kind) {
	if at := s.find(id, scope); at >= 0 {
		s.cut(at)
	}
}

// endBefore ends what cannot be around an element that begins.
func (s *stack) endBefore(a atom.Atom, k kind) {
	switch a {
	case atom.Li:
		s.endItem(atom.Li, atom.Li)
	case atom.Dd, atom.Dt:
		s.endItem(atom.Dd, atom.Dt)
	case atom.Option, atom.Optgroup:
		if top := s.top().id; top == uint32(atom.Option) || top == uint32(a) {
			s.cut(len(s.open) - 1)
		}
	case atom.Button:
		s.endIn(uint32(a), plainScope)
	case atom.A, atom.Nobr:
		if s.lastFormat(uint32(a)) >= 0 {
			s.endFormat(uint32(a))
		}
	case atom.Table:
		s.endIn(uint32(a), cells)
	}
	if s.inP > 0 && k&paragraphs != 0 && !(a == atom.Table && s.quirks) {
		s.endIn(uint32(atom.P), buttonScope)
	}
	if k&headings != 0 && s.top().kind&headings != 0 {
		s.cut(len(s.open) - 1)
	}
}

// endItem ends the item of a list before the next one.
func (s *stack) endItem(one, other atom.Atom) {
	for i := len(s.open) - 1; i > 1; i-- {
		a := atom.Atom(s.open[i].id)
		if a == one || a == other {
			s.cut(i)
			return
		}
		if s.open[i].kind&special != 0 && a != atom.Address && a != atom.Div && a != atom.P {
			return
		}
	}
}

// leaveForeign ends a drawing at an element that is none of it.
func (s *stack) leaveForeign() {
	for i := len(s.open) - 1; i > 1; i-- {
		switch atom.Atom(s.open[i].id) {
		case atom.Foreignobject, atom.Desc, atom.Title, atom.AnnotationXml:
			return
		case atom.Svg, atom.Math:
			s.cut(i)
		}
	}
}

func (s *stack) end(id uint32, k kind) {
	a := atom.Atom(id)
	switch {
	case a == atom.Body || a == atom.Html:
	case a == atom.P, a == atom.Br:
		s.endParagraph(id)
	case a == atom.Li:
		s.endIn(id, listScope)
	case a == atom.Form:
		s.endForm()
	case a == atom.Table || k&tableParts != 0:
		s.endIn(id, tables)
	case k&headings != 0:
		s.endHeading()
	case k&formats != 0 && s.lastFormat(id) >= 0:
		s.endFormat(id)
	case k&special != 0, a == atom.Dialog:
		s.endIn(id, plainScope)
	default:
		s.endIn(id, special)
	}
}

// endParagraph ends a paragraph. The end of one that is not open, or of br, is an element by itself.
func (s *stack) endParagraph(id uint32) {
	if at := s.find(id, buttonScope); at >= 0 {
		s.cut(at)
	} else if !s.place().absent {
		s.broken = true
	}
}

// endHeading ends the heading that is open, of whichever level.
func (s *stack) endHeading() {
	isOpen := false
	for _, a := range [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6} {
		heading := element{id: uint32(a)}
		isOpen = isOpen || s.names[heading.name()] > 0
	}
	if !isOpen {
		return
	}
	for i := len(s.open) - 1; i > 1; i-- {
		if s.open[i].kind&headings != 0 {
			s.cut(i)
			return
		}
		if s.open[i].kind&plainScope != 0 {
			return
		}
	}
}

// endForm ends a form. What is open in it stays in it.
func (s *stack) endForm() {
	at := s.find(uint32(atom.Form), plainScope)
	if at == len(s.open)-1 {
		s.cut(at)
	} else if at >= 0 {
		s.names[s.open[at].name()]--
		s.open[at].id = 0
		s.names[s.open[at].name()]++
	}
}

// lastFormat returns the index of the last format of an id that goes on, or -1.
func (s *stack) lastFormat(id uint32) int {
	for i := len(s.formats) - 1; i >= 0 && !s.formats[i].marker; i-- {
		if f := &s.formats[i]; f.id == id && !f.ended {
			return i
		}
	}
	return -1
}

// endFormat ends a format. Blocks that were opened in it go on without it, and formats in it go on
// (the adoption agency algorithm, 13.2.6.4.7).
func (s *stack) endFormat(id uint32) {
	f := s.lastFormat(id)
	if s.formats[f].open {
		at := len(s.open) - 1
		for s.open[at].format != f+1 {
			at--
		}
		block := -1
		for i := len(s.open) - 1; i > at; i-- {
			if s.open[i].kind&plainScope != 0 {
				return
			}
			if s.open[i].kind&special != 0 {
				block = i
			}
		}
		if block < 0 {
			s.cut(at)
		} else {
			s.adopt(at, block)
		}
	}
	s.formats[f].ended = true
	for n := len(s.formats); n > 0 && s.formats[n-1].ended; n = len(s.formats) {
		s.formats = s.formats[:n-1]
	}
}

// adopt takes the format at an index from around a block, and what is between them and no format.
func (s *stack) adopt(at, block int) {
	s.leave(&s.open[at])
	kept := s.open[:at]
	for i := at + 1; i < len(s.open); i++ {
		if i >= block || s.open[i].format > 0 {
			kept = append(kept, s.open[i])
		} else {
			s.leave(&s.open[i])
		}
	}
	s.open = kept
	s.look(at)
}
