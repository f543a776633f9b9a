package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/generated"
)

// TestReasonsInDocs keeps the table in docs/formats.md equal to the code: the
// words are a contract with dashboards and alerts.
func TestReasonsInDocs(t *testing.T) {
	var table strings.Builder
	table.WriteString("| reason | what to do |\n|---|---|\n")
	for _, r := range reasons {
		fmt.Fprintf(&table, "| `%s` | %s |\n", r.reason, r.remedy)
	}
	generated.Part(t, "../../../docs/formats.md", "reasons", "go test ./internal/shell/wire -update", table.String(), *update)
}

func TestReasons(t *testing.T) {
	seen := map[Reason]bool{}
	for _, r := range Reasons() {
		if seen[r] {
			t.Errorf("reason %q is listed twice", r)
		}
		seen[r] = true
		if strings.Trim(string(r), "abcdefghijklmnopqrstuvwxyz8_") != "" {
			t.Errorf("reason %q is not snake case", r)
		}
		if got := (&Reject{Reason: r, Detail: "here"}).Error(); got != r.Summary()+": here" {
			t.Errorf("reason %q: sentence %q does not begin with the summary", r, got)
		}
	}
	if got := (&Reject{Reason: RefGone}).Error(); got != "document no longer retained" {
		t.Errorf("got %q, want the words of the design", got)
	}
	if got := (&Reject{Reason: CannotUnlearn}).Error(); got != "cannot unlearn" {
		t.Errorf("got %q, want the words of the design", got)
	}
}

func TestRejectIsFoundInAChain(t *testing.T) {
	err := fmt.Errorf("partition 3: %w", Rejectf(BadRef, "offset %d", 7))
	var reject *Reject
	if !errors.As(err, &reject) || reject.Reason != BadRef || reject.Detail != "offset 7" {
		t.Errorf("got %v from %v", reject, err)
	}
}

func TestAsReject(t *testing.T) {
	other := errors.New("disk gone")
	err := AsReject(&model.TooManyClassesError{Label: "c", Limit: 2})
	if reject := (*Reject)(nil); !errors.As(err, &reject) || reject.Reason != TooManyClasses {
		t.Errorf("a class too many: %v, want a reject for %s", err, TooManyClasses)
	}
	if AsReject(nil) != nil || AsReject(other) != other {
		t.Error("another error or nil was changed")
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{"short", `"short"`},
		{"a\x00\xff", `"a\x00\xff"`},
		{strings.Repeat("x", 60), `"` + strings.Repeat("x", 60) + `"`},
		{strings.Repeat("x", 61), `"` + strings.Repeat("x", 60) + `"...`},
		{strings.Repeat("x", 58) + "\u20ac\u20ac", `"` + strings.Repeat("x", 58) + `"...`},
		{strings.Repeat("\x80", 70), `"` + strings.Repeat(`\x80`, 56) + `"...`},
	} {
		if got := show(c.in); got != c.want {
			t.Errorf("show(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for n := range 8 {
		if got := clip("a\u20acb\u20ac", n); len(got) > n || !utf8.ValidString(got) || !strings.HasPrefix("a\u20acb\u20ac", got) {
			t.Errorf("clip to %d gave %q", n, got)
		}
	}
	if got := clip("a\u20acb", 4); got != "a\u20ac" {
		t.Errorf("got %q", got)
	}
}
