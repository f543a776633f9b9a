package table_test

import (
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/tools/cli/table"

	"pgregory.net/rapid"
)

// A cell takes its width, whatever stands in it.
func TestCell(t *testing.T) {
	for s, want := range map[string]string{"spam": "spam    ", "a long label": "a lon…  ", "日本語日本語": "日本…   ", "a\x1b[2Jb": `a\x1b…  `} {
		if got := table.Cell(s, 8); got != want || table.Width(got) != 8 {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.String().Draw(t, "text"), rapid.IntRange(3, 40).Draw(t, "width")
		if got := table.Cell(s, width); table.Width(got) != width {
			t.Fatalf("%q becomes %q, %d columns instead of %d", s, got, table.Width(got), width)
		}
	})
}

// A name takes its width, and two long ones that begin alike stay apart.
func TestName(t *testing.T) {
	for s, want := range map[string]string{
		"spam": "spam       ", "rec.sport.baseball": "rec.s…eball", "rec.sport.hockey": "rec.s…ockey", "comp.graphic": "comp.…aphic", "日本語日本語": "日本語…本語", "a\x1b[2Jbcdef": `a\x1b…bcdef`,
	} {
		if got := table.Name(s, 11); got != want || table.Width(got) != 11 {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.String().Draw(t, "text"), rapid.IntRange(3, 40).Draw(t, "width")
		if got := table.Name(s, width); table.Width(got) != width {
			t.Fatalf("%q becomes %q, %d columns instead of %d", s, got, table.Width(got), width)
		}
	})
}

// A text cannot do anything to the terminal that shows it.
func TestClipShowsControlCharacters(t *testing.T) {
	if got := table.Clip("a\x1b[2Jb\u202ec\ad é", 40); got != `a\x1b[2Jb\u202ec\ad é` {
		t.Errorf("got %q", got)
	}
}

// Words are whole, and no more than fit.
func TestWords(t *testing.T) {
	evidence := []model.Evidence{{Term: "obama", Weight: 2.44}, {Block: "numbers[0]", Weight: 1}, {Term: "coach", As: []string{"coaches", "Coach"}, Weight: -1.5}, {Term: "incomprehensibilities", Weight: 1}}
	for width, want := range map[int]string{80: "obama +2.4  coaches -1.5  incomprehensi… +1.0", 25: "obama +2.4  coaches -1.5", 24: "obama +2.4  coaches -1.5", 23: "obama +2.4", 10: "obama +2.4", 9: "", -3: ""} {
		if got := table.Words(evidence, width); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
}
