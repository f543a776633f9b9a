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

// TestQualityTable evaluates the small sets again and looks for their rows in quality.md.
func TestQualityTable(t *testing.T) {
	data := os.Getenv("BAYESTREAM_DATA")
	if data == "" {
		data = filepath.Join(root, "..", "shared", "data")
	}
	if _, err := os.Stat(data); err != nil {
		t.Skipf("no data: %v", err)
	}
	data, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "bash", "bench/quality.sh", "sms", "iris", "wine", "cancer")
	c.Dir, c.Env = root, append(os.Environ(), "BAYESTREAM_DATA="+data)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rows := strings.Split(strings.TrimSpace(string(out)), "\n")[2:]
	if len(rows) != 12 {
		t.Fatalf("%d rows, want 12:\n%s", len(rows), out)
	}
	for _, row := range rows {
		if row = seconds.ReplaceAllString(row, ""); !strings.Contains(read(t, "quality.md"), row) {
			t.Errorf("quality.md does not have the row %s", row)
		}
	}
}
