package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/tokenize"
)

// The classes of a dump, in the order of its columns.
var bogoClasses = [2]string{"spam", "ham"}

// messageCount is the token with the numbers of messages.
const messageCount = ".MSG_COUNT"

// ReadBogofilter adds a word list dumped by `bogoutil -d`: lines of a token, the numbers of spam
// and ham messages that have it, and a date, which is ignored. The token .MSG_COUNT has the numbers
// of all messages. A token is counted as the term that the tokenizer of the spec makes of it, or
// unchanged if that is not exactly one term. Other tokens that begin with a dot are internal to
// bogofilter and are ignored. Tokens of headers that no mail is read by here are left out, and
// counted in c.Foreign.
func (c *Counts) ReadBogofilter(file string, r io.Reader, s *spec.Spec) error {
	if s.Text == nil {
		return errors.New("a word list holds words, and the spec reads no text")
	}
	if err := c.use(s); err != nil {
		return err
	}
	t, err := s.Tokenizer()
	if err != nil {
		return err
	}
	unpacked, err := unpack.Text(r)
	if err != nil {
		return &wire.LineError{File: file, Line: 1, Err: wire.Unreadable(err)}
	}
	ending := &lastByte{from: unpacked}
	lines := wire.NewLines(file, bufio.NewReader(ending), 1<<16)
	b := &bogoReader{counts: c, scanner: t.NewScanner()}
	if err := c.eachLine(file, lines, b.read); err != nil {
		return err
	}
	if c.Lines > 0 && ending.is != '\n' {
		return &wire.LineError{File: file, Line: lines.Number() - 1,
			Err: errors.New("the dump ends inside a line: it is truncated; dump it again")}
	}
	if !b.messages {
		return &wire.LineError{File: file, Line: max(lines.Number()-1, 1),
			Err: errors.New("the dump has no " + messageCount + ": the numbers of messages are missing")}
	}
	return nil
}

// lastByte is a reader that keeps the last byte it read.
type lastByte struct {
	from io.Reader
	is   byte
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if n > 0 {
		l.is = p[n-1]
	}
	return n, err
}

type bogoReader struct {
	counts   *Counts
	scanner  *tokenize.Scanner
	messages bool
	terms    [][]byte
}

func (b *bogoReader) read(text []byte) error {
	fields := bytes.Fields(text)
	if len(fields) != 3 && len(fields) != 4 {
		return fmt.Errorf("%d columns: want a token, the spam count, the ham count and a date, as bogoutil -d writes them",
			len(fields))
	}
	var n [2]int64
	for i := range n {
		v, err := strconv.ParseInt(string(fields[i+1]), 10, 64)
		if err == nil && v != 0 {
			err = positive("it", v)
		}
		if err != nil {
			return fmt.Errorf("the %s count is %.40q: want a whole number, 0 or more", bogoClasses[i], fields[i+1])
		}
		n[i] = v
	}
	token := fields[0]
	if string(token) == messageCount {
		b.messages = true
		for i, class := range bogoClasses {
			if n[i] > 0 {
				if err := b.counts.addDocuments(class, n[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if token[0] == '.' {
		return nil
	}
	mark, token, isRead := bogoMark(token)
	if !isRead {
		b.counts.Foreign++
		return nil
	}
	term, err := b.counts.Spec.CountedTerm(bytes.ToValidUTF8(b.term(mark, token), []byte("\uFFFD")))
	if err != nil {
		return err
	}
	for i, class := range bogoClasses {
		if n[i] > 0 {
			if err := b.counts.addCount(0, term, class, n[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// bogoMarks are the marks of bogofilter's tokens of headers, and those of the same header here; "":
// it is not read.
var bogoMarks = map[string]string{"subj": "subject:", "from": "from:", "to": "", "rtrn": "", "head": "", "mime": ""}

// bogoMark returns the mark that a token of a header has here, and the token without its own.
func bogoMark(token []byte) (mark string, rest []byte, isRead bool) {
	theirs, rest, found := bytes.Cut(token, []byte(":"))
	mark, isMark := bogoMarks[string(theirs)]
	if !found || !isMark || len(rest) == 0 {
		return "", token, true
	}
	return mark, rest, mark != ""
}

// term returns the term that the tokenizer makes of a token, or the token if it makes none or
// several.
func (b *bogoReader) term(mark string, token []byte) []byte {
	b.terms = b.terms[:0]
	b.scanner.Scan(token, mark, func(term []byte) { b.terms = append(b.terms, bytes.Clone(term)) })
	if len(b.terms) == 1 {
		return b.terms[0]
	}
	return append([]byte(mark), token...)
}
