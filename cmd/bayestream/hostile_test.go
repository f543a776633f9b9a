package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"bayestream/internal/shell/escape"
	"bayestream/internal/testing/filetest"
)

// names are what a model and its files are called, by harmless people and by others.
// Labels and categories have no control characters.
type names struct{ ham, spam, category, value, id, file string }

var (
	harmless = names{ham: "ham", spam: "spam", category: "c", value: "v", id: "i", file: "a"}
	malign   = names{
		ham: "ham\u2028spam   (ok)\u202e\u2066", spam: "spam\u2029\u200f\ufeff", category: "c\u2028all 9\u202e", value: "v\nall 9\x1b[2J\u202e\u009b",
		id: "i\n9 records skipped\x1b]0;x\a\t\u2067", file: "a\u202e\u2028b",
	}
)

// hostileBench is a folder with all that the verbs read.
func hostileBench(t *testing.T, n names) string {
	t.Helper()
	dir := t.TempDir()
	quote := func(s string) string { // as JSON, which is YAML too
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(escape.JSON(quoted))
	}
	var docs strings.Builder
	for i := range 12 {
		label, words, x := n.ham, "lunch on friday", "1"
		if i%2 == 1 {
			label, words, x = n.spam, "cheap pills", "7"
		}
		docs.WriteString(`{"id":` + quote(n.id+string(rune('a'+i))) + `,"label":` + quote(label) + `,"text":"` + words +
			`","categories":{"c":` + quote(n.category) + `},"numbers":{"x":` + x + `.` + string(rune('0'+i%10)) + `}}` + "\n")
	}
	bad := docs.String() + `{"id":` + quote(n.id) + `,"label":` + quote(n.spam) + `,"text":` + "[" + quote(n.value) + "]}\n"
	spec := "name: " + quote(n.value) + "\ncategories: [{field: c}]\nnumbers: [{fields: [x], likelihood: gaussian, variance: shared}]\n"
	for name, text := range map[string]string{
		n.file + ".jsonl": docs.String(), "bad.jsonl": bad, "s.yaml": "text: {}\n" + spec, "n.yaml": spec,
		"s.tests.yaml": "tests:\n- {id: " + quote(n.id) + ", text: pills, label: " + quote(n.ham) + ", numbers: {x: 7}}\n",
	} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// untrusted returns the command lines of the verbs that show what came from outside.
func untrusted(dir string, n names) map[string][][]string {
	in := func(name string) string { return filepath.Join(dir, name) }
	docs, model, spec := in(n.file+".jsonl"), "--model="+in("m.db"), "--spec="+in("s.yaml")
	return map[string][][]string{
		"train":   {{"train", model, spec, docs}, {"train", "--on-bad=skip", "--model=" + in("b.db"), spec, in("bad.jsonl")}, {"train", "--model=" + in("c.db"), spec, in("bad.jsonl")}},
		"predict": {{"predict", model, docs}, {"predict", "--why", model, docs}, {"predict", "--why", "--prior=x=1", model, docs}},
		"inspect": {{"inspect", model}, {"inspect", model, "--term=pills"}},
		"eval": {{"eval", "--cv=2", spec, docs}, {"eval", "--prequential", "--on-bad=skip", spec, in("bad.jsonl")},
			{"eval", "--cv=2", "--grid=prior=uniform,empirical", spec, docs}, {"eval", "--cv=2", spec, "--html=" + in("page.html"), docs}},
		"compare":  {{"compare", "--cv=2", spec, spec, docs}, {"compare", "--rounds=1", "--points=1", "--spec=" + in("n.yaml"), docs}},
		"check":    {{"check", model, in("s.yaml")}},
		"verify":   {{"verify", model}},
		"tokenize": {{"tokenize", "pills" + n.value}},
	}
}

// trusted are the verbs that show nothing of a model or a record, or show it as JSON alone; then
// those that need a model log, which print what stands in it with the printer of the others.
var trusted = []string{
	"classify", "copy", "demo", "export", "import", "ingest", "log", "init", "send", "labels", "dead", "status", "cutover", "console", "serve", "stream",
}

// What a label, a value, an id or the name of a file holds does not leave its line: every verb
// writes as many lines as for harmless ones, and no control character.
func TestHostileNames(t *testing.T) {
	good, evil := hostileBench(t, harmless), hostileBench(t, malign)
	want, lines := untrusted(good, harmless), untrusted(evil, malign)
	for _, name := range verbNames() {
		if want[name] == nil && !slices.Contains(trusted, name) {
			t.Errorf("the verb %s is in neither list: does it show text from outside?", name)
		}
	}
	sameLines(t, want["train"], lines["train"]) // makes the models
	delete(want, "train")
	for _, verb := range slices.Sorted(maps.Keys(want)) {
		sameLines(t, want[verb], lines[verb])
	}
	page, err := os.ReadFile(filepath.Join(evil, "page.html"))
	usual, err2 := os.ReadFile(filepath.Join(good, "page.html"))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	tame(t, "the page of eval", string(page))
	if got, want := strings.Count(string(page), "\n"), strings.Count(string(usual), "\n"); got != want {
		t.Errorf("the page has %d lines, and %d of a harmless model", got, want)
	}
}

// sameLines runs the command lines of both benches.
func sameLines(t *testing.T, good, evil [][]string) {
	t.Helper()
	for i := range good {
		code, out, said := ends(t, nil, good[i]...)
		badCode, badOut, badSaid := ends(t, nil, evil[i]...)
		what := strings.Join(good[i], " ")
		if code != badCode || strings.Count(out, "\n") != strings.Count(badOut, "\n") || strings.Count(said, "\n") != strings.Count(badSaid, "\n") {
			t.Errorf("%s:\n%s%sof a hostile model, code %d:\n%q\n%q", what, out, said, badCode, badOut, badSaid)
		}
		tame(t, what, badOut+badSaid)
		if good[i][0] == "train" && i == 0 && code != 0 {
			t.Fatalf("%s: %s", what, said)
		}
	}
}

// tame fails if a text holds a character that does more than to be seen.
func tame(t *testing.T, what, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		for _, r := range line {
			if !unicode.IsGraphic(r) && r != '\t' { // predict writes tabs between its cells
				t.Errorf("%s: %U is left in %q", what, r, line)
				break
			}
		}
	}
}

// A cell of predict is no formula.
func TestCells(t *testing.T) {
	for in, want := range map[string]string{
		"ham": "ham", "": "", "-1": "-1", "+1.5e3": "+1.5e3", "a=b": "a=b", "=cmd|'/c calc'!A1": `\x3dcmd|'/c calc'!A1`,
		"@SUM(A1)": `\x40SUM(A1)`, "-1+cmd": `\x2d1+cmd`, "+": `\x2b`, "a\tb\nc": `a\tb\nc`, "\t=1": `\t=1`,
	} {
		if got := cell(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
