package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/cli"
)

// rolledBackLog returns a log of two imports, two deltas of one source at the offsets 3 and 4, a
// rollback of the second one at 5, and a rename at 6.
func rolledBackLog(t *testing.T) (flags []string, source fold.Source) {
	t.Helper()
	flags, _ = logOfTwo(t)
	source = fold.Source{Topic: kafkatest.Topic(t, 1, nil)}
	for i := range int64(2) {
		appendCounted(t, topicOf(flags), fold.Range{Source: source, Start: i, End: i + 1})
	}
	mustRun(t, append([]string{"log", "--rollback=4", "--why=mistaken"}, flags...)...)
	mustRun(t, append([]string{"labels", "--rename", "spam", "junk"}, flags...)...)
	return flags, source
}

// TestVoidUndoesControls: a void says which controls it undoes before it does, and lists say which
// are not in force.
func TestVoidUndoesControls(t *testing.T) {
	flags, _ := rolledBackLog(t)
	for at, want := range map[string][]int64{"1": {5, 6}, "3": {5, 6}, "4": nil, "5": {6}, "6": nil} {
		var got voided
		out := mustRun(t, append([]string{"log", "--json", "--dry-run", "--void=" + at}, flags...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil || !slices.Equal(got.Undone, want) || got.Offset != nil {
			t.Errorf("--void=%s undoes %v, want %v; %v", at, got.Undone, want, err)
		}
	}
	var out, said bytes.Buffer
	p := cli.Process{Args: append([]string{"log", "--void=3", "--why=damaged"}, flags...), LookupEnv: os.LookupEnv,
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said}
	if err := toolbox(t.Context(), p); err != nil || !strings.Contains(out.String(), "is taken out by the one at offset 7") {
		t.Fatal(out.String(), err)
	}
	for _, want := range []string{"undoes the rollback at offset 5", "bayestream log --rollback=4 --why=TEXT", "undoes the rename at offset 6", `bayestream labels --rename "spam" "junk"`} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the void says %q, want %q", said.String(), want)
		}
	}
	list := strings.Split(mustRun(t, append([]string{"log", "--from=5"}, flags...)...), "\n")
	for i, isStale := range []bool{true, true, false} {
		if strings.Contains(list[i], "not in force:") != isStale {
			t.Errorf("the list has %q", list[i])
		}
	}
	if out := mustRun(t, append([]string{"log", "--show=5", "--json"}, flags...)...); !strings.Contains(out, `"in_force":false`) {
		t.Errorf("the record is shown as %s", out)
	}
}

// TestVoidBehindARename: a void says which renames do not move what is counted again, before it does.
func TestVoidBehindARename(t *testing.T) {
	flags, _ := logOfTwo(t)
	appendCounted(t, topicOf(flags), fold.Range{Source: fold.Source{Topic: kafkatest.Topic(t, 1, nil)}, End: 1}) // of ham, at 3
	mustRun(t, append([]string{"labels", "--rename", "ham", "mail"}, flags...)...)
	mustRun(t, append([]string{"labels", "--rename", "spam", "junk"}, flags...)...)
	mustRun(t, append([]string{"labels", "--rename", "mail", "post"}, flags...)...)
	const again = "warning: the rename at offset %d does not move what is counted again: %q is a class again\n" +
		"once ingest has counted again, type it again: bayestream labels --rename %[2]q %[3]q\n"
	for _, how := range []string{"--dry-run", "--why=damaged"} {
		var said bytes.Buffer
		p := cli.Process{Args: append([]string{"log", "--void=3", how}, flags...), LookupEnv: os.LookupEnv,
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said}
		err := toolbox(t.Context(), p)
		want := fmt.Sprintf(again, 4, "ham", "mail") + fmt.Sprintf(again, 6, "mail", "post")
		if err != nil || said.String() != want {
			t.Errorf("%s: %v, says %q, want %q", how, err, said.String(), want)
		}
	}
}

// TestRollbackOfRollback: a rollback that takes nothing out is refused, and a rollback among the
// records is named, which stays in force.
func TestRollbackOfRollback(t *testing.T) {
	flags, source := rolledBackLog(t)
	rollback := func(at string) (string, error) {
		return run(t, append([]string{"log", "--dry-run", "--rollback=" + at}, flags...)...)
	}
	mustRun(t, append([]string{"log", "--void=6", "--why=x"}, flags...)...)
	for at, why := range map[string]string{"4": "bayestream log --void=5 --why=TEXT undoes the rollback at offset 5", "5": "bayestream log --void=5 ", "6": "there is nothing to take out: no record from offset 6 on counts"} {
		if _, err := rollback(at); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("--rollback=%s: %v, want %q", at, err, why)
		}
	}
	appendCounted(t, topicOf(flags), fold.Range{Source: source, Start: 2, End: 3})
	if out, err := rollback("4"); err != nil || !strings.Contains(out, "would be taken out: 1 delta") || !strings.Contains(out, "the rollback at offset 5 among them stays in force; bayestream log --void=5") {
		t.Errorf("a rollback among the records: %q, %v", out, err)
	}
	if out, err := rollback("8"); err != nil || strings.Contains(out, "stays in force;") {
		t.Errorf("no rollback among the records: %q, %v", out, err)
	}
}
