package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

var update = flag.Bool("update", false, "write the golden files and docs/configuration.md again")

// environment is a Lookup in a map.
type environment map[string]string

func (e environment) lookup(name string) (string, bool) {
	value, set := e[name]
	return value, set
}

// write makes a file and returns its name.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "settings.yaml")
	filetest.Write(t, name, text)
	return name
}

// problems returns the sentences of a *UsageError.
func problems(t *testing.T, err error) []string {
	t.Helper()
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Fatalf("got %v, want a *UsageError", err)
	}
	return usage.Problems
}

// answered returns the text of an Answer.
func answered(t *testing.T, err error) string {
	t.Helper()
	var answer Answer
	if !errors.As(err, &answer) {
		t.Fatalf("got %v, want an Answer", err)
	}
	return string(answer)
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		filetest.Write(t, name, got)
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if got == string(want) {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s:%d differs; if that is intended, go test -update writes it again\ngot  %s\nwant %s", name, i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%s has %d lines, the new text %d; if that is intended, go test -update writes it again", name, len(wantLines), len(gotLines))
}
