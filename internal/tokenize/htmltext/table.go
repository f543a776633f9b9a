package htmltext

import "golang.org/x/net/html/atom"

// beginTablePart opens a part of a table; outside of a table there is none.
func (s *stack) beginTablePart(e element) look {
	a := atom.Atom(e.id)
	table := s.find(uint32(atom.Table), tables)
	if table < 0 {
		return s.place()
	}
	around := table
	for i := table + 1; i < len(s.open); i++ {
		part := atom.Atom(s.open[i].id)
		if isCell(a) && part == atom.Tr || (isCell(a) || a == atom.Tr) && isRowGroup(part) {
			around = i
		}
	}
	s.cut(around + 1)
	if (isCell(a) || a == atom.Tr) && around == table {
		s.imply(atom.Tbody)
	}
	if isCell(a) && s.top().id != uint32(atom.Tr) {
		s.imply(atom.Tr)
	}
	e.look = s.top().look.with(e.kind, &e.own)
	if a == atom.Col {
		return e.look
	}
	s.push(e)
	if e.kind&markers != 0 {
		s.addFormat(format{marker: true})
	}
	return e.look
}

// imply opens an element that has no tag.
func (s *stack) imply(a atom.Atom) {
	s.push(element{id: uint32(a), kind: kinds[a], look: s.top().look})
}
