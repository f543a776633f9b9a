package fold_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/fold"
)

// docs/protocol.md has a row for each outcome, and for nothing else.
func TestDocumentedOutcomes(t *testing.T) {
	b, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "## The fold")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
		documented = append(documented, row[1])
	}
	for _, o := range fold.Outcomes {
		want = append(want, fmt.Sprint(o))
	}
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("docs/protocol.md explains the outcomes %v, the fold has %v", documented, want)
	}
}
