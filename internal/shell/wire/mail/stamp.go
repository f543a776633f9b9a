package mail

import (
	"bytes"
	"slices"
	"strings"
)

// WithoutFields returns a message without the fields of these names, with their continuation lines.
// It looks up to the first empty line, however readers divide what is before it: none of them finds
// such a field in the header.
func WithoutFields(message []byte, names ...string) []byte {
	return without(message, func(name string) bool {
		return slices.ContainsFunc(names, func(one string) bool { return strings.EqualFold(name, one) })
	})
}

// told begin the names, in lower case, of fields that say what somebody made of a mail behind its
// way: a filter, a mailbox, or a program that shows mails. Another list needs another
// spec.MailRevision.
var told = []string{
	"x-bayestream", "x-spam", "x-ham-report", "x-bogosity", "x-dspam", "x-rspamd", "x-crm114", "x-ms-exchange",
	"x-microsoft-antispam", "x-forefront-antispam", "x-mozilla", "x-gmail", "x-keywords", "x-status", "status",
	"x-uid", "x-folder",
}

// Whole returns the first bytes of a message without the fields that filters and mailboxes add to
// it.
func Whole(message []byte, most int) []byte {
	return without(message[:min(len(message), most)], func(name string) bool {
		name = strings.ToLower(name)
		return slices.ContainsFunc(told, func(begin string) bool { return strings.HasPrefix(name, begin) })
	})
}

// without is WithoutFields for fields whose names are. White space before the first field that stays
// ends no header: readers pass over it, as WithoutEnvelope does.
func without(message []byte, isOne func(name string) bool) []byte {
	rest := WithoutEnvelope(message)
	out := append(make([]byte, 0, len(message)+1), message[:len(message)-len(rest)]...)
	begun := len(rest) < len(bytes.TrimLeft(message, white)) // by a line "From ..."
	for removing := false; len(rest) > 0; {
		n := lineLength(rest)
		line := bytes.TrimRight(rest[:n], "\r\n")
		goesOn := !isBlank(line) && isSpace(line[0])
		removing = goesOn && removing || isFieldOf(line, isOne)
		if !removing {
			switch {
			case !begun && isSpace(rest[0]):
				n = len(rest) - len(bytes.TrimLeft(rest, white))
			case len(line) == 0:
				return appendBody(out, rest)
			default:
				begun = true
			}
			out = append(out, rest[:n]...)
		}
		rest = rest[n:]
	}
	return out
}

// appendBody appends what is behind a header. Where a field was removed between CR and LF, which
// would end one line and not two, it completes the first end.
func appendBody(header, rest []byte) []byte {
	if bytes.HasSuffix(header, []byte("\r")) && bytes.HasPrefix(bytes.TrimLeft(rest, "\r"), []byte("\n")) {
		header = append(header, '\n')
	}
	return append(header, rest...)
}

// lineLength returns the length of the first line with its end: LF behind any number of CR, or CR.
func lineLength(text []byte) int {
	i := bytes.IndexAny(text, "\r\n")
	if i < 0 {
		return len(text)
	}
	end := i
	for end < len(text) && text[end] == '\r' {
		end++
	}
	if end < len(text) && text[end] == '\n' {
		return end + 1
	}
	return i + 1
}

// isFieldOf reports whether a line begins a field with one of the names.
func isFieldOf(line []byte, isOne func(name string) bool) bool {
	name, _, isField := bytes.Cut(line, []byte(":"))
	return isField && isOne(string(bytes.TrimSpace(name)))
}

// WithField returns a message with a field before all others, behind a line "From ...". The value
// is ASCII without line breaks. Where no field begins the message, it becomes the body.
func WithField(message []byte, name, value string) []byte {
	rest := WithoutEnvelope(message)
	end := "\n"
	if first := rest[:lineLength(rest)]; bytes.HasSuffix(first, []byte("\r\n")) {
		end = "\r\n"
	}
	field, before := name+": "+value+end, message[:len(message)-len(rest)]
	if _, _, fields, _ := readHeader(withLineFeeds(rest)); fields == 0 {
		field += end
		before = bytes.TrimLeft(before, white)
	}
	return slices.Concat(before, []byte(field), rest)
}
