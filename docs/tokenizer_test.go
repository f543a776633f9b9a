package docs

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/tokenize"

	"github.com/google/go-cmp/cmp"
)

// TestTokenizer computes the tables of examples in tokenizer.md again. A row of code spans is read
// by its table: step and result, text and terms, or option, text and terms.
func TestTokenizer(t *testing.T) {
	page := one(t, "docs/tokenizer.md")
	table := ""
	example := map[string][]string{}
	for line := range strings.Lines(page.prose) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			table = ""
		case table == "":
			table = strings.Join(cells, ",")
		case strings.HasPrefix(line, "|---"):
		case table == "step,result":
			example[cells[0]] = examples(cells[1])
		case table == "text,terms,why":
			compareTerms(t, "", cells[0], cells[1])
		case table == "option,text,terms":
			compareTerms(t, examples(cells[0])[0], cells[1], cells[2])
		}
	}
	compareSteps(t, example)
}

// examples returns the code spans of a cell, in which ␣ stands for a space.
func examples(cell string) (found []string) {
	for _, m := range span.FindAllStringSubmatch(cell, -1) {
		found = append(found, strings.ReplaceAll(m[1], "␣", " "))
	}
	return found
}

func compareTerms(t *testing.T, option, textCell, termCell string) {
	t.Helper()
	text := examples(textCell)[0]
	var got []string
	documented(t, option).Scan([]byte(text), "", func(term []byte) { got = append(got, string(term)) })
	if diff := cmp.Diff(examples(termCell), got); diff != "" {
		t.Errorf("docs/tokenizer.md: terms of %q with %q (-documented +real):\n%s", text, option, diff)
	}
}

// compareSteps compares the worked example.
func compareSteps(t *testing.T, example map[string][]string) {
	t.Helper()
	steps := documented(t, "").Steps(&tokenize.Segment{Text: []byte(example["bytes"][0])})
	if len(steps) != len(example) {
		t.Errorf("docs/tokenizer.md shows %d steps, there are %d", len(example), len(steps))
	}
	for _, step := range steps {
		if diff := cmp.Diff(example[step.Name], step.Items); diff != "" {
			t.Errorf("docs/tokenizer.md: step %q (-documented +real):\n%s", step.Name, diff)
		}
	}
}

// documented returns the scanner of a spec with an option as the document writes it: in YAML.
func documented(t *testing.T, option string) *tokenize.Scanner {
	t.Helper()
	var yaml bytes.Buffer
	fmt.Fprintf(&yaml, "name: documented\ntext: {field: text, %s}\n", option)
	s, err := spec.Parse(yaml.Bytes())
	if err != nil {
		t.Fatalf("spec with %q: %v", option, err)
	}
	tokenizer, err := s.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer.NewScanner()
}
