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
	line, rest, found := bytes.Cut(value, []byte("\n"))
	from, isFrom := bytes.CutPrefix(bytes.TrimPrefix(line, []byte(">")), []byte("From "))
	if found && isFrom && !bytes.HasPrefix(bytes.TrimLeft(from, " \t"), []byte(":")) {
		return rest
	}
	return value
}
