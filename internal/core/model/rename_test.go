package model_test

import (
	"errors"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/testing/modeltest"
)

// renamed returns a model with two classes, one of which has so many tokens.
func renamed(t *testing.T, tokens int64) *model.Model {
	t.Helper()
	s := spec.Default()
	b := model.NewBuilder(s)
	b.AddDocuments("a", 1)
	b.AddCount(0, "a", []byte("word"), tokens)
	b.AddDocuments("b", 1)
	b.AddCount(0, "b", []byte("word"), 2)
	m := model.New(s)
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	return m
}

// A rename that cannot be made changes nothing.
func TestRenameRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		tokens   int64
		from, to string
		rename   bool // the error is ErrRename
	}{
		"no such class":        {1, "c", "d", true},
		"the same name":        {1, "a", "a", true},
		"no name":              {1, "a", "", true},
		"a name with an ESC":   {1, "a", "\x1b[2J", true},
		"more than is counted": {counts.MaxCount - 1, "a", "b", false},
	} {
		m := renamed(t, c.tokens)
		was := modeltest.Dump(m)
		sum := m.Digest()
		err := m.Rename(c.from, c.to)
		if err == nil || errors.Is(err, model.ErrRename) != c.rename {
			t.Errorf("%s: %v", name, err)
		}
		if now := modeltest.Dump(m); now != was || m.Digest() != sum {
			t.Errorf("%s: the counts were\n%s\nand are\n%s", name, was, now)
		}
	}
}

// A class that moves to the name of another one is added to it; its own number is free again.
func TestRenameMerges(t *testing.T) {
	m := renamed(t, 3)
	if err := m.Rename("a", "b"); err != nil {
		t.Fatal(err)
	}
	m.Prepare()
	if got, want := modeltest.Dump(m), "class \"b\" 2\ntable 0 \"word\" \"b\":5\n"; got != want {
		t.Errorf("the counts are\n%s\nwant\n%s", got, want)
	}
	if m.Digest() != modeltest.PlainDigest(m) {
		t.Errorf("digest %d, computed from the counts %d", m.Digest(), modeltest.PlainDigest(m))
	}
	if _, ok := m.Classes().ID("a"); ok || m.Text().Check() != nil {
		t.Errorf("class a is left: %v, the table: %v", ok, m.Text().Check())
	}
}
