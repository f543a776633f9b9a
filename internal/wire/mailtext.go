package wire

import (
	"bytes"
	"strings"

	"github.com/jhillyerd/enmime/v2"
)

// render returns the text of a part and all below it as a mail program shows
// them, and collects the hosts of their links. Attachments are not shown.
func (m *mailContent) render(p *enmime.Part) []byte {
	if strings.EqualFold(p.Disposition, "attachment") {
		return nil
	}
	if p.FirstChild == nil {
		return m.renderLeaf(p)
	}
	if p.ContentType == "multipart/alternative" {
		return m.renderAlternative(p)
	}
	var text []byte
	for c := p.FirstChild; c != nil; c = c.NextSibling {
		if part := m.render(c); len(part) > 0 {
			text = append(append(text, part...), '\n')
		}
	}
	return text
}

// renderAlternative renders the last alternative that shows anything: they stand
// in order of increasing faithfulness (RFC 2046, 5.1.4). A decoy that no reader
// gets to see does not reach the model.
func (m *mailContent) renderAlternative(p *enmime.Part) []byte {
	var alternatives []*enmime.Part
	for c := p.FirstChild; c != nil; c = c.NextSibling {
		alternatives = append(alternatives, c)
	}
	for i := len(alternatives) - 1; i >= 0; i-- {
		if text := m.render(alternatives[i]); len(bytes.TrimSpace(text)) > 0 {
			return text
		}
	}
	return nil
}

// renderLeaf renders a part without children. What is neither HTML nor plainly
// something else is text, for want of better.
func (m *mailContent) renderLeaf(p *enmime.Part) []byte {
	kind, _, _ := strings.Cut(p.ContentType, "/")
	switch kind {
	case "application", "image", "audio", "video", "font", "model", "message":
		return nil
	}
	content := toUTF8(p.Content, p.Charset)
	if p.ContentType == "text/html" {
		return appendVisible(nil, content, &m.hosts)
	}
	return m.plain(content)
}

// plain collects the hosts of a plain text, which is its own rendering.
func (m *mailContent) plain(text []byte) []byte {
	m.hosts.addText(text)
	return text
}

// hosts collects host names, each once, in order of appearance.
type hosts struct {
	names []string
	seen  map[string]bool
}

// joined returns the names, one a line.
func (h *hosts) joined() []byte {
	return []byte(strings.Join(h.names, "\n"))
}

// addText adds the hosts of the links in a plain text: what follows "://" after
// http, https or ftp, and what begins with "www.".
func (h *hosts) addText(text []byte) {
	for rest := text; ; {
		i := bytes.Index(rest, []byte("://"))
		if i < 0 {
			break
		}
		scheme, after := rest[max(0, i-5):i], rest[i+3:]
		if linkScheme(string(scheme)) {
			h.addAuthority(string(after[:min(len(after), maxAuthorityBytes)]))
		}
		rest = after
	}
	www := []byte("www.")
	for i := indexFold(text, www); i < len(text); i += len(www) + indexFold(text[i+len(www):], www) {
		if i == 0 || !isHostByte(text[i-1]) && text[i-1] != '/' {
			h.addAuthority(string(text[i:min(len(text), i+maxAuthorityBytes)]))
		}
	}
}

// addLink adds the host of a link in HTML, which may leave out the scheme.
func (h *hosts) addLink(link string) {
	scheme, rest, found := strings.Cut(strings.TrimSpace(link), "//")
	if found && (scheme == "" || strings.HasSuffix(scheme, ":") && linkScheme(scheme[:len(scheme)-1])) {
		h.addAuthority(rest)
	}
}

// linkScheme tells whether before ends in a scheme whose links have a host.
func linkScheme(before string) bool {
	for _, scheme := range [...]string{"http", "https", "ftp"} {
		if n := len(before) - len(scheme); n >= 0 && strings.EqualFold(before[n:], scheme) {
			return true
		}
	}
	return false
}

const (
	maxHostBytes      = 253              // the longest name in the domain name system
	maxAuthorityBytes = 3 * maxHostBytes // with a user and a port
)

// addAuthority adds the host at the start of rest, without user and port: what a
// mail program would connect to, not the name that was put before an @ to mislead.
func (h *hosts) addAuthority(rest string) {
	end := 0
	for end < min(len(rest), maxAuthorityBytes) && (isHostByte(rest[end]) || strings.IndexByte("@:%+!$&", rest[end]) >= 0) {
		end++
	}
	authority := rest[:end]
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	name, _, _ := strings.Cut(authority, ":")
	name = strings.Trim(strings.ToLower(strings.ToValidUTF8(name, "")), ".-")
	if name == "" || len(name) > maxHostBytes || h.seen[name] {
		return
	}
	if h.seen == nil {
		h.seen = make(map[string]bool)
	}
	h.seen[name] = true
	h.names = append(h.names, name)
}

// isHostByte tells whether c can be in a host name, international ones included.
func isHostByte(c byte) bool {
	return c >= 0x80 || c == '-' || c == '.' || c == '_' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
