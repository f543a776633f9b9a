// Package weblink finds the host that a link leads to, as a browser does (URL Standard,
// https://url.spec.whatwg.org): slashes and backslashes in any number, line ends and tabs inside,
// users before the host, escapes, and the forms of an address. A host has one spelling: lower case,
// Unicode, an address in dotted decimals.
//
// Where a browser refuses a host, what can be read of it is returned: a link that leads nowhere is
// evidence too.
package weblink

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxHostBytes is the length of the longest name in the domain name system.
const maxHostBytes = 253

// maxReadBytes bounds what is read of a link: a host, a user before it, and escapes.
const maxReadBytes = 8 * maxHostBytes

// Host returns the host of a link with the scheme http, https, ftp, ws or wss, or without one. ok
// is false for others, and for a link within the page or the site.
func Host(link []byte) (host string, ok bool) {
	text := clean(link)
	scheme, rest, found := cutScheme(text)
	switch {
	case found && !hasHost(scheme):
		return "", false
	case !found:
		if len(text) < 2 || !isSlash(text[0]) || !isSlash(text[1]) {
			return "", false
		}
		rest = text
	}
	rest = bytes.TrimLeft(rest, `/\`)
	if end := bytes.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	host = HostOf(rest)
	return host, host != ""
}

// clean cuts blanks and control characters around a link, and tabs and line ends anywhere in it.
func clean(link []byte) []byte {
	link = bytes.TrimFunc(link[:min(len(link), maxReadBytes)], func(r rune) bool { return r <= ' ' })
	if !bytes.ContainsAny(link, "\t\r\n") {
		return link
	}
	return bytes.Map(func(r rune) rune {
		if r == '\t' || r == '\r' || r == '\n' {
			return -1
		}
		return r
	}, link)
}

func cutScheme(text []byte) (scheme, rest []byte, found bool) {
	for i, c := range text {
		switch {
		case c == ':' && i > 0:
			return text[:i], text[i+1:], true
		case 'a' <= c|0x20 && c|0x20 <= 'z', i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// hasHost reports the schemes whose links lead to a host, with any number of slashes.
func hasHost(scheme []byte) bool {
	switch strings.ToLower(string(scheme[:min(len(scheme), 8)])) {
	case "http", "https", "ftp", "ws", "wss":
		return true
	}
	return false
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// HostOf returns the host of an authority, which may have a user before it and a port behind it; ""
// if it has none.
func HostOf(authority []byte) string {
	authority = authority[bytes.LastIndexByte(authority, '@')+1:]
	if bytes.HasPrefix(authority, []byte("[")) {
		return addressV6(authority)
	}
	name, _, _ := strings.Cut(Unescaped(authority), ":")
	name = strings.ToLower(strings.ToValidUTF8(name, ""))
	name = allowed(name)
	if !isASCII(name) || strings.Contains(name, "xn--") {
		name, _ = profile.ToUnicode(name)
		name = allowed(name) // a letter may stand for several: U+037A is a space and an iota
	}
	name = strings.Trim(name, ".-")
	if len(name) > maxHostBytes {
		return ""
	}
	return addressV4(name)
}

// profile maps names as browsers do, and keeps those that no registry would take.
var profile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false),
	idna.VerifyDNSLength(false))

// allowed returns a name up to what no host contains.
func allowed(name string) string {
	if end := strings.IndexFunc(name, isForbidden); end >= 0 {
		return name[:end]
	}
	return name
}

// isForbidden reports what no host contains.
func isForbidden(r rune) bool {
	switch r {
	case '"', '#', '%', '/', '<', '>', '?', '@', '[', '\\', ']', '^', '|', 0x7F:
		return true
	}
	return r <= ' '
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// Unescaped returns a text, %XX as the byte it is.
func Unescaped(text []byte) string {
	if bytes.IndexByte(text, '%') < 0 {
		return string(text)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := strconv.ParseUint(string(text[i+1:i+3]), 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// addressV6 returns the address of a host in brackets, as it is written.
func addressV6(authority []byte) string {
	inside, _, _ := strings.Cut(strings.ToLower(string(authority[1:])), "]")
	if len(inside) > maxHostBytes || !strings.Contains(inside, ":") || strings.Trim(inside, "0123456789abcdef:.") != "" {
		return ""
	}
	return inside
}

// addressV4 returns a host whose last label is a number as an address in dotted decimals: it may
// have one to four parts, in decimal, octal or hexadecimal. Any other host, and one that is no
// address, stays.
func addressV4(name string) string {
	if _, ok := number(name[strings.LastIndexByte(name, '.')+1:]); !ok || strings.Count(name, ".") > 3 {
		return name
	}
	parts := strings.Split(name, ".")
	value := uint64(0)
	for i, part := range parts {
		n, ok := number(part)
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if !ok || n >= 1<<bits {
			return name
		}
		value = value<<bits | n
	}
	return fmt.Sprintf("%d.%d.%d.%d", byte(value>>24), byte(value>>16), byte(value>>8), byte(value))
}

// number reads a part of an address.
func number(part string) (value uint64, ok bool) {
	if part == "" || part[0] < '0' || part[0] > '9' { // most are, and an error costs memory
		return 0, false
	}
	base := 10
	if rest, hexadecimal := strings.CutPrefix(part, "0x"); hexadecimal {
		if rest == "" {
			return 0, true
		}
		part, base = rest, 16
	} else if len(part) > 1 && part[0] == '0' {
		part, base = part[1:], 8
	}
	value, err := strconv.ParseUint(part, base, 64)
	return value, err == nil
}
