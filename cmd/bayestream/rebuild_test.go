package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/kafkatest"
)

// logOfTwo returns a model topic with the spec and two imports, and the files of the two models.
func logOfTwo(t *testing.T) (flags []string, files [2]string) {
	t.Helper()
	dir := t.TempDir()
	flags = []string{"--brokers=" + strings.Join(kafkatest.Start(t), ","), "--model-topic=" + kafkatest.Topic(t, 1, nil)}
	for i, line := range []string{`{"text":"you won a prize","label":"spam"}`, `{"text":"lunch on friday","label":"ham"}`} {
		lines := filepath.Join(dir, "lines.jsonl")
		files[i] = filepath.Join(dir, string(rune('a'+i))+".db")
		if err := os.WriteFile(lines, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		mustRun(t, "train", "--model="+files[i], lines)
		mustRun(t, append([]string{"import", "--model=" + files[i]}, flags...)...)
	}
	return flags, files
}

// mustRun runs a verb that must succeed, and returns what it prints.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := run(t, args...)
	if err != nil {
		t.Fatalf("bayestream %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// exported returns the export of a model file, without the line of the spec.
func exported(t *testing.T, model string) string {
	t.Helper()
	_, counts, _ := strings.Cut(mustRun(t, "export", "--model="+model), "\n")
	return counts
}

// TestRebuild: the model at an offset is the one that was folded up to it, from the start or from a snapshot.
func TestRebuild(t *testing.T) {
	flags, files := logOfTwo(t)
	dir := t.TempDir()
	rebuild := func(name string, args ...string) string {
		path := filepath.Join(dir, name)
		mustRun(t, append(append([]string{"rebuild", "--model=" + path}, args...), flags...)...)
		return path
	}
	first := rebuild("first.db", "--until=2")
	if got, want := exported(t, first), exported(t, files[0]); got != want {
		t.Errorf("the model before the second import is\n%s\nwant\n%s", got, want)
	}
	all := rebuild("all.db")
	if got := exported(t, all); !strings.Contains(got, "lunch") || !strings.Contains(got, "prize") {
		t.Errorf("the model of the whole log is\n%s", got)
	}
	for name, args := range map[string][]string{"snapshot.db": {"--start=" + first}, "now.db": {"--until=0s"}} {
		if got, want := exported(t, rebuild(name, args...)), exported(t, all); got != want {
			t.Errorf("rebuild %v gives\n%s\nwant\n%s", args, got, want)
		}
	}
	for _, c := range []struct{ why, args string }{
		{"exists and is not overwritten", "--model=" + all},
		{"beyond the end of the model log", "--until=99"},
		{"holds no spec before offset 0", "--until=0"},
		{"later than --until", "--until=1 --start=" + all},
		{"is no offset and no time", "--until=soon"},
		{"does not exist", "--model=" + filepath.Join(dir, "no", "such.db")},
	} {
		args := append([]string{"rebuild", "--model=" + filepath.Join(dir, "refused.db")}, strings.Fields(c.args)...)
		_, err := run(t, append(args, flags...)...)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("rebuild %s: error %v, want %q", c.args, err, c.why)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*refused*")); err != nil || len(left) > 0 {
		t.Errorf("a refused rebuild left %v, %v", left, err)
	}
	if _, err := run(t, "rebuild", "--model=x.db"); err == nil || !strings.Contains(err.Error(), "--brokers is missing") {
		t.Errorf("rebuild without brokers: %v", err)
	}
}

// TestRebuildAfterCut: a log whose start was deleted is rebuilt from a snapshot, and refused without one.
func TestRebuildAfterCut(t *testing.T) {
	flags, _ := logOfTwo(t)
	dir := t.TempDir()
	run2 := func(name string, args ...string) error {
		_, err := run(t, append(append([]string{"rebuild", "--model=" + filepath.Join(dir, name)}, args...), flags...)...)
		return err
	}
	if err := run2("snapshot.db", "--until=2"); err != nil {
		t.Fatal(err)
	}
	if err := run2("before.db"); err != nil {
		t.Fatal(err)
	}
	kafkatest.DeleteRecords(t, strings.TrimPrefix(flags[1], "--model-topic="), 0, 2)
	if err := run2("none.db"); !wrong(err) || !strings.Contains(err.Error(), "name a snapshot") {
		t.Errorf("rebuild of a cut log: %v", err)
	}
	if err := run2("after.db", "--start="+filepath.Join(dir, "snapshot.db")); err != nil {
		t.Fatal(err)
	}
	if got, want := exported(t, filepath.Join(dir, "after.db")), exported(t, filepath.Join(dir, "before.db")); got != want {
		t.Errorf("rebuilt from a snapshot:\n%s\nwant\n%s", got, want)
	}
}
