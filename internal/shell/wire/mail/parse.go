package mail

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"
	"golang.org/x/net/html/charset"
)

// Bounds on the structure of a message. The parser reads every byte once per level of nesting, walks the parts already
// found for each further one, and takes quadratic time in the parameters of a media type.
const (
	maxMultiparts     = 16
	maxParts          = 1000
	maxMediaTypeBytes = 2000 // of a header field such as Content-Type
)

// unstated stands for the character set of a part that names none or ASCII. The parser does not know it and returns the
// bytes as they are. Without it the parser guesses in goroutines, and two readings may differ.
const unstated = "x-unstated"

// parser reads what it can of a message and skips what it cannot.
var parser = enmime.NewParser(
	enmime.SkipMalformedParts(true),
	enmime.MultipartWOBoundaryAsSinglePart(true),
	enmime.SetReadPartErrorPolicy(enmime.AllowCorruptTextPartErrorPolicy),
	enmime.MaxStoredPartErrors(1),
	enmime.DisableCharacterDetection(true),
	enmime.SetCustomParseMediaType(parseMediaType),
)

// parseMediaType never fails: a type that cannot be read is plain text.
func parseMediaType(value string) (kind string, params map[string]string, invalid []string, err error) {
	value = firstBytes(value, maxMediaTypeBytes)
	kind, params, invalid, err = mediatype.ParseWithOptions(value, mediatype.ParseOptions{StripMediaTypeInvalidCharacters: true})
	if err != nil {
		kind = "text/plain"
		params = nil
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

// firstBytes cuts s to at most n bytes, between runes if there are any.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for n-cut < utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// A message is a parsed mail: its header, the text that is shown, the hosts of the links in it, the types and character
// sets of its parts, and the names of its files.
type message struct {
	header textproto.MIMEHeader
	body   []byte
	hosts  hosts
	types  list
	files  list
}

var (
	errNoHeader = errors.New("no header field")
	errNoParts  = errors.New("a multipart without parts")
)

// parse parses a mail as far as possible. It returns nil if the mail has no header. If the MIME structure is beyond
// repair, the text is what follows the header.
func parse(value []byte) *message {
	for _, read := range []func([]byte) (*message, error){parseStructure, parseHeaderOnly} {
		var m *message
		err := guard(func() (err error) {
			m, err = read(value)
			return err
		})
		if err == nil {
			return m
		}
	}
	return nil
}

// parseStructure reads a mail with its parts.
func parseStructure(value []byte) (*message, error) {
	root, err := parser.ReadParts(bytes.NewReader(boundStructure(value)))
	if err != nil {
		return nil, err
	}
	if len(root.Header) == 0 {
		return nil, errNoHeader
	}
	if root.Boundary != "" && root.FirstChild == nil {
		return nil, errNoParts // the boundary announced is not the one used
	}
	m := &message{header: root.Header}
	m.describe(root)
	m.body = m.render(root)
	return m, nil
}

// parseHeaderOnly reads a mail whose parts cannot be told apart.
func parseHeaderOnly(value []byte) (*message, error) {
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
	m := &message{header: header}
	m.body = m.renderPlain(toUTF8(body, unstated))
	return m, nil
}

// guard turns a panic of a parser into an error: the parsers are foreign code, and a mail that makes one panic would
// stop the worker again after each restart.
func guard(parse func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("mail parser panicked: %v", r)
		}
	}()
	return parse()
}

// forgiving ignores the errors of a header, which is read as far as possible.
type forgiving struct{}

func (forgiving) AddError(string, string, ...any)   {}
func (forgiving) AddWarning(string, string, ...any) {}

// boundStructure cuts a mail before the multipart or the part that exceeds the limit. It counts the word boundary,
// without which no multipart is declared, and if there is one, lines that begin with two hyphens, without which no part
// begins.
func boundStructure(value []byte) []byte {
	word := []byte("boundary")
	multiparts := 0
	for i := indexAnyCase(value, word); i < len(value); i += len(word) + indexAnyCase(value[i+len(word):], word) {
		multiparts++
		if multiparts > maxMultiparts {
			value = value[:i]
			break
		}
	}
	if multiparts == 0 {
		return value
	}
	at := 0
	for range maxParts + 1 {
		next := bytes.Index(value[at:], []byte("\n--"))
		if next < 0 {
			return value
		}
		at += next + 1
	}
	return value[:at]
}

// indexAnyCase returns the index of word (lower-case letters) in b in any case, or len(b).
func indexAnyCase(b, word []byte) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if b[i]|0x20 == word[0] && bytes.EqualFold(b[i:i+len(word)], word) {
			return i
		}
	}
	return len(b)
}

// toUTF8 converts text that the parser left as it was. If the part claims UTF-8, each invalid byte becomes U+FFFD; else
// the character set is what a browser would assume (that of a meta tag, or windows-1252).
func toUTF8(text []byte, claimed string) []byte {
	if utf8.Valid(text) {
		return text
	}
	if !strings.EqualFold(claimed, "utf-8") && !strings.EqualFold(claimed, "utf8") {
		encoding, _, _ := charset.DetermineEncoding(text, "")
		converted, err := encoding.NewDecoder().Bytes(text)
		if err == nil {
			text = converted
		}
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}
