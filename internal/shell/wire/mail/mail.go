// Package mail turns an RFC 822 message into the text segments that the model counts: subject,
// sender, the text that a mail program shows, and the hosts of its links.
//
// Any input is read as far as possible: a broken structure, character set or encoding is no error.
// What a reader sees is read. Of what HTML hides some words count apart, since hiding is evidence
// and filler must not outvote what is seen. Attachments, scripts and the poorer of two alternatives
// do not reach the model. The same bytes always give the same segments. Time is proportional to the
// size of the message, because its structure is bounded.
package mail

import (
	"bytes"
	"regexp"

	"bayestream/internal/core/model"
)

// The marks of a mail's segments. The text of the body has none, so that its words are the same
// terms as plain text has.
const (
	markSubject = "subject:"
	markFrom    = "from:"
	markReplyTo = "reply-to:"
	markHeader  = "header:"
	markType    = "type:"
	markFile    = "file:"
	markHidden  = "hidden:"
	markURL     = "url:"
)

// Marks returns the marks that the terms of a mail may have; those of the text of its body have
// none.
func Marks() []string {
	return []string{"", markSubject, markFrom, markReplyTo, markHeader, markType, markFile, markHidden, markURL}
}

// Read appends to in what is read of a mail: its segments and, where the spec reads characters, its
// first bytes. guessed and ok are those of AppendSegments.
func Read(in *model.Input, value []byte, characters bool) (guessed []string, ok bool) {
	message := unquoted(WithoutEnvelope(value))
	in.Segments, guessed, ok = AppendSegments(in.Segments, message)
	if ok && characters {
		in.Whole = Whole(message, 2*model.MaxWhole)
	}
	return guessed, ok
}

// quotedFrom is a line of a mail as mailboxes quote it, which would begin another mail.
var quotedFrom = regexp.MustCompile(`(?m)^>+From `)

// unquoted returns a mail as it is outside of a mailbox. A file does not tell which it is: so quotes
// are passed over wherever a mail is read, and what was learned in one form is found in the other.
func unquoted(message []byte) []byte {
	if !bytes.Contains(message, []byte(">From ")) {
		return message
	}
	return quotedFrom.ReplaceAll(message, []byte("From "))
}

// AppendSegments appends the segments of a message: subject, sender, the address for replies, what
// its header says of urgency, its types and the names of its files, visible text and the hosts of
// its links, each only if the message has it. guessed is what of it is not as it declares. ok is
// false if the message does not begin with a header field.
func AppendSegments(dst []model.Segment, message []byte) (segments []model.Segment, guessed []string, ok bool) {
	c := parse(message)
	if c == nil {
		return dst, nil, false
	}
	hides, hidden := c.shownHidden()
	for _, s := range []model.Segment{
		{Mark: markSubject, Text: decodeWords(c.header["subject"])},
		{Mark: markFrom, Text: decodeWords(c.header["from"])},
		{Mark: markReplyTo, Text: decodeWords(c.header["reply-to"])},
		{Mark: markHeader, Text: settings(c.header), Lines: true},
		{Mark: markType, Text: []byte(c.types.joined()), Lines: true},
		{Mark: markFile, Text: []byte(c.files.joined())},
		{Text: c.body},
		{Mark: markHidden, Text: hides, Lines: true, Apart: true},
		{Mark: markHidden, Text: hidden, Apart: true},
		{Mark: markURL, Text: []byte(c.hosts.joined()), Lines: true},
	} {
		if len(s.Text) > 0 {
			dst = append(dst, s)
		}
	}
	return dst, c.guessed.lines, true
}

// white is the white space before a message.
const white = " \t\r\n"

// WithoutEnvelope cuts leading white space and the line "From ..." before a message in an mbox
// file. A line "From : ..." is a field (RFC 5322, 4.5.2).
func WithoutEnvelope(value []byte) []byte {
	value = bytes.TrimLeft(value, white)
	n := lineLength(value)
	line := bytes.TrimRight(value[:n], "\r\n")
	from, isFrom := bytes.CutPrefix(bytes.TrimPrefix(line, []byte(">")), []byte("From "))
	if len(line) < n && isFrom && !bytes.HasPrefix(bytes.TrimLeft(from, " \t"), []byte(":")) {
		return value[n:]
	}
	return value
}
