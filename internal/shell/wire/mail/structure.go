package mail

import (
	"strings"
	"unicode"
)

// maxSettingBytes bounds what a line about the structure of a mail takes from it.
const maxSettingBytes = 40

// settingFields are header fields whose value is one of a few words. Those that tell where a mail
// came from, when, and by which program (To, Date, Received, Message-ID, X-Mailer, ...) are left
// out: they tell one collection of mails from another rather than what a mail is.
var settingFields = []string{"precedence", "importance", "priority", "x-priority", "x-msmail-priority",
	"content-transfer-encoding"}

// settings returns the fields of a header that settle how a mail is handled, one a line.
func settings(h header) []byte {
	var found list
	for _, name := range settingFields {
		if value := setting(h[name]); value != "" {
			found.add(name + "=" + value)
		}
	}
	return []byte(found.joined())
}

// setting returns the first word of a value.
func setting(value []byte) string {
	text := strings.ToValidUTF8(string(value[:min(len(value), maxSettingBytes)]), "")
	word := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) ||
			strings.ContainsRune(";(,", r)
	})
	if len(word) == 0 {
		return ""
	}
	return strings.ToLower(word[0])
}
