package tokenize_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayestream/internal/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tokenize"

	"github.com/google/go-cmp/cmp"
)

// TestDocument compares the tables of docs/tokenizer.md with the code. A row of code spans is read by its
// table: step and result, text and terms, or option, text and terms.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(modeltest.Root(), "docs", "tokenizer.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	table := ""
	example := map[string][]string{}
	for line := range strings.Lines(string(page)) {
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
			example[cells[0]] = spans(cells[1])
			seen[table]++
		case table == "text,terms,why":
			compareTerms(t, "", cells[0], cells[1])
			seen[table]++
		case table == "option,text,terms":
			compareTerms(t, spans(cells[0])[0], cells[1], cells[2])
			seen[table]++
		default:
			t.Errorf("docs/tokenizer.md has a table of %s, which this test does not read", table)
		}
	}
	for table, least := range map[string]int{"step,result": 7, "text,terms,why": 20, "option,text,terms": 11} {
		if seen[table] < least {
			t.Errorf("docs/tokenizer.md: read %d rows of tables of %s, want at least %d", seen[table], table, least)
		}
	}
	compareSteps(t, example)
}

// The defaults of these tests are those of the product.
func TestDefaultOptions(t *testing.T) {
	want, err := spec.Default().Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tokenize.DefaultOptions()); diff != "" {
		t.Errorf("default options (-spec +tests):\n%s", diff)
	}
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans returns the code spans of a cell.
func spans(cell string) (found []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		found = append(found, strings.ReplaceAll(m[1], "␣", " "))
	}
	return found
}

func compareTerms(t *testing.T, option, textCell, termCell string) {
	t.Helper()
	text := spans(textCell)[0]
	var got []string
	documented(t, option).Scan([]byte(text), "", func(term []byte) { got = append(got, string(term)) })
	if diff := cmp.Diff(spans(termCell), got); diff != "" {
		t.Errorf("docs/tokenizer.md: terms of %q with %q (-documented +real):\n%s", text, option, diff)
	}
}

// compareSteps compares the worked example.
func compareSteps(t *testing.T, example map[string][]string) {
	t.Helper()
	steps := documented(t, "").Steps([]byte(example["bytes"][0]))
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
	o, err := s.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := tokenize.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer.NewScanner()
}
