package escape_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"bayestream/internal/shell/escape"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"plain \\n \"quoted\"":              "plain \\n \"quoted\"",
		"größe 日本\u3000語 é 🙂":               "größe 日本\u3000語 é 🙂",
		"می\u200cخواهم 👩\u200d🚀":            "می\u200cخواهم 👩\u200d🚀",
		"a\nb\r\tc\x00":                     `a\nb\r\tc\x00`,
		"\x1b[31mred\x7f\u009b":             `\x1b[31mred\x7f\u009b`,
		"a\u202eb\u2066c\u2069\u061c\u200f": `a\u202eb\u2066c\u2069\u061c\u200f`,
		"a\u2028b\u2029\u0085\ufeff\u00ad":  `a\u2028b\u2029\u0085\ufeff\u00ad`,
		"\xff\xc3(\x80":                     `\xff\xc3(\x80`,
		"\U000e0041":                        `\U000e0041`,
	} {
		if got := escape.Text(in); got != want {
			t.Errorf("%q becomes %s, want %s", in, got, want)
		}
	}
	if got, want := escape.Lines("a\n\x1bb\r\n"), "a\n\\x1bb\\r\n"; got != want {
		t.Errorf("lines: %q, want %q", got, want)
	}
}

// hostile draws text of characters that matter.
var hostile = rapid.StringOf(rapid.RuneFrom([]rune("ab\\\"\n\r\t\x00\x1b\x7f\u0085\u200d\u202e\u2028\u2066\ufeff\U000e0041🙂")))

// What is escaped is one line without a control, and JSON keeps its value.
func TestNothingIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile.Draw(t, "s") + string(rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "bytes"))
		shown := escape.Text(s)
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsGraphic(r) && r != '\u200d' }) {
			t.Errorf("%q becomes %q", s, shown)
		}
		if again := escape.Text(shown); again != shown {
			t.Errorf("%q becomes %q when it is escaped again", shown, again)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		safe := escape.JSON(text)
		if err := json.Unmarshal(safe, &got); err != nil || got != want || escape.Text(string(safe)) != string(safe) {
			t.Errorf("%s becomes %s, which is %q, %v", text, safe, got, err)
		}
	})
}
