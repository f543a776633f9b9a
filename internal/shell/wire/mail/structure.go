package mail

import (
	"net/textproto"
	"strings"
	"unicode"

	"github.com/jhillyerd/enmime/v2"
)

// maxSettingBytes bounds what a line about the structure of a mail takes from it.
const maxSettingBytes = 40

// settingFields are header fields whose value is one of a few words. Those that tell where a mail came from, when, and by
// which program (To, Date, Received, Message-ID, X-Mailer, ...) are left out: they tell one collection of mails from
// another rather than what a mail is.
var settingFields = []string{"Precedence", "Importance", "Priority", "X-Priority", "X-Msmail-Priority", "Content-Transfer-Encoding"}

// settings returns the fields of a header that settle how a mail is handled, one a line.
func settings(header textproto.MIMEHeader) []byte {
	var found list
	for _, name := range settingFields {
		if value := setting(header.Get(name)); value != "" {
			found.add(strings.ToLower(name) + "=" + value)
		}
	}
	return []byte(found.joined())
}

// setting returns the first word of a value.
func setting(value string) string {
	value = strings.ToValidUTF8(firstBytes(value, maxSettingBytes), "")
	word := strings.FieldsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == ';' || r == '(' })
	if len(word) == 0 {
		return ""
	}
	return strings.ToLower(word[0])
}

// describe keeps the type and the character set of a part and all below it, and the names of their files.
func (m *message) describe(p *enmime.Part) {
	m.types.add(setting(p.ContentType))
	if p.Charset != unstated {
		m.types.add(setting(p.Charset))
	}
	m.files.add(strings.Join(strings.Fields(strings.ToValidUTF8(p.FileName, "\uFFFD")), " "))
	for child := p.FirstChild; child != nil; child = child.NextSibling {
		m.describe(child)
	}
}
