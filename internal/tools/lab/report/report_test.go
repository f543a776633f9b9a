package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/evaluate"
)

func scores(t *testing.T, classes []string, n int) (*evaluate.Scores, *evaluate.Report, []evaluate.Progress) {
	t.Helper()
	s := evaluate.NewScores(evaluate.Options{})
	track := evaluate.NewTracker(5)
	for i := range n {
		o := &evaluate.Outcome{Truth: classes[i%len(classes)], Label: classes[(i*i)%len(classes)], Classes: classes}
		total := 0.0
		for j := range classes {
			total += float64(1 + (i*7+j*3)%5)
		}
		for j := range classes {
			o.LogPosterior = append(o.LogPosterior, math.Log(float64(1+(i*7+j*3)%5)/total))
		}
		if err := errors.Join(s.Add(o), track.Add(o)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s, r, track.Trace()
}

func write(t *testing.T, e *Evaluation) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tag = regexp.MustCompile(`(?s)<svg viewBox="0 0 400.*?</svg>`)

// The pictures are well-formed and have finite numbers only, and the page loads nothing from the
// network.
func TestPage(t *testing.T) {
	for name, c := range map[string]struct {
		classes        []string
		n              int
		pictures, rocs int
	}{
		"two":      {[]string{"ham", "<spam>"}, 40, 6, 1},
		"enough":   {[]string{"ham", "<spam>"}, 250, 8, 1}, // to show what a reject option leaves, and costs
		"many":     {[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 100, 6, colors},
		"one":      {[]string{"a"}, 3, 4, 0},
		"a moment": {[]string{"a", "b", "c"}, 1, 4, 0},
	} {
		e := &Evaluation{
			Title: "T & <t>", Facts: []Fact{{"divided", "in <folds>", false}, {"command", "report '<x>'", true}}, Spec: "name: <x>", Curve: curve(),
			Top: []Class{{Name: c.classes[0], Documents: 3, Terms: []Term{{"<b>", 4, 5, 1.5}, {"x", 2, 2, 1}}}},
		}
		e.Scores, e.Report, e.Trace = scores(t, c.classes, c.n)
		text := write(t, e)
		if again := write(t, e); again != text {
			t.Errorf("%s: two pages of one evaluation differ", name)
		}
		for _, bad := range []string{"<script", "http://", "https://", "url(", "@import", "src=", "<spam>", "<b>:", "<folds>", "'<x>'", "ZgotmplZ", "NaN", "Inf", ">-0<"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
		pictures := tag.FindAllString(text, -1)
		if len(pictures) != c.pictures {
			t.Errorf("%s: %d pictures, want %d", name, len(pictures), c.pictures)
		}
		for _, p := range pictures {
			wellFormed(t, name, p)
			if !strings.Contains(p, "<title id=") || !strings.Contains(p, "<desc id=") {
				t.Errorf("%s: a picture has no title or description: %.200s", name, p)
			}
		}
		if got := strings.Count(section(text, "roc"), `<path class="curve c`) / 2; got != c.rocs { // and in the legend
			t.Errorf("%s: the ROC has %d curves, want %d", name, got, c.rocs)
		}
		if told := strings.Contains(section(text, "roc"), oneClass); told != (c.rocs == 0) {
			t.Errorf("%s: the ROC of %d curves says why it is not drawn: %v", name, c.rocs, told)
		}
	}
}

// section returns the part of a page with a chart.
func section(text, id string) string {
	_, text, _ = strings.Cut(text, `id="`+id+`">`)
	text, _, _ = strings.Cut(text, "</section>")
	return text
}

func TestPageOfNoDocuments(t *testing.T) {
	e := &Evaluation{Title: "none", CurveWhy: "Not drawn: too few.", PlaneWhy: "No plane."}
	e.Scores, e.Report, _ = scores(t, nil, 0)
	text := write(t, e)
	for _, want := range []string{"No documents were tested, so there is nothing to score.", "Not drawn: too few.", "No plane."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "NaN") || tag.MatchString(text) {
		t.Error("there is a picture, or a number, of nothing")
	}
}

func wellFormed(t *testing.T, name, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, svg)
		}
	}
}
