package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// topicOf returns the topic that the flags name.
func topicOf(flags []string) string { return strings.TrimPrefix(flags[1], "--model-topic=") }

// rebuiltTo returns the counts of the model log as they are now, or with until as they were.
func rebuiltTo(t *testing.T, flags []string, until ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.db")
	mustRun(t, append([]string{"copy", flags[0], "topic:" + topicOf(flags), path}, until...)...)
	return exported(t, path)
}

// TestLog lists the records of a log, and shows one.
func TestLog(t *testing.T) {
	flags, _ := logOfTwo(t)
	lines := strings.Split(mustRun(t, append([]string{"log"}, flags...)...), "\n")
	want := []string{
		`^ +0  \S+ \S+ +\d+ B  spec *$`,
		`^ +1  \S+ \S+ +\d+ B  delta +import/[0-9a-f]+/0 \[0, 1\): spam \+1$`,
		`^ +2  \S+ \S+ +\d+ B  delta +import/[0-9a-f]+/0 \[0, 1\): ham \+1$`,
	}
	for i, w := range want {
		if i >= len(lines) || !regexp.MustCompile(w).MatchString(lines[i]) {
			t.Errorf("the list is\n%s\nwant in line %d: %s", strings.Join(lines, "\n"), i+1, w)
		}
	}
	if out := mustRun(t, append([]string{"log", "--last=1"}, flags...)...); strings.Count(out, "\n") != 1 || !strings.Contains(out, "ham +1") {
		t.Errorf("--last=1 lists\n%s", out)
	}
	var listed struct {
		Offset    int64            `json:"offset"`
		Kind      string           `json:"kind"`
		Documents map[string]int64 `json:"documents"`
	}
	if err := json.Unmarshal([]byte(mustRun(t, append([]string{"log", "--json", "--last=1"}, flags...)...)), &listed); err != nil || listed.Offset != 2 || listed.Kind != "delta" || listed.Documents["ham"] != 1 {
		t.Errorf("as JSON: %+v, %v", listed, err)
	}
	shown := mustRun(t, append([]string{"log", "--show=1"}, flags...)...)
	for _, part := range []string{"offset    1", "kind      delta", "+1  text  spam  prize", "  first  spam  ", "  length  spam  "} {
		if !strings.Contains(shown, part) {
			t.Errorf("the record is shown as\n%s\nwant %q in it", shown, part)
		}
	}
	if shown := mustRun(t, append([]string{"log", "--show=0"}, flags...)...); !strings.Contains(shown, "\ntext:\n") {
		t.Errorf("the spec is shown as\n%s", shown)
	}
	for args, why := range map[string]string{
		"--show=9":          "has no record at offset 9",
		"--from=9":          "has the offsets from 0 to 2",
		"--void=1":          "need --why",
		"--why=x":           "only with --void and --rollback",
		"--show=2h":         "want the offset of a record",
		"--void=9 --why=x":  "has no record at offset 9",
		"--last=0":          "want at least 1",
		"--last=3 --from=1": "only on a list of records, without --from",
		"--show=1 --from=1": "only on a list",
		"--rollback=1":      "need --why",
		"--dry-run":         "only with --rollback",
		"--show=1 --void=1": "do different things",
	} {
		_, err := run(t, append(append([]string{"log"}, strings.Fields(args)...), flags...)...)
		if !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("log %s: error %v, want %q", args, err, why)
		}
	}
}

// TestPoison puts a record with an unknown field into a log: it stops who folds the log, the list
// shows it, and a void lets all go on.
func TestPoison(t *testing.T) {
	flags, _ := logOfTwo(t)
	before := rebuiltTo(t, flags)
	// field 1023
	kafkatest.Produce(t, topicOf(flags), 0, stream.Record{Value: []byte{0x08, codec.Format, 0xfa, 0x3f, 0x01, 'x'}})
	_, err := run(t, "copy", flags[0], "topic:"+topicOf(flags), filepath.Join(t.TempDir(), "x.db"))
	if err == nil || !strings.Contains(err.Error(), "bayestream log --void 3") {
		t.Fatalf("a log with a record of a later version: %v", err)
	}
	if out := mustRun(t, append([]string{"log", "--last=1"}, flags...)...); !strings.Contains(out, "this version does not know") {
		t.Errorf("the list says\n%s", out)
	}
	if out := mustRun(t, append([]string{"log", "--void=3", "--why=a flipped bit"}, flags...)...); !strings.Contains(out, "taken out by the one at offset 4") {
		t.Errorf("the void says\n%s", out)
	}
	if got := rebuiltTo(t, flags); got != before {
		t.Errorf("behind the void the counts are\n%s\nwant\n%s", got, before)
	}
	if out := mustRun(t, append([]string{"log", "--last=1"}, flags...)...); !strings.Contains(out, "the records 3 to 3 are taken out (a flipped bit)") {
		t.Errorf("the list says\n%s", out)
	}
}

// TestRollback goes back to a time before the second import.
func TestRollback(t *testing.T) {
	flags, files := logOfTwo(t)
	rollback := func(args ...string) (string, error) {
		return run(t, append(append([]string{"log", "--why=a mistake"}, args...), flags...)...)
	}
	all := rebuiltTo(t, flags)
	if out, err := rollback("--rollback=2", "--dry-run"); err != nil || !strings.Contains(out, "would be taken out: 1 delta, which counted 1 document and took out 0, from offset 2 ") || rebuiltTo(t, flags) != all {
		t.Errorf("a dry run: %q, %v", out, err)
	}
	if out, err := rollback("--rollback=2"); err != nil || !strings.Contains(out, "the control record has offset 3") {
		t.Fatalf("rollback: %q, %v", out, err)
	}
	if got, want := rebuiltTo(t, flags), exported(t, files[0]); got != want {
		t.Errorf("behind the rollback the counts are\n%s\nwant\n%s", got, want)
	}
	if got := rebuiltTo(t, flags, "--until=3"); got != all {
		t.Errorf("before the rollback the counts were\n%s\nwant\n%s", got, all)
	}
	if out, err := rollback("--rollback=1", "--dry-run"); err != nil || !strings.Contains(out, "would be taken out: 1 delta, which counted 1 document and took out 0, from offset 1 ") {
		t.Errorf("a dry run behind a rollback: %q, %v", out, err)
	}
	if _, err := run(t, append([]string{"import", "--model=" + files[1]}, flags...)...); !wrong(err) ||
		!strings.Contains(err.Error(), "took these counts out for good: import them into a new model topic") {
		t.Errorf("import of what was rolled back: %v", err)
	}
	if out := mustRun(t, append([]string{"import", "--model=" + files[0]}, flags...)...); !strings.HasPrefix(out, "0 of 1 chunks") {
		t.Errorf("import of what is counted says %q", out)
	}
	for args, why := range map[string]string{"--rollback=0": "the first record stays", "--rollback=99": "goes to offset 3", "--rollback=0s": "nothing came into the model log", "--rollback=48h": "is younger"} {
		if _, err := rollback(args); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("rollback %s: error %v, want %q", args, err, why)
		}
	}
}

// TestRollbackOfUpkeep: a document that left a window was not forgotten.
func TestRollbackOfUpkeep(t *testing.T) {
	forget := []fold.LedgerChange{{ID: "x"}}
	deltas := []*fold.Delta{
		{Ranges: []fold.Range{{Start: 3, End: 3, Ledger: forget}}, Counts: &model.Delta{Documents: []int64{-1}}}, // upkeep
		{Ranges: []fold.Range{{Start: 3, End: 4, Ledger: forget}}, Counts: &model.Delta{Documents: []int64{-2}}},
	}
	var got rolledBack
	for _, d := range deltas {
		change := changeOf(&fold.Entry{Delta: d}, fold.Accepted)
		got.add(&change)
	}
	if want := (rolledBack{Deltas: 2, Documents: -3, Removed: 3, Forgets: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRenameOfExpectedClass: the classes of a spec cannot be changed in a log, so that no advice to
// change them may be given. A prior can.
func TestRenameOfExpectedClass(t *testing.T) {
	for text, why := range map[string]string{
		"classes: [ham, spam]":         "count into a new --model-topic",
		"prior: {ham: 0.5, spam: 0.5}": "start ingest with a spec that does not",
	} {
		flags := []string{kafka(t), "--model-topic=" + kafkatest.Topic(t, 1, nil)}
		file := filepath.Join(t.TempDir(), "model.db")
		lines := write(t, "a.jsonl", `{"text":"you won","label":"spam"}`+"\n"+`{"text":"lunch","label":"ham"}`)
		mustRun(t, "train", "--spec="+write(t, "spec.yaml", text), "--model="+file, lines)
		mustRun(t, append([]string{"import", "--model=" + file}, flags...)...)
		if _, err := run(t, append([]string{"labels", "--rename", "spam", "junk"}, flags...)...); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

// TestRename renames a class in a file and in a log, and merges two.
func TestRename(t *testing.T) {
	flags, files := logOfTwo(t)
	want := strings.ReplaceAll(exported(t, files[0]), `"spam"`, `"junk"`)
	mustRun(t, "labels", "--rename", "--model="+files[0], "spam", "junk")
	if got := exported(t, files[0]); got != want {
		t.Errorf("the file holds\n%s\nwant\n%s", got, want)
	}
	if _, err := run(t, "labels", "--rename", "--model="+files[0], "jnuk", "x"); !wrong(err) || !strings.Contains(err.Error(), `has no class "jnuk"; it has "junk"; did you mean "junk"?`) {
		t.Errorf("rename of no class: %v", err)
	}
	if _, err := run(t, "labels", "--rename", "--model="+files[0], "junk", "junk"); !wrong(err) || !strings.Contains(err.Error(), `both names are "junk"`) {
		t.Errorf("rename to the same name: %v", err)
	}
	// space around a label is cut off, as that of a record
	mustRun(t, "labels", "--rename", "--model="+files[0], "junk", " trash ")
	if got := exported(t, files[0]); !strings.Contains(got, `"class":"trash"`) {
		t.Errorf("renamed with space the file holds\n%s", got)
	}
	rename := func(args ...string) (string, error) {
		return run(t, append(append([]string{"labels", "--rename"}, args...), flags...)...)
	}
	if out, err := rename("spam", "junk"); err != nil || out != "spam is called junk, which has 1 document\n" {
		t.Fatalf("rename: %q, %v", out, err)
	}
	if got := rebuiltTo(t, flags); strings.Contains(got, "spam") || !strings.Contains(got, "junk") {
		t.Errorf("behind the rename the counts are\n%s", got)
	}
	undo := append([]string{"log", "--why=x", "--rollback=3", "--dry-run"}, flags...)
	if out := mustRun(t, undo...); !strings.Contains(out, "would be taken out: 0 deltas, which counted 0 documents and took out 0, and 1 rename, ") {
		t.Errorf("a rollback of the rename says %q", out)
	}
	if out, err := rename("ham", "junk"); err != nil || out != "ham is called junk, which has 2 documents\n" {
		t.Fatalf("merge: %q, %v", out, err)
	}
	got := rebuiltTo(t, flags)
	for _, term := range []string{"lunch", "prize"} {
		if !strings.Contains(got, fmt.Sprintf(`{"class":"junk","term":"%s"`, term)) {
			t.Errorf("the merged class has no %q:\n%s", term, got)
		}
	}
	for args, why := range map[string]string{"spam junk": "has no class", "junk junk": "has that name"} {
		if _, err := rename(strings.Fields(args)...); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("rename %s: error %v, want %q", args, err, why)
		}
	}
}

// TestCutLog: the verbs that read a log from its first record say so where that was deleted,
// without the advice for workers.
func TestCutLog(t *testing.T) {
	flags, files := logOfTwo(t)
	then := filepath.Join(t.TempDir(), "then.db")
	mustRun(t, "copy", flags[0], "topic:"+topicOf(flags), then)
	kafkatest.DeleteRecords(t, topicOf(flags), 0, 2)
	for _, args := range [][]string{
		{"labels", "--rename", "spam", "junk"}, {"log", "--rollback=2", "--why=x"}, {"log", "--rollback=2", "--why=x", "--dry-run"},
		{"verify", "--model=" + then}, {"import", "--model=" + files[0]},
	} {
		_, err := run(t, append(args, flags...)...)
		if !wrong(err) || !strings.Contains(err.Error(), "was cut: it starts at offset 2, and "+args[0]) || strings.Contains(err.Error(), "bootstrap") {
			t.Errorf("%s: %v", args[0], err)
		}
	}
}

// appendCounted appends a delta of one document for each range, built on the log as it is.
func appendCounted(t *testing.T, log string, ranges ...fold.Range) {
	t.Helper()
	s := fold.New(false)
	if err := modellog.Replay(t.Context(), kafkatest.Dial(t), log, s, -1, nil); err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder(s.Spec())
	basis := s.Basis(fold.Source{})
	for i := range ranges {
		b.AddDocuments("ham", 1)
		ranges[i].Previous = s.Basis(ranges[i].Source).Previous
	}
	delta, err := codec.EncodeDelta(&fold.Delta{Counting: s.Counting(), Log: s.Log(), Era: basis.Era, EraCRC: basis.EraCRC, Ranges: ranges, Counts: b.Delta()})
	if err != nil {
		t.Fatal(err)
	}
	kafkatest.Produce(t, log, 0, stream.Record{Value: delta})
}

// TestVoidOfWhatIsDeleted: a delta is not taken out where records that are counted again without it,
// or the head of the log, are deleted, unless that loss is accepted.
func TestVoidOfWhatIsDeleted(t *testing.T) {
	flags, _ := logOfTwo(t)
	training := kafkatest.Topic(t, 2, nil)
	for partition := range 2 {
		kafkatest.Produce(t, training, partition, stream.Record{Value: []byte("a")}, stream.Record{Value: []byte("b")}, stream.Record{Value: []byte("c")})
	}
	first, second := fold.Source{Topic: training}, fold.Source{Topic: training, Partition: 1}
	appendCounted(t, topicOf(flags), fold.Range{Source: first, End: 1})                                                         // 3
	appendCounted(t, topicOf(flags), fold.Range{Source: second, End: 1})                                                        // 4
	appendCounted(t, topicOf(flags), fold.Range{Source: first, Start: 1, End: 2}, fold.Range{Source: second, Start: 1, End: 2}) // 5
	appendCounted(t, topicOf(flags), fold.Range{Source: second, Start: 2, End: 3})                                              // 6
	void := func(args ...string) (string, error) {
		return run(t, append(append([]string{"log", "--why=x"}, args...), flags...)...)
	}
	const says = "and the topic starts at offset 2: what is deleted there cannot be counted again"
	kafkatest.DeleteRecords(t, training, 1, 2)
	for at, what := range map[string]string{"3": "/1 [1, 2) ", "4": "/1 [0, 1) ", "5": "/1 [1, 2) "} {
		if _, err := void("--void=" + at); !wrong(err) || !strings.Contains(err.Error(), training+what) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s, behind which records are deleted: %v", at, err)
		}
	}
	if out, err := void("--void=6"); err != nil || !strings.Contains(out, "is taken out by the one at offset 7") {
		t.Errorf("records that are there: %q, %v", out, err)
	}
	if out, err := void("--void=2"); err != nil || !strings.Contains(out, "is taken out by the one at offset 8") {
		t.Errorf("an import: %q, %v", out, err)
	}
	if out, err := void("--void=3", "--accept-loss"); err != nil || !strings.Contains(out, "is taken out by the one at offset 9") {
		t.Errorf("records that are deleted, accepted: %q, %v", out, err)
	}
	kafkatest.DeleteRecords(t, topicOf(flags), 0, 1)
	if _, err := void("--void=4"); !wrong(err) || !strings.Contains(err.Error(), "starts at offset 1: workers that have counted the record at offset 4 would start over") {
		t.Errorf("a log without its head: %v", err)
	}
	if _, err := run(t, append([]string{"log", "--accept-loss"}, flags...)...); !wrong(err) || !strings.Contains(err.Error(), "only with --void") {
		t.Errorf("without --void: %v", err)
	}
}

// TestLogNamesSomePartitions: a line has room for some of the partitions of a sum.
func TestLogNamesSomePartitions(t *testing.T) {
	r := logRecord{Description: codec.Description{Kind: "delta", Ranges: make([]codec.Range, 6)}}
	for i := range r.Ranges {
		r.Ranges[i] = codec.Range{Topic: "t", Partition: int32(i), End: 1, Skipped: map[string]int{"not_json": 1}}
	}
	const want = "t/0 [0, 1), t/1 [0, 1), t/2 [0, 1), t/3 [0, 1), 2 more partitions: 6 skipped (not_json)"
	if got := r.line(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
