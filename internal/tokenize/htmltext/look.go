package htmltext

import "golang.org/x/net/html/atom"

// A look says why a place does not show.
type look struct {
	absent    bool // display: none, which leaves no gap
	gone      bool // another property that no element inside can undo
	invisible bool
	tiny      bool
	undrawn   bool // in a drawing, and no text of it
	folded    bool // in what shows only some elements
}

func (l look) hides() bool {
	return l.absent || l.gone || l.invisible || l.tiny || l.undrawn || l.folded
}

// with returns the look of an element inside of l.
func (l look) with(k kind, own *style) look {
	shown := own[display].setting
	isBlock := shown == blocks || shown == boxes || shown == unset && isBox(k)
	clipped := isBlock && own[overflow].setting == hides && own[extent].setting == hides
	l.absent = l.absent || shown == hides || l.folded && k&(unfolded|formats) == 0
	l.gone = l.gone || own[opacity].setting == hides || clipped
	l.invisible = own[visibility].setting.or(l.invisible)
	l.tiny = own[size].setting.or(l.tiny)
	l.undrawn = own[content].setting.or(l.undrawn)
	l.folded = own[content].setting == folds || l.folded && k&formats != 0
	return l
}

// breaksLine reports whether an element is no part of the line it stands in.
func (e *element) breaksLine() bool {
	switch {
	case e.look.absent:
		return false
	case e.own[display].setting == blocks, e.own[display].setting == rows:
		return true
	case e.own[display].setting == boxes, e.own[display].setting == inlines:
		return false
	}
	return e.kind&breaking != 0
}

// or returns what a setting says of an inherited property.
func (s setting) or(around bool) bool {
	switch s {
	case hides:
		return true
	case shows:
		return false
	}
	return around
}

// place returns the look of what comes next. What stands in a table and in no cell is shown before
// the table.
func (s *stack) place() look { return s.lookAround(len(s.open), false) }

// lookAround returns the look of what is around the element at an index.
func (s *stack) lookAround(at int, inTable bool) look {
	if at == 0 {
		return look{}
	}
	around := at - 1
	if !inTable && s.open[around].kind&tableContexts != 0 {
		for around > 0 && s.open[around].id != uint32(atom.Table) {
			around--
		}
		around = max(around-1, 0)
	}
	return s.open[around].look
}

// look computes the looks from an index on.
func (s *stack) look(from int) {
	for i := from; i < len(s.open); i++ {
		e := &s.open[i]
		e.look = s.lookAround(i, e.kind&tableParts != 0).with(e.kind, &e.own)
	}
}
