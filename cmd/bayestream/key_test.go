package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// A model of hashed terms decides and explains as one of plain terms does, with the words of the
// message; without its key it shows hashes only, and another key is refused by name.
func TestHashedTerms(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	docs := ""
	for _, line := range []string{"ham lunch on friday", "spam cheap pills today", "ham see you on friday", "spam win cheap prizes"} {
		label, text, _ := strings.Cut(line, " ")
		docs += `{"id":"customer-` + text[:3] + `","label":"` + label + `","text":"` + text + `","categories":{"c":"readable"}}` + "\n"
	}
	for name, content := range map[string]string{
		"docs.jsonl": docs, "plain.yaml": "text: {}\ncategories: [{field: c}]\n", "hmac.yaml": "text: {terms: hmac}\ncategories: [{field: c}]\n",
		"key": strings.Repeat("k", 32), "other": strings.Repeat("o", 32), "open": strings.Repeat("k", 32), "short": "k",
	} {
		filetest.Write(t, in(name), content)
	}
	if err := os.Chmod(in("open"), 0o644); err != nil {
		t.Fatal(err)
	}
	key := "--terms-key-file=" + in("key")
	must := func(args ...string) string {
		t.Helper()
		code, out, said := ends(t, nil, args...)
		if code != 0 {
			t.Fatalf("%s: code %d\n%s", strings.Join(args, " "), code, said)
		}
		return out
	}
	refused := func(says string, args ...string) {
		t.Helper()
		if code, _, said := ends(t, nil, args...); code != 2 || !strings.Contains(said, says) {
			t.Errorf("%s: code %d, want 2 and %q, got\n%s", strings.Join(args, " "), code, says, said)
		}
	}
	plain, hashed := "--model="+in("plain.db"), "--model="+in("hashed.db")
	must("train", plain, "--spec="+in("plain.yaml"), in("docs.jsonl"))
	must("train", hashed, "--spec="+in("hmac.yaml"), key, in("docs.jsonl"))
	for _, verb := range [][]string{{"predict", "--why", "--text=cheap lunch, cheap prizes"}, {"inspect", "--term=prizes"}, {"predict", in("docs.jsonl")}} {
		want := must(append(verb, plain)...)
		got := must(append(verb, hashed, key)...)
		if verb[0] == "inspect" { // which shows how the counts know the word
			_, want, _ = strings.Cut(want, " ")
			_, got, _ = strings.Cut(got, " ")
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s of hashed terms:\n%s\nof plain terms:\n%s", verb[0], got, want)
		}
		refused("name its file with --terms-key-file", append(verb, hashed)...)
		refused("holds the key", append(verb, hashed, "--terms-key-file="+in("other"))...)
		refused("chmod o-rwx", append(verb, hashed, "--terms-key-file="+in("open"))...)
		refused("too short", append(verb, hashed, "--terms-key-file="+in("short"))...)
		refused("text.terms is plain", append(verb, plain, key)...)
	}
	shown, exported := must("inspect", hashed), must("export", hashed)
	for _, word := range []string{"friday", "cheap", "prize"} {
		if strings.Contains(shown+exported, word) || !strings.Contains(must("inspect", plain), word) {
			t.Errorf("%q is shown without the key:\n%s%s", word, shown, exported)
		}
	}
	if !strings.Contains(shown, "terms      hashes with the key") || !strings.Contains(shown, "readable") {
		t.Errorf("inspect shows\n%s", shown)
	}
	refused("name its file", "train", "--model="+in("new.db"), "--spec="+in("hmac.yaml"), in("docs.jsonl"))
	refused("holds the key", "train", hashed, "--terms-key-file="+in("other"), in("docs.jsonl"))
	must("train", "--again", hashed, key, in("docs.jsonl"))
	must("eval", "--cv=2", "--spec="+in("hmac.yaml"), in("docs.jsonl"))
}
