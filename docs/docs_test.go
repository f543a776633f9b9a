// Package docs holds the project's documents. Its tests follow their links, compare the metrics
// with those that are exported, and run the tour, the toolbox and the quickstart's decision.
package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"bayestream/internal/testing/filetest"
)

// root is the module's folder, seen from this one.
const root = ".."

// document is a Markdown file.
type document struct {
	name   string // from the root, with slashes
	prose  string // what is not in fenced blocks
	blocks []block
}

// block is a fenced block.
type block struct{ language, text string }

// documents returns all that are tested: those of this folder, of decisions, of the root, and of
// deploy, bench and test.
func documents(t *testing.T) []document {
	t.Helper()
	var found []document
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "deploy/*.md", "bench/*.md", "test/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, parse(filepath.ToSlash(rel), read(t, name)))
		}
	}
	return found
}

// one returns the document of a name.
func one(t *testing.T, name string) document {
	t.Helper()
	return parse(name, read(t, filepath.Join(root, filepath.FromSlash(name))))
}

func read(t *testing.T, name string) string {
	t.Helper()
	b := filetest.Read(t, name)
	return string(b)
}

func parse(name, text string) document {
	d := document{name: name}
	var prose, inside strings.Builder
	fenced, language := false, ""
	for line := range strings.Lines(text) {
		mark, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && fenced:
			d.blocks = append(d.blocks, block{language, inside.String()})
			inside.Reset()
			fenced = false
		case isFence:
			fenced, language = true, mark
		case fenced:
			inside.WriteString(line)
		default:
			prose.WriteString(line)
		}
	}
	d.prose = prose.String()
	return d
}

var span = regexp.MustCompile("`([^`\n]+)`")

// spans returns the pieces of code within the prose.
func (d *document) spans() []string {
	var found []string
	for _, m := range span.FindAllStringSubmatch(d.prose, -1) {
		found = append(found, m[1])
	}
	return found
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks follows every link to a file and to a heading.
func TestLinks(t *testing.T) {
	all := documents(t)
	anchors := map[string][]string{}
	for _, d := range all {
		anchors[d.name] = headings(d.prose)
	}
	for _, d := range all {
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(d.prose, "code"), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			file := d.name
			if target != "" {
				file = path.Join(path.Dir(d.name), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s links to %s, which does not exist", d.name, m[1])
				continue
			}
			if known, ok := anchors[file]; anchor != "" && (!ok || !slices.Contains(known, anchor)) {
				t.Errorf("%s links to %s: %s has no heading with that anchor; it has %q", d.name, m[1], file, known)
			}
		}
	}
}

var heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)

// headings returns the anchors that GitHub gives to the headings of a text.
func headings(text string) []string {
	var anchors []string
	seen := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))
		if n := seen[anchor]; n > 0 {
			anchors = append(anchors, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			anchors = append(anchors, anchor)
		}
		seen[anchor]++
	}
	return anchors
}

// objects returns the JSON objects of a block, one after the other.
func objects(t *testing.T, name, text string) []map[string]any {
	t.Helper()
	var found []map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var v map[string]any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s: %v in\n%s", name, err, text)
			break
		}
		found = append(found, v)
	}
	if len(found) == 0 {
		t.Errorf("%s: a JSON block holds no value:\n%s", name, text)
	}
	return found
}
