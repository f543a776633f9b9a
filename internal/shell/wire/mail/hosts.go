package mail

import (
	"bytes"
	"net/netip"
	"strings"
)

const (
	maxHostBytes      = 253              // the longest name in the domain name system
	maxAuthorityBytes = 3 * maxHostBytes // with a user and a port
)

// hosts collects host names.
type hosts struct{ list }

// addText adds the hosts of the links in a plain text: what follows "://" after http, https or ftp, and what begins
// with "www.".
func (h *hosts) addText(text []byte) {
	for rest := text; ; {
		i := bytes.Index(rest, []byte("://"))
		if i < 0 {
			break
		}
		scheme := rest[max(0, i-5):i]
		rest = rest[i+3:]
		if endsInScheme(string(scheme)) {
			h.addAuthority(string(rest[:min(len(rest), maxAuthorityBytes)]))
		}
	}
	www := []byte("www.")
	for i := indexAnyCase(text, www); i < len(text); i += len(www) + indexAnyCase(text[i+len(www):], www) {
		if i == 0 || !isHostByte(text[i-1]) && text[i-1] != '/' {
			h.addAuthority(string(text[i:min(len(text), i+maxAuthorityBytes)]))
		}
	}
}

// addLink adds the host of a link in HTML, which may leave out the scheme.
func (h *hosts) addLink(link string) {
	scheme, rest, found := strings.Cut(strings.TrimSpace(link), "//")
	if !found {
		return
	}
	before, hasColon := strings.CutSuffix(scheme, ":")
	if scheme == "" || hasColon && endsInScheme(before) {
		h.addAuthority(rest)
	}
}

// endsInScheme reports whether s ends in a scheme whose links have a host.
func endsInScheme(s string) bool {
	for _, scheme := range [...]string{"http", "https", "ftp"} {
		n := len(s) - len(scheme)
		if n >= 0 && strings.EqualFold(s[n:], scheme) {
			return true
		}
	}
	return false
}

// addAuthority adds the host at the start of rest, without user and port: what a mail program would connect to, not a
// name before an @ that misleads.
func (h *hosts) addAuthority(rest string) {
	end := 0
	for end < min(len(rest), maxAuthorityBytes) && (isHostByte(rest[end]) || strings.IndexByte("@:%+!$&", rest[end]) >= 0) {
		end++
	}
	authority := rest[:end]
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	name, _, _ := strings.Cut(authority, ":")
	name = strings.Trim(strings.ToLower(strings.ToValidUTF8(name, "")), ".-")
	if len(name) > maxHostBytes {
		return
	}
	h.add(name)
	if _, err := netip.ParseAddr(name); err == nil {
		h.add("<ip>")
	}
}

// isHostByte reports whether c can be in a host name, international ones included.
func isHostByte(c byte) bool {
	return c >= 0x80 || c == '-' || c == '.' || c == '_' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
