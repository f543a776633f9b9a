package counts_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"bayestream/internal/counts"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"spam":                               "",
		"très spam 電子 🙂":                     "",
		"<num:20+>":                          "",
		"a b":                                "",
		"a\u202eb":                           "", // escaped where it is shown
		strings.Repeat("x", 256):             "",
		"":                                   "is empty",
		strings.Repeat("x", 257):             "has 257 bytes, the limit is 256",
		strings.Repeat("x", 1<<20):           "has 1048576 bytes, the limit is 256",
		"\xff\xfe":                           `is "\xff\xfe", which is not UTF-8`,
		"a\nb":                               `is "a\nb", with the control character U+000A`,
		"a\x00":                              `is "a\x00", with the control character U+0000`,
		"\x7f":                               `is "\x7f", with the control character U+007F`,
		"é\u0085":                            `is "é\u0085", with the control character U+0085`,
		"\n" + strings.Repeat("long ", 1<<5): `is "\nlong long long long long long long long long long long long lon", with the control character U+000A`,
	} {
		got := ""
		if err := counts.CheckClass(name); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("class %.40q: got %q, want %q", name, got, want)
		}
	}
	if counts.CheckTerm(make([]byte, counts.MaxTermBytes+1)) == nil || counts.CheckTerm([]byte(strings.Repeat("x", counts.MaxTermBytes))) != nil {
		t.Error("the limit of a term is not MaxTermBytes")
	}
}

// FuzzNames: a name is refused if and only if it is empty, too long, no UTF-8 or has a character of
// the category Cc.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"", "spam", "a\nb", "\u0085", "\u00a0", "\xc2", "a\x7f", "\xed\xa0\x80"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, name []byte) {
		want := len(name) > 0 && len(name) <= counts.MaxTermBytes && utf8.Valid(name) && strings.IndexFunc(string(name), unicode.IsControl) < 0
		if err := counts.CheckTerm(name); (err == nil) != want {
			t.Errorf("%q: got %v", name, err)
		}
	})
}
