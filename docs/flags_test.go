package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"bayestream/internal/config"

	"github.com/alecthomas/kong"
)

// settings returns the flags of the worker whose configuration it is given a pointer to.
func settings(t *testing.T, worker any) []string {
	t.Helper()
	k, err := kong.New(worker, kong.NoDefaultHelp(), kong.Vars{"group": "", "state": "", "http": ""})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"config", "help", "version"}
	for _, flag := range k.Model.Flags {
		names = append(names, flag.Name)
	}
	if !slices.Contains(names, "brokers") {
		t.Fatalf("%T has the flags %q: --brokers is not among them", worker, names)
	}
	return names
}

// verbFlags returns the flags of all verbs: fields of structs in cmd/bayestream that have a help text.
func verbFlags(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "cmd", "bayestream", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"help", "version"}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				names = append(names, flagNames(field)...)
			}
			return true
		})
	}
	if !slices.Contains(names, "once") {
		t.Fatalf("the verbs have the flags %q: --once of the demo is not among them", names)
	}
	return names
}

// flagNames returns the flags that kong makes of a field.
func flagNames(field *ast.Field) []string {
	text, err := strconv.Unquote(field.Tag.Value)
	tag := reflect.StructTag(text)
	if _, has := tag.Lookup("help"); err != nil || !has {
		return nil
	}
	if name := tag.Get("name"); name != "" {
		return []string{name}
	}
	var names []string
	for _, n := range field.Names {
		names = append(names, dashed(n.Name))
	}
	return names
}

// dashed returns OnBad as on-bad.
func dashed(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var (
	flagged = regexp.MustCompile(`(?:^|[\s("'=])--([a-z][a-z0-9-]*)`)
	ours    = regexp.MustCompile(`^(?:\S+=\S* )*(?:go run \./cmd/)?(ingest|classify|bayestream)(?: ([a-z]+))?\b`)
)

// TestFlags looks for the flags that documents name: those of a command line with its program, others with any.
// Command lines of other programs are passed over.
func TestFlags(t *testing.T) {
	ingest, classify, verbs := settings(t, &config.Ingest{}), settings(t, &config.Classify{}), verbFlags(t)
	anyone := slices.Concat(ingest, classify, verbs, []string{"name"}) // --name stands for any flag in docs/configuration.md
	checked := 0
	check := func(document, text string, known []string) {
		for _, m := range flagged.FindAllStringSubmatch(text, -1) {
			checked++
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s: there is no flag --%s, in: %s", document, m[1], text)
			}
		}
	}
	command := func(document, line string) {
		switch m := ours.FindStringSubmatch(line); {
		case m == nil:
			return // another program
		case slices.Contains(m[1:], "ingest"):
			check(document, line, ingest)
		case slices.Contains(m[1:], "classify"):
			check(document, line, classify)
		default:
			check(document, line, verbs)
		}
	}
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			for line := range strings.SplitSeq(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
				command(d.name, strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			}
		}
		for _, word := range d.spans() {
			if strings.HasPrefix(word, "-") {
				check(d.name, word, anyone)
			} else {
				command(d.name, word)
			}
		}
		check(d.name, span.ReplaceAllString(d.prose, "code"), anyone)
	}
	if checked < 150 {
		t.Errorf("checked %d flags, want at least 150", checked)
	}
}

// testVariables are read by tests.
var testVariables = []string{"BAYESTREAM_DATA", "BAYESTREAM_VECTORS", "BAYESTREAM_KAFKA", "BAYESTREAM_KAFKA_DIR"}

// TestVariables looks for the variables of the environment that documents name.
func TestVariables(t *testing.T) {
	known := slices.Clone(testVariables)
	for _, flag := range slices.Concat(settings(t, &config.Ingest{}), settings(t, &config.Classify{})) {
		known = append(known, "BAYESTREAM_"+strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
	}
	name := regexp.MustCompile(`\bBAYESTREAM_[A-Z][A-Z_]*[A-Z]`)
	checked := 0
	for _, d := range documents(t) {
		text := d.prose
		for _, b := range d.blocks {
			text += b.text
		}
		for _, word := range name.FindAllString(text, -1) {
			checked++
			if !slices.Contains(known, word) {
				t.Errorf("%s names %s: no program reads it", d.name, word)
			}
		}
	}
	if checked < 50 {
		t.Errorf("checked %d variables, want at least 50", checked)
	}
}

// TestMetrics compares the metrics that documents name with those that the workers export, and wants each of
// these explained in docs/operations.md.
func TestMetrics(t *testing.T) {
	exported := map[string]bool{}
	line := regexp.MustCompile(`(?m)^(bayestream_\w+) (\w+)`)
	for _, m := range line.FindAllStringSubmatch(read(t, filepath.Join(root, "internal", "httpapi", "testdata", "metrics.txt")), -1) {
		exported[m[1]] = true
	}
	if len(exported) < 30 {
		t.Fatalf("found %d metrics, want at least 30", len(exported))
	}
	name := regexp.MustCompile(`\bbayestream_[a-z_]+[a-z]`)
	for _, d := range documents(t) {
		for _, word := range name.FindAllString(d.prose, -1) {
			if !exported[word] {
				t.Errorf("%s names the metric %s, which no worker exports", d.name, word)
			}
		}
	}
	operations := one(t, "docs/operations.md")
	explained := operations.spans()
	for metric := range exported {
		if !slices.Contains(explained, metric) {
			t.Errorf("docs/operations.md does not say what %s means", metric)
		}
	}
}
