package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// seconds is the last column of the table, which is the machine's.
var seconds = regexp.MustCompile(` [0-9.]+ \|$`)

// TestQualityTable evaluates the small sets again and looks for their rows in bench/RESULTS.md.
func TestQualityTable(t *testing.T) {
	checkQuality(t, "sms", "iris", "wine", "cancer")
}

// checkQuality evaluates sets, three rows for each, and looks for the rows in bench/RESULTS.md.
func checkQuality(t *testing.T, sets ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", append([]string{"bench/quality.sh"}, sets...)...)
	c.Dir = root
	c.Env = append(os.Environ(), "PROGRAM="+program(t))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := read(t, filepath.Join(root, "bench", "RESULTS.md"))
	rows := strings.Split(strings.TrimSpace(string(out)), "\n")[2:]
	if n := 3 * len(sets); len(rows) != n {
		t.Fatalf("%d rows, want %d:\n%s", len(rows), n, out)
	}
	for _, row := range rows {
		if row = seconds.ReplaceAllString(row, ""); !strings.Contains(results, row) {
			t.Errorf("bench/RESULTS.md does not have the row %s", row)
		}
	}
}
