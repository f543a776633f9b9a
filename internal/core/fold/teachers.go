package fold

// Teachers are what became of the labels that names have said, by name. They depend on the log
// alone. A label is judged when somebody else says one of its document, by name or not, while the
// ledger has it.
type Teachers map[string]Taught

// Taught are labels that a name has said.
type Taught struct {
	Labels    int64 // that were learned
	Agreed    int64 // of these, that somebody else has said then, too
	Corrected int64 // that somebody else has changed
}

// maxTeachers is how many names have a count: the first ones in the log.
const maxTeachers = 100

// add counts a change of a ledger that has not made it yet.
func (t Teachers) add(l *Ledger, c *LedgerChange) {
	if c.Put == nil || len(t) == 0 && c.Put.By == "" { // where nobody is named, looking up entries is for nothing
		return
	}
	if by, isKnown := t[c.Put.By]; c.Put.By != "" && (isKnown || len(t) < maxTeachers) {
		by.Labels++
		t[c.Put.By] = by
	}
	before, _ := l.Entry(c.ID)
	if before.Put == nil || before.Put.Owed || before.Put.By == c.Put.By {
		return
	}
	by, isKnown := t[before.Put.By]
	switch {
	case !isKnown:
		return
	case before.Put.Label == c.Put.Label:
		by.Agreed++
	default:
		by.Corrected++
	}
	t[before.Put.By] = by
}

// Teachers returns what became of the labels that names have said; nothing without ledgers. It is a
// view.
func (s *State) Teachers() Teachers { return s.teachers }
