package docs

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/demo/news"
)

// classifier is a model, learned and asked without a broker.
type classifier struct {
	t       testing.TB
	model   *model.Model
	extract *model.Extractor
	scorer  *model.Scorer
	decoder *wire.Decoder
}

func newClassifier(t testing.TB, yaml string) *classifier {
	t.Helper()
	s := modeltest.Spec(t, yaml)
	extract, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	return &classifier{t: t, model: model.New(s), extract: extract, scorer: model.NewScorer(),
		decoder: wire.NewDecoder(wire.SchemaOf(s))}
}

func (c *classifier) features(in *model.Input) *model.Features {
	c.t.Helper()
	f := new(model.Features)
	c.extract.Extract(f, in)
	return f
}

// learn counts a training record weight times.
func (c *classifier) learn(record string, weight int64) {
	c.t.Helper()
	var training wire.Training
	if err := c.decoder.Training(&stream.Record{Value: []byte(record)}, &training); err != nil {
		c.t.Fatal(err)
	}
	b := model.NewBuilder(c.model.Spec())
	b.Observe(training.Label, weight, c.features(&training.Input))
	if err := c.model.Apply(b.Delta()); err != nil {
		c.t.Fatal(err)
	}
}

// row returns the line of the tour's table that shows the terms of a record.
func (c *classifier) row(record string) string {
	c.t.Helper()
	var document wire.Document
	if err := c.decoder.Body([]byte(record), &document); err != nil {
		c.t.Fatal(err)
	}
	text := string(document.Input.Segments[0].Text)
	f := c.features(&document.Input)
	var terms []string
	for i := range f.Bag.Len() {
		term := string(f.Bag.Term(i))
		if n := f.Bag.Count(i); n > 1 {
			term = fmt.Sprintf("%s (%d)", term, n)
		}
		terms = append(terms, term)
	}
	return fmt.Sprintf("| %s | %s |", text, strings.Join(terms, ", "))
}

// decide answers the body of a request as classify does.
func (c *classifier) decide(body string, offset int64) map[string]any {
	c.t.Helper()
	var document wire.Document
	if err := c.decoder.Body([]byte(body), &document); err != nil {
		c.t.Fatal(err)
	}
	var d model.Decision
	c.scorer.Decide(&d, c.model, c.features(&document.Input), document.ID, model.Options{Evidence: 10})
	c.extract.SetWords(&d, &document.Input)
	d.ModelInfo.Offset = offset
	var v map[string]any
	if err := json.Unmarshal(new(wire.DecisionEncoder).Append(nil, document.ID, wire.Source{}, &d), &v); err != nil {
		c.t.Fatal(err)
	}
	return v
}

// TestTour learns the records of the tour and compares the decision with the one that stands there,
// and takes back what the tour takes back.
func TestTour(t *testing.T) {
	tour := one(t, "docs/tour.md")
	var stories []string
	var document, decision string
	var printed map[string]any
	textbook := ""
	for _, b := range tour.blocks {
		if b.language == "yaml" {
			textbook = b.text
		}
		if b.language != "json" {
			continue
		}
		switch v := objects(t, tour.name, b.text)[0]; {
		case v["margin"] != nil:
			decision, printed = b.text, v
		case v["label"] != nil:
			stories = strings.Split(strings.TrimSpace(b.text), "\n")
		case v["text"] != nil:
			document = b.text
		}
	}
	if len(stories) != 3 || document == "" || decision == "" {
		t.Fatalf("the tour has %d stories, the document %q and the decision %q", len(stories), document, decision)
	}
	c := newClassifier(t, textbook)
	for _, s := range stories {
		if row := c.row(s); !strings.Contains(tour.prose, row) {
			t.Errorf("the tour should have the row %q", row)
		}
		c.learn(s, 1)
	}
	got := c.decide(document, 1)
	same(t, "docs/tour.md", "", got, printed, 1e-12)
	c.learn(stories[1], -1)
	odds := math.Exp(number(t, c.decide(document, 2), "margin"))
	if want := fmt.Sprintf("odds %.0f, posterior %.1f", odds, odds/(1+odds)); !strings.Contains(tour.prose, want) {
		t.Errorf("without the second story the tour should say %q", want)
	}
}

func number(t *testing.T, v map[string]any, key string) float64 {
	t.Helper()
	f, ok := v[key].(float64)
	if !ok {
		t.Fatalf("%s is %v, want a number", key, v[key])
	}
	return f
}

// same compares JSON values, numbers within a tolerance.
func same(t *testing.T, document, at string, got, printed any, tolerance float64) {
	t.Helper()
	switch p := printed.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(p) {
			t.Errorf("%s: %s is %v, the code says %v", document, at, printed, got)
			return
		}
		for key := range p {
			same(t, document, at+"."+key, g[key], p[key], tolerance)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(p) {
			t.Errorf("%s: %s is %v, the code says %v", document, at, printed, got)
			return
		}
		for i := range p {
			same(t, document, fmt.Sprintf("%s[%d]", at, i), g[i], p[i], tolerance)
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-p) > tolerance {
			t.Errorf("%s: %s is %v, the code says %v", document, at, printed, got)
		}
	default:
		if got != printed {
			t.Errorf("%s: %s is %v, the code says %v", document, at, printed, got)
		}
	}
}

// What the decision of the quickstart was made with: the stories of the demo, their seed, and how
// many are learned at once.
const (
	stories = 2000
	inBlock = 100
	seed    = 1
)

// TestQuickstartDecision compares the decision in the quickstart, whose numbers are cut to four
// decimals, with the decision of a model that has learned the stories of the demo.
func TestQuickstartDecision(t *testing.T) {
	quickstart := one(t, "docs/quickstart.md")
	body := regexp.MustCompile(`curl --json '([^']+)'`).FindStringSubmatch(quickstart.prose)
	if body == nil {
		t.Fatal("the quickstart asks nothing with curl")
	}
	c := newClassifier(t, "")
	c.learnNews()
	for _, b := range quickstart.blocks {
		if b.language != "json" {
			continue
		}
		printed := objects(t, quickstart.name, b.text)[0]
		info, ok := printed["model"].(map[string]any)
		if !ok {
			t.Fatal("the decision in the quickstart names no model")
		}
		offset := number(t, info, "offset") // depends on how the records came in batches
		same(t, quickstart.name, "", c.decide(body[1], int64(offset)), printed, 5.1e-5)
		return
	}
	t.Fatal("the quickstart has no JSON")
}

// learnNews learns the stories as the demo does, in blocks, and scores each before its block is
// learned.
func (c *classifier) learnNews() {
	c.t.Helper()
	generator := news.New(seed)
	r := race.NewState(race.Of(c.model.Spec()))
	scorer := model.NewRaceScorer(r.List())
	for range stories / inBlock {
		b := model.NewBuilder(c.model.Spec())
		sums := race.NewSums(len(r.List().Scored()))
		for range inBlock {
			story := generator.Next()
			f := c.features(&model.Input{Segments: []model.Segment{{Text: []byte(story.Text)}}})
			scorer.Add(sums, r, c.model, f, story.Label)
			b.Observe(story.Label, 1, f)
		}
		if err := c.model.Apply(b.Delta()); err != nil {
			c.t.Fatal(err)
		}
		r.Fold(r.List().Fingerprint(), sums)
		c.model.Lead(r)
	}
}

// TestTourFiles looks for the files that the tour names, below internal, one of its layers, or in
// the root.
func TestTourFiles(t *testing.T) {
	tour := one(t, "docs/tour.md")
	for _, name := range tour.spans() {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		exists := slices.ContainsFunc([]string{"", "internal", "internal/core", "internal/shell"}, func(folder string) bool {
			_, err := os.Stat(filepath.Join(root, folder, filepath.FromSlash(name)))
			return err == nil
		})
		if !exists {
			t.Errorf("the tour names %s, which does not exist", name)
		}
	}
}

// TestTourQuotes looks for the code that the tour shows in the files of the two steps.
func TestTourQuotes(t *testing.T) {
	steps := read(t, filepath.Join(root, "internal/shell/ingest/step.go")) + read(t, filepath.Join(root, "internal/shell/classify/step.go"))
	quoted := strings.Split(read(t, filepath.Join(root, "docs/tour.md")), "```go\n")[1:]
	if len(quoted) != 2 {
		t.Errorf("the tour quotes %d functions, want the step of ingest and that of classify", len(quoted))
	}
	for _, quote := range quoted {
		code, _, _ := strings.Cut(quote, "```")
		if !strings.Contains(steps, code) {
			t.Errorf("the tour shows code that no step has:\n%s", code)
		}
	}
}
