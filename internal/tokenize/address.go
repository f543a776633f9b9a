package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// An address is a URL or a mail address in normalised text: text[start:end], with its host at
// text[hostStart:hostEnd]. A host may be empty: an IPv6 address has no term.
type address struct {
	start, end         int
	hostStart, hostEnd int
	mail               bool
}

// Longest local part and domain of a mail address (RFC 5321, 4.5.3.1).
const (
	maxLocal  = 64
	maxDomain = 253
)

// addresses finds the URLs with a scheme and the mail addresses of a text from left to right. It
// keeps the next one of each, so that a text without any costs two searches, and any text linear
// time.
type addresses struct {
	text      []byte
	url, mail address // start == len(text) when there is none
}

func (a *addresses) reset(text []byte) {
	a.text = text
	a.url = nextURL(text, 0)
	a.mail = nextMail(text, 0)
}

// from returns the first address at pos or after it.
func (a *addresses) from(pos int) address {
	if a.url.start < pos {
		a.url = nextURL(a.text, pos)
	}
	if a.mail.start < pos {
		a.mail = nextMail(a.text, pos)
	}
	if a.mail.start < a.url.start {
		return a.mail
	}
	return a.url
}

var (
	colonSlashes = []byte("://")
	www          = []byte("www.")
	schemes      = [][]byte{[]byte("https"), []byte("http"), []byte("ftp")}
)

// nextURL finds scheme://[user@]host[:port][/path] at pos or after it.
func nextURL(text []byte, pos int) address {
	for at := pos; ; at++ {
		i := bytes.IndexByte(text[at:], ':')
		if i < 0 {
			return address{start: len(text)}
		}
		at += i
		if !bytes.HasPrefix(text[at:], colonSlashes) {
			continue
		}
		if start, ok := schemeStart(text, pos, at); ok {
			if a, ok := urlWithHost(text, start, afterUser(text, at+len(colonSlashes))); ok {
				return a
			}
		}
	}
}

// schemeStart returns where a known scheme starts that ends at end.
func schemeStart(text []byte, from, end int) (int, bool) {
	for _, scheme := range schemes {
		if bytes.HasSuffix(text[from:end], scheme) {
			start := end - len(scheme)
			return start, start == from || ascii[text[start-1]]&inWord == 0
		}
	}
	return 0, false
}

// wwwAt returns the address of a text that has www. at pos, where a word starts: www.host[/path].
func wwwAt(text []byte, pos int) (address, bool) {
	a, ok := urlWithHost(text, pos, pos+len(www))
	return a, ok && hasDot(text[a.hostStart:a.hostEnd])
}

// urlWithHost completes a URL whose host starts at hostStart.
func urlWithHost(text []byte, start, hostStart int) (address, bool) {
	if hostStart < len(text) && text[hostStart] == '[' { // IPv6
		i := bytes.IndexByte(text[hostStart:min(len(text), hostStart+64)], ']')
		if i < 0 {
			return address{}, false
		}
		end := hostStart + i + 1
		return address{start: start, end: urlEnd(text, end), hostStart: end, hostEnd: end}, true
	}
	end := hostEnd(text, hostStart)
	if end == hostStart {
		return address{}, false
	}
	found := address{start: start, end: urlEnd(text, end), hostStart: hostStart, hostEnd: end}
	if host := text[hostStart:end]; bytes.HasPrefix(host, www) && hasDot(host[len(www):]) {
		found.hostStart += len(www)
	}
	return found, true
}

func hasDot(host []byte) bool { return bytes.IndexByte(host, '.') >= 0 }

// afterUser skips the user of an authority that starts at pos: the host of
// "http://bank.example@evil.example" is evil.example.
func afterUser(text []byte, pos int) int {
	host := pos
	for i := pos; i < len(text) && inURL(text[i]); i++ {
		switch text[i] {
		case '@':
			host = i + 1
		case '/', '?', '#':
			return host
		}
	}
	return host
}

// hostEnd returns the end of the host that starts at pos, pos itself when there is none: hosts
// start and end with a letter or digit.
func hostEnd(text []byte, pos int) int {
	end := pos
	for i := pos; i < len(text) && i < pos+maxDomain; {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if isHostRune(r) {
			end = i
		} else if !isHostMark(r) || end == pos {
			break
		}
	}
	return end
}

// isHostMark reports what may be between the letters and digits of a host.
func isHostMark(r rune) bool { return r == '.' || r == '-' || r == '_' }

// isHostRune reports letters and digits, but not those of scripts that put no spaces between words:
// in those, what follows a host is most likely the sentence around it.
func isHostRune(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii[r]&(letter|digit) != 0
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unspaced...)
}

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// urlEnd returns the end of a URL whose host ends at pos: port and path go with it, the punctuation
// of the sentence around it does not.
func urlEnd(text []byte, pos int) int {
	end := pos
	if end+1 < len(text) && text[end] == ':' && ascii[text[end+1]] == digit {
		for end++; end < len(text) && ascii[text[end]] == digit; end++ {
		}
	}
	if end == len(text) || text[end] != '/' && text[end] != '?' && text[end] != '#' {
		return end
	}
	last := end
	for ; last < len(text) && inURL(text[last]); last++ {
	}
	return end + len(bytes.TrimRight(text[end:last], ".,;:!?'*_)]}"))
}

// inURL reports the bytes that may be part of a URL: visible ASCII except the bytes that quote a
// URL.
func inURL(c byte) bool {
	return ' ' < c && c < 0x7F && c != '<' && c != '>' && c != '"' && c != '\\' && c != '^' && c != '`' && c != '{' && c != '|'
}

// nextMail finds local@domain at pos or after it; the domain has a dot and ends in two letters or more.
func nextMail(text []byte, pos int) address {
	for at := pos; ; at++ {
		i := bytes.IndexByte(text[at:], '@')
		if i < 0 {
			return address{start: len(text)}
		}
		at += i
		start, end := localStart(text, pos, at), hostEnd(text, at+1)
		if start < at && isDomain(text[at+1:end]) {
			return address{start: start, end: end, hostStart: at + 1, hostEnd: end, mail: true}
		}
	}
}

// localStart returns where the local part starts that ends at end: end itself when there is none.
func localStart(text []byte, from, end int) int {
	start := end // before the first letter or digit
	for i := end; i > from; {
		r, size := utf8.DecodeLastRune(text[from:i])
		i -= size
		if i < end-maxLocal {
			return end
		}
		if isHostRune(r) {
			start = i
		} else if r >= utf8.RuneSelf || !bytes.ContainsRune(localMarks, r) {
			break
		}
	}
	return start
}

var localMarks = []byte("._%+-")

func isDomain(host []byte) bool {
	dot := bytes.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 {
		return false
	}
	first, _ := utf8.DecodeRune(host[dot+1:])
	return first >= utf8.RuneSelf || ascii[first] == letter
}
