package mail

import "strings"

// A list collects lines, each once, in order of appearance.
type list struct {
	lines []string
	seen  map[string]bool
}

// add adds a line that is not empty.
func (l *list) add(line string) {
	if line == "" || l.seen[line] {
		return
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[line] = true
	l.lines = append(l.lines, line)
}

func (l *list) joined() string { return strings.Join(l.lines, "\n") }
