package tokenize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumberClasses(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	for digits := 1; digits <= 40; digits++ {
		number := strings.Repeat("7", digits)
		want := number
		switch {
		case digits >= 20:
			want = "<num:20+>"
		case digits > 4:
			want = fmt.Sprintf("<num:%d>", digits)
		}
		if got := terms(s, number); !cmp.Equal(got, []string{want}) {
			t.Errorf("%d digits: %q, want %q", digits, got, want)
		}
	}
}
