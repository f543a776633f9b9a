package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
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
		filetest.Write(t, lines, line+"\n")
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

// TestCopies copies a model from and to each kind of place: the counts are the same to the integer,
// and nothing is overwritten.
func TestCopies(t *testing.T) {
	flags, _ := logOfTwo(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "model.db")
	topic := "topic:" + topicOf(flags)
	mustRun(t, "copy", flags[0], topic, file)
	want := exported(t, file)
	for kind, from := range map[string]string{"file": file, "URL": served(t, file), "topic": topic} {
		name := topicOf(flags) + "-" + kind
		t.Cleanup(func() { kafkatest.DeleteTopic(t, name) })
		for _, to := range []string{filepath.Join(dir, kind+".db"), filepath.Join(dir, kind+".db.gz"), "topic:" + name} {
			said := mustRun(t, "copy", flags[0], "--json", from, to)
			var c copied
			if err := json.Unmarshal([]byte(said), &c); err != nil || c.Documents != 2 || c.Classes != 2 || c.Next != 3 {
				t.Errorf("from a %s to %s: %s, %v", kind, to, said, err)
			}
			back := filepath.Join(t.TempDir(), "back.db")
			mustRun(t, "copy", flags[0], to, back)
			if got := exported(t, back); got != want {
				t.Errorf("from a %s to %s, the counts are\n%s\nwant\n%s", kind, to, got, want)
			}
			if _, err := run(t, "copy", flags[0], from, to); !wrong(err) || !strings.Contains(err.Error(), "not overwritten") {
				t.Errorf("onto %s: %v", to, err)
			}
		}
	}
	// Only the copy of a topic has the positions.
	copies := []string{flags[0], "--model-topic=" + topicOf(flags) + "-topic"}
	mustRun(t, append([]string{"verify", "--model=" + file}, copies...)...)
	if got, want := mustRun(t, append([]string{"log"}, copies...)...), mustRun(t, append([]string{"log"}, flags...)...); got != want {
		t.Errorf("the copied topic lists\n%s\nwant\n%s", got, want)
	}
}

// TestCopyUntil: the model at an offset is the one that was folded up to it, from the start or from
// a snapshot.
func TestCopyUntil(t *testing.T) {
	flags, files := logOfTwo(t)
	dir := t.TempDir()
	topic := "topic:" + topicOf(flags)
	at := func(name string, args ...string) string {
		path := filepath.Join(dir, name)
		mustRun(t, append([]string{"copy", flags[0], topic, path}, args...)...)
		return path
	}
	first := at("first.db", "--until=2")
	if got, want := exported(t, first), exported(t, files[0]); got != want {
		t.Errorf("the model before the second import is\n%s\nwant\n%s", got, want)
	}
	all := at("all.db")
	if got := exported(t, all); !strings.Contains(got, "lunch") || !strings.Contains(got, "prize") {
		t.Errorf("the model of the whole log is\n%s", got)
	}
	for name, arg := range map[string]string{"snapshot.db": "--start=" + first, "now.db": "--until=0s"} {
		if got, want := exported(t, at(name, arg)), exported(t, all); got != want {
			t.Errorf("copy %s gives\n%s\nwant\n%s", arg, got, want)
		}
	}
	then := topic + "-then"
	t.Cleanup(func() { kafkatest.DeleteTopic(t, strings.TrimPrefix(then, topicPrefix)) })
	mustRun(t, "copy", flags[0], "--until=2", topic, then)
	mustRun(t, "copy", flags[0], then, filepath.Join(dir, "then.db"))
	if got, want := exported(t, filepath.Join(dir, "then.db")), exported(t, first); got != want {
		t.Errorf("the topic of then holds\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct{ why, args string }{
		{"exists and is not overwritten", topic + " " + all},
		{"beyond the end of the model topic", "--until=99 " + topic + " refused.db"},
		{"beyond the end of the model topic", "--until=99 " + topic + " " + topic + "-none"},
		{"holds no spec before offset 0", "--until=0 " + topic + " refused.db"},
		{"later than --until", "--until=1 --start=" + all + " " + topic + " refused.db"},
		{"is no offset and no time", "--until=soon " + topic + " refused.db"},
		{"does not exist", topic + " " + filepath.Join(dir, "no", "such.db")},
		{"is both ends of the copy", topic + " " + topic},
		{"has no effect on a copy from topic to topic", "--start=" + all + " " + topic + " topic:x"},
	} {
		args := append([]string{"copy", flags[0]}, strings.Fields(strings.ReplaceAll(c.args, "refused.db", filepath.Join(dir, "refused.db")))...)
		if _, err := run(t, args...); !wrong(err) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("copy %s: error %v, want %q", c.args, err, c.why)
		}
	}
	t.Cleanup(func() { kafkatest.DeleteTopic(t, topicOf(flags)+"-none") })
	left, err := filepath.Glob(filepath.Join(dir, "*refused*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("a refused copy left %v %v, %v", left, hidden, err)
	}
}

// TestCopyAfterCut: a topic whose start was deleted is copied from a snapshot, and refused without
// one.
func TestCopyAfterCut(t *testing.T) {
	flags, _ := logOfTwo(t)
	dir := t.TempDir()
	topic := "topic:" + topicOf(flags)
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "copy", flags[0], "--until=2", topic, in("snapshot.db"))
	mustRun(t, "copy", flags[0], topic, in("before.db"))
	kafkatest.DeleteRecords(t, topicOf(flags), 0, 2)
	if _, err := run(t, "copy", flags[0], topic, in("none.db")); !wrong(err) || !strings.Contains(err.Error(), "name a snapshot") {
		t.Errorf("a copy of a cut topic: %v", err)
	}
	t.Cleanup(func() { kafkatest.DeleteTopic(t, topicOf(flags)+"-none") })
	if _, err := run(t, "copy", flags[0], topic, topic+"-none"); !wrong(err) || !strings.Contains(err.Error(), "copy a snapshot of a worker") {
		t.Errorf("a copy of a cut topic to a topic: %v", err)
	}
	mustRun(t, "copy", flags[0], "--start="+in("snapshot.db"), topic, in("after.db"))
	if got, want := exported(t, in("after.db")), exported(t, in("before.db")); got != want {
		t.Errorf("copied from a snapshot:\n%s\nwant\n%s", got, want)
	}
}

// TestSnapshot puts the model of a log into a folder, which keeps the newest ones, and to an
// address that takes PUT.
func TestSnapshot(t *testing.T) {
	flags, _ := logOfTwo(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "snapshots")
	var last string
	for _, until := range []string{"--until=1", "--until=2", "--until=3"} {
		last = filepath.Join(dir, until+".db")
		mustRun(t, "copy", flags[0], until, "topic:"+topicOf(flags), last)
		mustRun(t, "copy", "--keep=2", last, folder+"/")
	}
	kept, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("the folder holds %v, %v, want the two newest snapshots", kept, err)
	}
	if got, want := exported(t, kept[1]), exported(t, last); got != want {
		t.Errorf("the newest snapshot holds\n%s\nwant\n%s", got, want)
	}

	for _, c := range []struct {
		flags []string
		want  string
	}{{nil, "/v1/snapshot is whole: "}, {flags, "it equals the first 3 records of the model log"}} {
		if out := mustRun(t, append([]string{"verify", "--model=" + served(t, last)}, c.flags...)...); !strings.Contains(out, c.want) {
			t.Errorf("verify of a snapshot says\n%s\nwant %q", out, c.want)
		}
	}

	taken := filepath.Join(dir, "taken.db")
	status := http.StatusCreated
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPut {
			t.Errorf("%s of %d bytes, %v, want a PUT", r.Method, len(body), err)
		}
		if err := os.WriteFile(taken, body, 0o600); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	mustRun(t, "copy", last, server.URL+"/model.db")
	if got, want := exported(t, taken), exported(t, last); got != want {
		t.Errorf("the server got\n%s\nwant\n%s", got, want)
	}
	status = http.StatusForbidden
	if _, err := run(t, "copy", last, server.URL+"/model.db"); err == nil {
		t.Error("a server that refuses the snapshot is no error")
	}
}

// TestCopyOfAnotherTopic: a topic of something else is named as such.
func TestCopyOfAnotherTopic(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte(`{"text":"lunch","label":"ham"}`)})
	_, err := run(t, "copy", kafka(t), "topic:"+topic, filepath.Join(t.TempDir(), "a.db"))
	if want := "holds no spec before offset 1: it is no model topic, or no worker has begun it"; !wrong(err) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("copy: %v, want %q", err, want)
	}
}
