package mail

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/tokenize/weblink"
)

// maxParameterBytes bounds what is read of a field with parameters.
const maxParameterBytes = 1 << 16

// parameters belong to a field such as Content-Type, by their names in lower case. Values are in
// UTF-8.
type parameters map[string]string

// A section is a piece of a parameter that is cut or has a character set (RFC 2231).
type section struct {
	number  int
	encoded bool
	value   string
}

// cutParameters cuts a field into its first word in lower case and its parameters. Senders forget
// the semicolon, write another character for it, or leave comments and quotes open; what can be
// read is.
func cutParameters(field []byte) (first string, p parameters) {
	text := withoutComments(string(field[:min(len(field), maxParameterBytes)]))
	text = strings.TrimLeft(text, " \t\r\n;,\"'")
	end := strings.IndexAny(text, " \t\r\n;,:\"'=")
	if end < 0 {
		return strings.ToLower(text), nil
	}
	if text[end] == '=' { // a parameter without a type
		end = 0
	}
	return strings.ToLower(text[:end]), readParameters(text[end:])
}

// readParameters reads name=value as often as it is there.
func readParameters(text string) parameters {
	p := parameters{}
	sections := map[string][]section{}
	for {
		name, value, rest, ok := cutParameter(text)
		if !ok {
			break
		}
		text = rest
		base, suffix, isSection := strings.Cut(strings.ToLower(name), "*")
		if isSection {
			sections[base] = append(sections[base], sectionOf(suffix, value))
		} else if _, has := p[base]; !has {
			p[base] = value
		}
	}
	for base, list := range sections {
		p[base] = joinSections(list)
	}
	return p
}

func cutParameter(text string) (name, value, rest string, ok bool) {
	before, after, ok := strings.Cut(text, "=")
	if !ok {
		return "", "", "", false
	}
	before = strings.TrimRight(before, " \t\r\n")
	name = before[strings.LastIndexAny(before, " \t\r\n;,:\"'")+1:]
	after = strings.TrimLeft(after, " \t\r\n")
	if strings.HasPrefix(after, `"`) {
		if value, rest, ok := cutQuoted(after[1:]); ok {
			return name, value, rest, true
		}
		after = after[1:]
	}
	end := valueEnd(after)
	return name, strings.Trim(after[:end], " \t\r\n,"), after[end:], true
}

// valueEnd returns where a value without quotes ends: at a semicolon, or where the name of another
// parameter begins that no semicolon parts from it.
func valueEnd(text string) int {
	for at := 0; ; {
		i := strings.IndexAny(text[at:], " \t\r\n,;")
		if i < 0 {
			return len(text)
		}
		if text[at+i] == ';' {
			return at + i
		}
		word := strings.TrimLeft(text[at+i:], " \t\r\n,")
		at = len(text) - len(word)
		n := strings.IndexFunc(word, func(r rune) bool { return !isNameRune(r) })
		if n > 0 && strings.HasPrefix(strings.TrimLeft(word[n:], " \t\r\n"), "=") {
			return at
		}
	}
}

func isNameRune(r rune) bool {
	return r == '-' || r == '*' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}

// cutQuoted cuts a value before the quote that closes it. A backslash that escapes nothing is one
// of a Windows path.
func cutQuoted(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:], true
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// withoutComments cuts what is in parentheses outside of quotes. One that is not closed is no
// comment.
func withoutComments(text string) string {
	if !strings.Contains(text, "(") {
		return text
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			quoted = !quoted
		}
		if c == '(' && !quoted {
			end := strings.IndexByte(text[i:], ')')
			if end < 0 {
				b.WriteString(text[i:])
				break
			}
			i += end
			c = ' '
		}
		b.WriteByte(c)
	}
	return b.String()
}

// sectionOf reads what is behind the first star of a name: a number, a star for a value with
// escapes, or both.
func sectionOf(suffix, value string) section {
	digits, _, encoded := strings.Cut(suffix, "*")
	number, err := strconv.Atoi(digits)
	return section{number: number, encoded: encoded || err != nil, value: value}
}

// joinSections returns the value of a parameter from its sections. The first says in which
// character set it is.
func joinSections(list []section) string {
	slices.SortStableFunc(list, func(a, b section) int { return a.number - b.number })
	charset := ""
	var value []byte
	for i, s := range list {
		if !s.encoded {
			value = append(value, s.value...)
			continue
		}
		text := s.value
		if name, rest, ok := strings.Cut(text, "'"); ok && i == 0 {
			if _, after, ok := strings.Cut(rest, "'"); ok {
				charset, text = name, after
			}
		}
		value = append(value, weblink.Unescaped([]byte(text))...)
	}
	text, _ := toUTF8(value, charset)
	return string(text)
}

// word returns a parameter of one word, such as a character set.
func (p parameters) word(name string) string {
	value, _, _ := strings.Cut(strings.TrimLeft(p[name], " \t\r\n\"'"), " ")
	return strings.Trim(value, " \t\r\n\"',;")
}

// text returns a parameter that a reader sees, such as the name of a file.
func (p parameters) text(name string) string {
	return strings.Join(strings.Fields(string(decodeWords([]byte(p[name])))), " ")
}

func (p parameters) boundary() []byte {
	return bytes.TrimRight([]byte(p["boundary"]), " \t\r\n")
}
