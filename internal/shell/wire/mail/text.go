package mail

import (
	"bytes"
	"strings"

	"github.com/jhillyerd/enmime/v2"
)

// render returns the text of a part and all below it as a mail program shows them, and collects the hosts of their
// links. Attachments are not shown.
func (m *message) render(p *enmime.Part) []byte {
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
	for child := p.FirstChild; child != nil; child = child.NextSibling {
		part := m.render(child)
		if len(part) > 0 {
			text = append(text, part...)
			text = append(text, '\n')
		}
	}
	return text
}

// renderAlternative renders the last alternative that shows anything: they are in order of increasing faithfulness
// (RFC 2046, 5.1.4). A decoy that no reader sees does not reach the model.
func (m *message) renderAlternative(p *enmime.Part) []byte {
	var alternatives []*enmime.Part
	for child := p.FirstChild; child != nil; child = child.NextSibling {
		alternatives = append(alternatives, child)
	}
	for i := len(alternatives) - 1; i >= 0; i-- {
		text := m.render(alternatives[i])
		if len(bytes.TrimSpace(text)) > 0 {
			return text
		}
	}
	return nil
}

// renderLeaf renders a part without children. A type that is neither HTML nor known to be no text is plain text.
func (m *message) renderLeaf(p *enmime.Part) []byte {
	kind, _, _ := strings.Cut(p.ContentType, "/")
	switch kind {
	case "application", "image", "audio", "video", "font", "model", "message":
		return nil
	}
	text := toUTF8(p.Content, p.Charset)
	if p.ContentType == "text/html" {
		return m.renderHTML(text)
	}
	return m.renderPlain(text)
}

// renderPlain collects the hosts of a plain text, which is shown as it is.
func (m *message) renderPlain(text []byte) []byte {
	m.hosts.addText(text)
	return text
}
