package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli"
)

// What cannot be trained is refused before the ways to count are compared, which takes long.
func TestTrainRefusesAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&rows, "{\"text\":\"word%d word%d\",\"label\":\"%c\"}\n", i%7, i%5, 'a'+i%2)
	}
	filetest.Write(t, "a.jsonl", rows.String())
	if err := os.Symlink("a.jsonl", "link"); err != nil {
		t.Fatal(err)
	}
	const isOne = " are one file: name it once, or count it twice with --again\n"
	for _, c := range []struct{ model, second, want string }{
		{filepath.Join("none", "m.db"), "", "the folder none of none/m.db does not exist: create it, or choose another name\n"},
		{"m.db", "./a.jsonl", "a.jsonl and ./a.jsonl" + isOne},
		{"m.db", "link", "a.jsonl and link" + isOne},
	} {
		args := []string{"train", "--model=" + c.model, "a.jsonl"}
		if c.second != "" {
			args = append(args, c.second)
		}
		if code, _, stderr := ends(t, nil, args...); code != cli.Wrong || stderr != c.want {
			t.Errorf("%q: exit code %d, %s, want %s", args, code, stderr, c.want)
		}
	}
	if _, err := os.Stat("m.db"); !os.IsNotExist(err) {
		t.Errorf("a model file was left: %v", err)
	}
}
