package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script returns what completion writes for a shell, in a file of a folder in which there are a few
// others.
func script(t *testing.T, shell string) (file string) {
	t.Helper()
	text, err := run(t, "--completion="+shell)
	dir := t.TempDir()
	file = filepath.Join(dir, "script")
	err = errors.Join(err, os.WriteFile(file, []byte(text), 0o600), os.WriteFile(filepath.Join(dir, "my spec.yaml"), nil, 0o600), os.Mkdir(filepath.Join(dir, "mails"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return file
}

// completions are command lines and what the tab key offers, the same in every shell. A value
// stands alone.
var completions = []struct {
	line string
	want []string
}{
	{"bayestream tra", []string{"train"}},
	{"bayestream co", []string{"compare", "console", "copy"}},
	{"bayestream help cop", []string{"copy"}},
	{"bayestream train --no", []string{"--no-stem"}},
	{"bayestream train --format=j", []string{"jsonl"}},
	{"bayestream train --format m", []string{"mail", "mbox"}},
	{"bayestream import --format=", []string{"bogoutil", "json"}},
	{"bayestream eval --seed=", nil},
	{"bayestream eval --spec=my", []string{"my spec.yaml"}},
	{"bayestream eval --cv=3 mai", []string{"mails"}},
	{"bayestream train --json m", []string{"mails", "my spec.yaml"}},
	{"bayestream classify --emi", []string{"--emit"}},
	{"bayestream classify --emit=ev", []string{"event"}},
}

// Bash completes: its own completion function is called as it calls it, with its own splitting at
// "=".
func TestBashCompletes(t *testing.T) {
	file := script(t, "bash")
	for _, c := range completions {
		words := strings.Split(strings.ReplaceAll(c.line, "=", " = "), " ")
		words = slices.DeleteFunc(words[:len(words)-1], func(w string) bool { return w == "" })
		last := c.line[strings.LastIndexAny(c.line, " =")+1:]
		if last == "" && strings.HasSuffix(c.line, "=") {
			words, last = words[:len(words)-1], "="
		}
		ask := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bayestream; ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"; true`
		out, err := exec.CommandContext(t.Context(), "bash", append([]string{"-c", ask, "bash", file}, append(words, last)...)...).CombinedOutput()
		compare(t, "bash", c.line, string(out), err, c.want)
	}
}

// compare compares what a shell offers, without what it says about each and without what stands
// before a value.
func compare(t *testing.T, shell, line, out string, err error, want []string) {
	t.Helper()
	var got []string
	for offer := range strings.Lines(out) {
		offer, _, _ = strings.Cut(strings.TrimSuffix(offer, "\n"), "\t")
		offer = strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(offer, `\ `, " "), "="), "/")
		if _, value, ok := strings.Cut(offer, "="); ok {
			offer = value
		}
		got = append(got, offer)
	}
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %q is completed by %q, want %q (%v)", shell, line, got, want, err)
	}
}
