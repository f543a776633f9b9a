package dataset

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// longestField is how much is looked at behind a line that may begin a mail: the name of a field is
// shorter.
const longestField = 80

// Sentences begin with "From " too. A separator has the time and the year when the mail came, or
// the header of a mail behind it.
var (
	clock = regexp.MustCompile(`\b[0-9]{1,2}:[0-9]{2}\b`)
	year  = regexp.MustCompile(`\b(19|20)[0-9]{2}\b`)
)

// separates reports whether a line begins a mail.
func (r *documentReader) separates(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	if !r.started && r.line == 1 {
		return true
	}
	next, _ := r.data.Peek(longestField)
	name, _, isField := bytes.Cut(next, []byte(":"))
	isField = isField && isFieldName(name)
	if r.mailbox == perhapsMailbox {
		return r.blank && isField
	}
	return isField && isMailField(string(name)) || clock.Match(line) && year.Match(line)
}

// isMailField reports the fields that a header may begin with.
func isMailField(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(mailFields, name) || name == "subject" || name == "sender" || name == "reply-to" ||
		strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "arc-") ||
		strings.HasPrefix(name, "dkim-")
}
