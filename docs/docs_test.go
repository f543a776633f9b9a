// Package docs holds the project's documents. Its tests read them beside the code and find what is not, or no
// longer, true: links, names, flags, metrics, sentences, and numbers, which are computed again.
package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
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

// documents returns all that are tested: those of this folder and those that stand in the root and in deploy.
func documents(t *testing.T) []document {
	t.Helper()
	var found []document
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*.md"} {
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
	if len(found) < 8 {
		t.Fatalf("found %d documents: the checks would hold for want of anything to check", len(found))
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
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
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
	followed := 0
	for _, d := range all {
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(d.prose, "code"), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			followed++
			file := d.name
			if target != "" {
				file = path.Join(path.Dir(d.name), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s links to %s, which is not there", d.name, m[1])
				continue
			}
			if known, ok := anchors[file]; anchor != "" && (!ok || !slices.Contains(known, anchor)) {
				t.Errorf("%s links to %s: %s has no heading with that anchor; it has %q", d.name, m[1], file, known)
			}
		}
	}
	if followed < 40 {
		t.Errorf("followed %d links, want at least 40", followed)
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

// TestJSON reads every JSON example, and adds up every decision among them.
func TestJSON(t *testing.T) {
	values, decisions := 0, 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.language != "json" {
				continue
			}
			for i, v := range objects(t, d.name, b.text) {
				values++
				if _, has := v["margin"]; has {
					decisions++
					if err := addsUp(v); err != nil {
						t.Errorf("%s, value %d of the block\n%s%v", d.name, i, b.text, err)
					}
				}
			}
		}
	}
	if values < 10 || decisions < 3 {
		t.Errorf("found %d JSON values and %d decisions, want at least 10 and 3", values, decisions)
	}
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

// roundings is how far off the sum of a decision may be whose numbers were cut to four decimals.
const roundings = 5e-4

// addsUp checks prior[label] - prior[runner-up] + evidence + rest = margin.
func addsUp(v map[string]any) error {
	var d struct {
		Label    string
		Margin   float64
		Prior    map[string]float64
		Log      map[string]float64 `json:"log_posterior"`
		Evidence []struct{ Weight float64 }
		Rest     float64
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return fmt.Errorf("not a decision: %w", err)
	}
	runnerUp := ""
	for c, lp := range d.Log {
		if c != d.Label && (runnerUp == "" || lp > d.Log[runnerUp]) {
			runnerUp = c
		}
	}
	sum := d.Prior[d.Label] - d.Prior[runnerUp] + d.Rest
	for _, e := range d.Evidence {
		sum += e.Weight
	}
	if math.Abs(sum-d.Margin) > roundings {
		return fmt.Errorf("prior, evidence and rest add up to %v, the margin is %v", sum, d.Margin)
	}
	if got := d.Log[d.Label] - d.Log[runnerUp]; math.Abs(got-d.Margin) > roundings {
		return fmt.Errorf("the log posteriors differ by %v, the margin is %v", got, d.Margin)
	}
	return nil
}
