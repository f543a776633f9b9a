package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"bayestream/internal/shell/wire"
)

// documents are a file that is one document, or the mails of a mailbox.
type documents struct {
	pieces
	file    string
	limit   int // bytes of a document
	mailbox mailbox
	done    bool

	// Of a mailbox.
	started bool // the first separator was read
	blank   bool // the last line is empty
}

// mailbox says whether a file holds mails one after the other.
type mailbox int

const (
	noMailbox mailbox = iota
	isMailbox         // a line "From ..." with a date, or before a field, begins a mail
	// such a line begins a mail behind an empty line and before a field: a file that was not said to
	// be one may be a single mail
	perhapsMailbox
)

// newDocuments reads a file that is one document of the format or, if it is a mailbox, mails one
// after the other.
func newDocuments(o Options, file string, in *bufio.Reader, format string, box mailbox) (records, error) {
	return newValues(o, format, file, &documents{file: file, pieces: pieces{in: in}, limit: o.limit(), mailbox: box})
}

// newMails reads a file of mails, in the format Mail or Mbox.
func newMails(o Options, format, file string, in *bufio.Reader) (records, error) {
	box := noMailbox
	switch {
	case format == Mbox:
		box = isMailbox
	case o.mayBeMailbox(in):
		box = perhapsMailbox
	}
	return newDocuments(o, file, in, wire.FormatMail, box)
}

func (r *documents) next() (document []byte, line int64, err error) {
	switch {
	case r.done:
		return nil, 0, io.EOF
	case r.mailbox == noMailbox:
		document, line, err = r.whole()
	default:
		document, line, err = r.nextMail()
	}
	if err == nil && len(document) > r.limit {
		err = &wire.LineError{File: r.file, Line: line,
			Err: wire.Rejectf(wire.TooLarge, "the document has more than %d bytes, the limit", r.limit)}
	}
	return document, line, err
}

// whole returns the file. Of one that is too long it returns the first limit+1 bytes, and so does
// nextMail.
func (r *documents) whole() (document []byte, line int64, err error) {
	r.done = true
	document, err = io.ReadAll(io.LimitReader(r.in, int64(r.limit)+1))
	if err != nil {
		return nil, 0, &wire.LineError{File: r.file, Line: 1, Err: wire.Unreadable(err)}
	}
	return document, 1, nil
}

// nextMail reads up to the next line that separates. In the mboxrd format such a line of a body has
// one more ">" before it, which is removed. Neither a mail nor a line of any length is read whole:
// a mailbox library would have to bound both.
func (r *documents) nextMail() (mail []byte, line int64, err error) {
	line = r.line + 1
	for {
		part, startsLine, err := r.piece()
		switch {
		case startsLine && r.separates(part):
			if r.started {
				return mail, line, nil
			}
			r.started = true
			line = r.line + 1
			part = nil
		case startsLine && bytes.HasPrefix(bytes.TrimLeft(part, ">"), []byte("From ")):
			part = part[1:]
		}
		r.blank = startsLine && len(bytes.TrimSpace(part)) == 0
		room := r.limit + 1 - len(mail)
		mail = append(mail, part[:min(len(part), room)]...)
		if errors.Is(err, io.EOF) {
			r.done = true
			if len(bytes.TrimSpace(mail)) == 0 {
				return nil, 0, io.EOF
			}
			return mail, line, nil
		}
		if err != nil {
			return nil, 0, &wire.LineError{File: r.file, Line: r.line + 1, Err: wire.Unreadable(err)}
		}
	}
}

// pieces reads lines of any length.
type pieces struct {
	in     *bufio.Reader
	line   int64 // lines read
	inLine bool  // the last read ended inside of a line
}

// piece reads a line with its end, or a part of one that is longer than the buffer. startsLine says
// that the piece is the start of a line.
func (p *pieces) piece() (piece []byte, startsLine bool, err error) {
	piece, err = p.in.ReadSlice('\n')
	startsLine = !p.inLine
	p.inLine = errors.Is(err, bufio.ErrBufferFull)
	if p.inLine {
		err = nil
	}
	if startsLine && len(piece) > 0 {
		p.line++
	}
	return piece, startsLine, err
}

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
func (r *documents) separates(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	if !r.started && r.line == 1 {
		return true
	}
	next, _ := r.in.Peek(longestField)
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
