package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
	"golang.org/x/net/html/charset"

	"bayestream/internal/model"
)

// The marks of a mail's segments. The visible text of the body has none, so that
// its words are the same terms as those of plain text.
const (
	MarkSubject = "subject:"
	MarkFrom    = "from:"
	MarkURL     = "url:"
)

// Bounds on the structure of a mail. Its size is bounded by the record's; these
// keep the parser's work in proportion to it, as that reads every byte once per
// level of nesting and walks the parts already found for each further one.
const (
	maxMultiparts     = 16
	maxParts          = 1000
	maxMediaTypeBytes = 2000 // of a header field such as Content-Type, in which the parser's work is quadratic
)

// unstated stands for the character set of a part that names none (or ASCII,
// which says nothing when a byte has its high bit set). The parser does not know
// it and hands over the bytes, instead of guessing: its guess runs in goroutines
// and may differ from one reading to the next.
const unstated = "x-unstated"

// mailParser reads what it can of a mail and skips what it cannot.
var mailParser = enmime.NewParser(
	enmime.SkipMalformedParts(true),
	enmime.MultipartWOBoundaryAsSinglePart(true),
	enmime.SetReadPartErrorPolicy(enmime.AllowCorruptTextPartErrorPolicy),
	enmime.MaxStoredPartErrors(1),
	enmime.DisableCharacterDetection(true),
	enmime.SetCustomParseMediaType(parseMediaType),
)

// parseMediaType never fails: a type that cannot be read is plain text.
func parseMediaType(value string) (string, map[string]string, []string, error) {
	value = clip(value, maxMediaTypeBytes)
	kind, params, invalid, err := mediatype.ParseWithOptions(value, mediatype.ParseOptions{StripMediaTypeInvalidCharacters: true})
	if err != nil {
		kind, params = "text/plain", nil
	}
	if params == nil {
		params = map[string]string{}
	}
	if strings.HasPrefix(kind, "text/") {
		switch strings.ToLower(params["charset"]) {
		case "", "ascii", "us-ascii":
			params["charset"] = unstated
		}
	}
	return kind, params, invalid, nil
}

// readMail appends the segments of a mail: subject, sender, visible text and the
// hosts of its links, each only where the mail has it.
func readMail(value []byte, in *model.Input) error {
	value = withoutEnvelopeLine(value)
	m := parseMail(value)
	if m == nil {
		return Rejectf(BadMail, "the value %s does not begin with a header field", show(value))
	}
	add := func(mark string, text []byte) {
		if len(text) > 0 {
			in.Segments = append(in.Segments, model.Segment{Mark: mark, Text: text})
		}
	}
	add(MarkSubject, headerText(m.header, "Subject"))
	add(MarkFrom, headerText(m.header, "From"))
	add("", m.body)
	add(MarkURL, m.hosts.joined())
	return nil
}

// withoutEnvelopeLine cuts white space and the line with which mbox files begin a mail.
func withoutEnvelopeLine(value []byte) []byte {
	value = bytes.TrimLeft(value, " \t\r\n")
	if line, rest, found := bytes.Cut(value, []byte("\n")); found && (bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))) {
		return rest
	}
	return value
}

// mailContent is what the model sees of a mail.
type mailContent struct {
	header textproto.MIMEHeader
	body   []byte
	hosts  hosts
}

// parseMail parses a mail as far as possible; nil when it has not even a header.
// Where the MIME structure is beyond repair, what follows the header is its text.
func parseMail(value []byte) *mailContent {
	for _, parse := range []func([]byte) (*mailContent, error){parseStructure, parseHeaderOnly} {
		var m *mailContent
		err := guard(func() (err error) {
			m, err = parse(value)
			return err
		})
		if err == nil {
			return m
		}
	}
	return nil
}

var (
	errNoHeader = errors.New("no header field")
	errNoParts  = errors.New("a multipart without parts")
)

// parseStructure reads a mail with its parts.
func parseStructure(value []byte) (*mailContent, error) {
	root, err := mailParser.ReadParts(bytes.NewReader(boundStructure(value)))
	switch {
	case err != nil:
		return nil, err
	case len(root.Header) == 0:
		return nil, errNoHeader
	case root.Boundary != "" && root.FirstChild == nil:
		return nil, errNoParts // the boundary announced is not the one used
	}
	m := &mailContent{header: root.Header}
	m.body = m.render(root)
	return m, nil
}

// parseHeaderOnly reads a mail whose parts cannot be told apart.
func parseHeaderOnly(value []byte) (*mailContent, error) {
	r := bufio.NewReader(bytes.NewReader(value))
	header, err := enmime.ReadHeader(r, forgiving{})
	if err != nil {
		return nil, err
	}
	if len(header) == 0 {
		return nil, errNoHeader
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	m := &mailContent{header: header}
	m.body = m.plain(toUTF8(body, unstated))
	return m, nil
}

// guard turns a panic of the mail parser into an error. The mail is a stranger's
// and the parser is not ours: a mail that panics would otherwise stop the worker
// again after each restart.
func guard(parse func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("mail parser panicked: %v", r)
		}
	}()
	return parse()
}

// forgiving ignores what is wrong with a header: it is read as far as it goes.
type forgiving struct{}

func (forgiving) AddError(string, string, ...any)   {}
func (forgiving) AddWarning(string, string, ...any) {}

// boundStructure cuts a mail where its structure gets out of hand: before the
// multipart or the part that is one too many. No part can begin without a line
// that begins with two hyphens, no multipart without the word boundary.
func boundStructure(value []byte) []byte {
	word := []byte("boundary")
	declared := 0
	for i := indexFold(value, word); i < len(value); i += len(word) + indexFold(value[i+len(word):], word) {
		if declared++; declared > maxMultiparts {
			value = value[:i]
			break
		}
	}
	if declared == 0 {
		return value
	}
	for i, begun := 0, 0; ; {
		next := bytes.Index(value[i:], []byte("\n--"))
		if next < 0 {
			return value
		}
		if i += next + 1; begun == maxParts {
			return value[:i]
		}
		begun++
	}
}

// indexFold is the index of word (lower-case letters) in b in any case, or len(b).
func indexFold(b, word []byte) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if b[i]|0x20 == word[0] && bytes.EqualFold(b[i:i+len(word)], word) {
			return i
		}
	}
	return len(b)
}

// headerText is a header field in UTF-8, encoded words (RFC 2047) decoded.
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

// toUTF8 converts what the parser left as it was. In a part that claims UTF-8
// each wrong byte becomes U+FFFD; in others the bytes are taken for what a
// browser would take them for (a meta tag, else windows-1252).
func toUTF8(content []byte, claimed string) []byte {
	if utf8.Valid(content) {
		return content
	}
	if !strings.EqualFold(claimed, "utf-8") && !strings.EqualFold(claimed, "utf8") {
		encoding, _, _ := charset.DetermineEncoding(content, "")
		if converted, err := encoding.NewDecoder().Bytes(content); err == nil {
			content = converted
		}
	}
	return bytes.ToValidUTF8(content, []byte("\uFFFD"))
}
