// Package generated keeps a part of a document equal to what the code says.
package generated

import (
	"os"
	"strings"
	"testing"
)

// Part compares a part of a document with want, and with update set writes it. It is between the
// two lines
//
//	<!-- NAME: written by COMMAND -->
//	<!-- end of NAME -->
func Part(t *testing.T, document, name, command, want string, update bool) {
	t.Helper()
	begin, end := "<!-- "+name+": written by "+command+" -->\n", "<!-- end of "+name+" -->"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), begin)
	got, after, ends := strings.Cut(rest, end)
	switch {
	case !begins || !ends:
		t.Fatalf("%s: the lines %q and %q do not frame a part", document, begin, end)
	case got == want:
	case !update:
		t.Errorf("%s differs from the code: %s\ngot:\n%s\nwant:\n%s", document, command, got, want)
	default:
		if err := os.WriteFile(document, []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
