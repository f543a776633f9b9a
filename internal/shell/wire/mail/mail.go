// Package mail turns an RFC 822 message into the text segments that the model counts: subject, sender, the text that a
// mail program shows, and the hosts of its links.
//
// Any input is read as far as possible: a broken structure, character set or encoding is no error. What a reader does
// not see (attachments, scripts, hidden elements, the poorer of two alternatives) does not reach the model. The same bytes
// always give the same segments. Time is proportional to the size of the message, because its structure is bounded.
package mail

import (
	"bytes"
	"mime"
	"net/textproto"

	"golang.org/x/net/html/charset"

	"bayestream/internal/core/model"
)

// The marks of a mail's segments. The text of the body has none, so that its words are the same terms as those of plain
// text.
const (
	markSubject = "subject:"
	markFrom    = "from:"
	markReplyTo = "reply-to:"
	markHeader  = "header:"
	markType    = "type:"
	markFile    = "file:"
	markURL     = "url:"
)

// Marks returns the marks that the terms of a mail may have; those of the text of its body have none.
func Marks() []string {
	return []string{"", markSubject, markFrom, markReplyTo, markHeader, markType, markFile, markURL}
}

// AppendSegments appends the segments of a message: subject, sender, the address for replies, what its header says of
// urgency, its types and the names of its files, visible text and the hosts of its links, each only if the message has it.
// ok is false if the message does not begin with a header field.
func AppendSegments(dst []model.Segment, message []byte) (segments []model.Segment, ok bool) {
	c := parse(message)
	if c == nil {
		return dst, false
	}
	for _, s := range []model.Segment{
		{Mark: markSubject, Text: headerText(c.header, "Subject")},
		{Mark: markFrom, Text: headerText(c.header, "From")},
		{Mark: markReplyTo, Text: headerText(c.header, "Reply-To")},
		{Mark: markHeader, Text: settings(c.header), Lines: true},
		{Mark: markType, Text: []byte(c.types.joined()), Lines: true},
		{Mark: markFile, Text: []byte(c.files.joined())},
		{Text: c.body},
		{Mark: markURL, Text: []byte(c.hosts.joined()), Lines: true},
	} {
		if len(s.Text) > 0 {
			dst = append(dst, s)
		}
	}
	return dst, true
}

// WithoutEnvelope cuts leading white space and the line "From ..." before a message in an mbox file.
func WithoutEnvelope(value []byte) []byte {
	value = bytes.TrimLeft(value, " \t\r\n")
	line, rest, found := bytes.Cut(value, []byte("\n"))
	if found && (bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))) {
		return rest
	}
	return value
}

// headerText returns the first header field of that name in UTF-8, encoded words (RFC 2047) decoded.
func headerText(header textproto.MIMEHeader, name string) []byte {
	values := header[name]
	if len(values) == 0 {
		return nil
	}
	text := values[0]
	words := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	if decoded, err := words.DecodeHeader(text); err == nil {
		text = decoded
	}
	return toUTF8([]byte(text), unstated)
}
