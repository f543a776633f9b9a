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

	"bayestream/internal/evaluate"
)

func scores(t *testing.T, classes []string, n int) (*evaluate.Scores, *evaluate.Report, []evaluate.Progress) {
	t.Helper()
	s, track := evaluate.NewScores(evaluate.Options{}), evaluate.NewTracker(evaluate.TrackerOptions{Window: 5})
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

var tag = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// The pictures are well-formed, hold finite numbers only, and the page asks the network for nothing.
func TestPage(t *testing.T) {
	for name, c := range map[string]struct {
		classes []string
		n       int
		curves  int
	}{
		"two":      {[]string{"ham", "<spam>"}, 40, 1},
		"many":     {[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 100, maxCurves},
		"one":      {[]string{"a"}, 3, 0},
		"a moment": {[]string{"a", "b", "c"}, 1, 0},
	} {
		s, r, trace := scores(t, c.classes, c.n)
		top := []Class{{Name: c.classes[0], Documents: 3, Terms: []Term{{"<b>", 4, 5, 1.5}, {"x", 2, 2, 1}}}}
		text := write(t, &Evaluation{Title: "T & <t>", Way: "folds", Spec: "name: <x>", Scores: s, Report: r, Trace: trace, Top: top})
		if again := write(t, &Evaluation{Title: "T & <t>", Way: "folds", Spec: "name: <x>", Scores: s, Report: r, Trace: trace, Top: top}); again != text {
			t.Errorf("%s: two pages of one evaluation differ", name)
		}
		for _, bad := range []string{"<script", "http://", "https://", "url(", "@import", "src=", "<spam>", "<b>:", "ZgotmplZ", "NaN", "Inf", ">-0<"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
		pictures := tag.FindAllString(text, -1)
		if len(pictures) != 4 {
			t.Errorf("%s: %d pictures, want 4", name, len(pictures))
		}
		for _, p := range pictures {
			wellFormed(t, name, p)
		}
		if got := strings.Count(pictures[1], `class="curve`); got != c.curves {
			t.Errorf("%s: the ROC has %d curves, want %d", name, got, c.curves)
		}
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

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{{0, 1, "0 0.2 0.4 0.6 0.8 1"}, {0.6, 1, "0.6 0.7 0.8 0.9 1"}, {0, 2225, "0 500 1000 1500 2000"}, {0, 2e6, "0 500k 1M 1.5M 2M"}, {1, 1, "1"}} {
		var got []string
		for _, v := range ticks(c.from, c.to) {
			got = append(got, short(v))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.from, c.to, s, c.want)
		}
	}
}

// A curve of many points is drawn by few, from its first to its last.
func TestPathLeavesOutWhatCannotBeSeen(t *testing.T) {
	c := newChart("", "", "", 1, 0)
	p := c.path(100_000, func(i int) (x, y float64) { return float64(i) / 99_999, 0.5 })
	if n := strings.Count(p, "L"); n > 1000 || !strings.HasPrefix(p, "M52 ") || !strings.HasSuffix(p, "L426 149") {
		t.Errorf("%d points, %.20s ... %s", n, p, p[max(0, len(p)-20):])
	}
}
