package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli"

	"go.etcd.io/bbolt"
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

// TestTrainIntoABlankFile: a train that was killed may leave a file without a model. The next one goes
// on. A file of another program is left alone, and a rename makes no file.
func TestTrainIntoABlankFile(t *testing.T) {
	t.Chdir(t.TempDir())
	filetest.Write(t, "a.jsonl", `{"text":"x","label":"a"}`+"\n"+`{"text":"y","label":"b"}`+"\n")
	blank, err := store.Open("m.db", 0)
	if err == nil {
		err = blank.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "train", "--model=m.db", "a.jsonl")
	other, err := bbolt.Open("other.db", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = other.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("accounts"))
		return err
	})
	if err := errors.Join(err, other.Close()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"train", "--model=other.db", "a.jsonl"}, {"labels", "--rename", "--model=none.db", "a", "c"}} {
		if code, _, stderr := ends(t, nil, args...); code != cli.Wrong {
			t.Errorf("%q: exit code %d: %s", args, code, stderr)
		}
	}
	if _, err := os.Stat("none.db"); !os.IsNotExist(err) {
		t.Errorf("a model file was left: %v", err)
	}
}
