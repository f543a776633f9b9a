package mail

import (
	"bytes"
	"net/netip"
	"strings"

	"bayestream/internal/tokenize/weblink"
)

// maxAuthorityBytes bounds a host with a user and a port.
const maxAuthorityBytes = 3 * 253

// hosts collects host names.
type hosts struct{ list }

// addText adds the hosts of the links in a plain text: what follows "://" after http, https or ftp,
// and what begins with "www.".
func (h *hosts) addText(text []byte) {
	for rest := text; ; {
		i := bytes.Index(rest, []byte("://"))
		if i < 0 {
			break
		}
		scheme := rest[max(0, i-5):i]
		rest = rest[i+3:]
		if endsInScheme(string(scheme)) {
			h.addAuthority(rest)
		}
	}
	www := []byte("www.")
	for i := indexAnyCase(text, www); i < len(text); i += len(www) + indexAnyCase(text[i+len(www):], www) {
		if i == 0 || !isHostByte(text[i-1]) && text[i-1] != '/' {
			h.addAuthority(text[i:])
		}
	}
}

// addLink adds the host of a link in HTML, which may leave out the scheme.
func (h *hosts) addLink(link []byte) {
	if host, ok := weblink.Host(link); ok {
		h.addHost(host)
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

// addAuthority adds the host of an authority in a plain text, which ends where no host or user can
// go on.
func (h *hosts) addAuthority(rest []byte) {
	end := 0
	for end < min(len(rest), maxAuthorityBytes) && (isHostByte(rest[end]) ||
		strings.IndexByte("@:%+!$&[]", rest[end]) >= 0) {
		end++
	}
	h.addHost(weblink.HostOf(rest[:end]))
}

// addHost adds a host, and whether it is an address.
func (h *hosts) addHost(host string) {
	last := host[max(len(host)-1, 0):]
	if !strings.Contains(host, ":") && strings.Trim(last, "0123456789") == last { // most are names
		h.add(host)
		return
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		h.add(host)
		return
	}
	h.add(address.String())
	h.add("<ip>")
}

// isHostByte reports whether c can be in a host name, international ones included.
func isHostByte(c byte) bool {
	return c >= 0x80 || c == '-' || c == '.' || c == '_' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
