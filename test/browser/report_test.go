//go:build browser

package browser

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/bench/labelled"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/demo/news"
)

// report runs the built bayestream eval --html and returns the address of the page.
func report(t *testing.T, args ...string) string {
	t.Helper()
	binary := needs(t, "BAYESTREAM_BINARY", "the built bayestream")
	path := filepath.Join(t.TempDir(), "page.html")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := exec.CommandContext(ctx, binary, append([]string{"eval", "--html=" + path}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("bayestream eval --html %q: %v\n%s", args, err, out)
	}
	return "file://" + path
}

func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	filetest.Write(t, path, content)
	return path
}

// stories are news that the project writes itself.
func stories(t testing.TB, n int) string {
	t.Helper()
	g := news.New(1)
	var lines []byte
	for range n {
		x := g.Next()
		lines = append(labelled.AppendTraining(lines, x.ID, x.Label, x.Text), '\n')
	}
	return file(t, "news.jsonl", string(lines))
}

// topics are texts of many classes with long names, the larger the lower their number; some words
// are long.
func topics(t *testing.T, classes int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for c := range classes {
		for range 4 + 2*(classes-c) {
			fmt.Fprintf(&b, `{"label": "department of topic number %d, with-a-name-that-nobody-would-ever-shorten", "text": "`, c)
			for range 6 {
				fmt.Fprintf(&b, "word%c%c ", 'a'+rng.IntN(8)+c%5, 'a'+rng.IntN(20))
			}
			fmt.Fprintf(&b, `donaudampfschifffahrtsgesellschaftskapitaen%c"}`+"\n", 'a'+c%26)
		}
	}
	return file(t, "topics.jsonl", b.String())
}

// clouds are points of classes of different size, spread and direction in a plane.
func clouds(t *testing.T, classes, n int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, uint64(classes)))
	var b strings.Builder
	b.WriteString("width_of_the_leaf_at_its_widest_place_mm,mass_g,label\n")
	for i := range n {
		c := float64(i % classes)
		u, v := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&b, "%.3f,%.5f,kind %c\n", 40+c*9+u*(3+c), 0.02+0.004*float64((i%classes)*(i%classes)%7)+0.002*(0.6*u+v), 'A'+i%classes)
	}
	return file(t, "clouds.csv", b.String())
}

func plane(t *testing.T, likelihood, more string) string {
	t.Helper()
	return "--spec=" + file(t, "plane.yaml", "name: leaves\nnumbers: [{fields: [width_of_the_leaf_at_its_widest_place_mm, mass_g], likelihood: "+likelihood+"}]\n"+more)
}

// TestReports makes reports of all kinds of data and checks how they look.
func TestReports(t *testing.T) {
	browser := open(t)
	for name, c := range map[string]struct {
		args   func(t *testing.T) []string
		charts string // that must be drawn
		says   string
	}{
		"folds of news":  {func(t *testing.T) []string { return []string{"--cv=5", stories(t, 400)} }, "roc pr reliability learning", "cross-validation with 5 folds"},
		"stream of news": {func(t *testing.T) []string { return []string{"--prequential", "--window=100", stories(t, 700)} }, "stream stream-loss roc pr reliability learning", "before it is learned"},
		"many classes":   {func(t *testing.T) []string { return []string{"--holdout=0.4", topics(t, 27)} }, "roc pr reliability learning", "only the 8 largest of 27"},
		"two documents": {func(t *testing.T) []string {
			return []string{"--loo", file(t, "two.jsonl", `{"text": "a", "label": "x"}`+"\n"+`{"text": "b", "label": "y"}`)}
		}, "roc pr reliability", "a learning curve needs at least 10"},
		"line":   {func(t *testing.T) []string { return []string{"--cv=5", plane(t, "lda", ""), clouds(t, 2, 80)} }, "regions roc pr reliability learning", "straight line"},
		"conics": {func(t *testing.T) []string { return []string{"--cv=5", plane(t, "qda", ""), clouds(t, 4, 200)} }, "regions roc pr reliability learning", "Decision regions"},
		"naive":  {func(t *testing.T) []string { return []string{"--loo", plane(t, "gaussian", ""), clouds(t, 3, 90)} }, "regions roc pr reliability learning", "Naive Gaussian"},
		"rejected": {func(t *testing.T) []string {
			return []string{"--cv=5", plane(t, "lda", "decision: {reject: 0.1}\n"), clouds(t, 3, 90)}
		}, "regions roc", "no decision costs less"},
		"crowd": {func(t *testing.T) []string { return []string{"--cv=3", plane(t, "lda", ""), clouds(t, 12, 2400)} }, "regions roc", "4 smaller classes"},
	} {
		t.Run(name, func(t *testing.T) {
			p := load(browser, t, report(t, c.args(t)...))
			p.draws(c.charts)
			if text := evaluate[string](p, "document.body.textContent"); !strings.Contains(text, c.says) {
				t.Errorf("the page does not say %q", c.says)
			}
			p.check()
		})
	}
}

type realReport struct {
	args   func(t *testing.T) []string
	charts string
}

// realReports are reports of public data: arguments and the charts that must be drawn.
func realReports() map[string]realReport {
	two := func(t *testing.T, x, y, likelihood string) string {
		return "--spec=" + file(t, "two.yaml", fmt.Sprintf("numbers: [{fields: [%s, %s], likelihood: %s}]", x, y, likelihood))
	}
	return map[string]realReport{
		"spam":        {func(t *testing.T) []string { return []string{"--cv=10", modeltest.Data(t, "sms_spam.jsonl.gz")} }, "roc pr reliability learning"},
		"spam stream": {func(t *testing.T) []string { return []string{"--prequential", modeltest.Data(t, "sms_spam.jsonl.gz")} }, "stream stream-loss roc"},
		"iris lda": {func(t *testing.T) []string {
			return []string{"--cv=10", two(t, "petal_length_cm", "petal_width_cm", "lda"), modeltest.Data(t, "iris.csv")}
		}, "regions roc learning"},
		"iris qda": {func(t *testing.T) []string {
			return []string{"--cv=10", two(t, "sepal_length_cm", "sepal_width_cm", "qda"), modeltest.Data(t, "iris.csv")}
		}, "regions roc learning"},
		"wine": {func(t *testing.T) []string {
			return []string{"--cv=10", two(t, "flavanoids", "od280_per_od315_of_diluted_wines", "qda"), modeltest.Data(t, "wine.csv")}
		}, "regions roc learning"},
	}
}

func checkRealReports(t *testing.T, reports map[string]realReport) {
	browser := open(t)
	for name, c := range reports {
		t.Run(name, func(t *testing.T) {
			p := load(browser, t, report(t, c.args(t)...))
			p.draws(c.charts)
			p.check()
		})
	}
}

// TestReportsOfRealData does the same with public data.
func TestReportsOfRealData(t *testing.T) { checkRealReports(t, realReports()) }

// draws compares the charts that have a picture with those that must have one, and looks at what is
// in them.
func (p *tab) draws(charts string) {
	p.t.Helper()
	for id := range strings.FieldsSeq(charts) {
		inside := func(selector string) float64 {
			return evaluate[float64](p, fmt.Sprintf(`document.querySelectorAll("#%s svg:not(.key) %s").length`, id, selector))
		}
		if inside("path") == 0 {
			p.t.Errorf("the chart %s is not drawn", id)
		}
		if id != "reliability" && evaluate[float64](p, fmt.Sprintf(`document.querySelectorAll("#%s .legend li").length`, id)) == 0 {
			p.t.Errorf("the chart %s has no legend", id)
		}
		if evaluate[float64](p, fmt.Sprintf(`document.querySelectorAll("#%s table tbody tr").length`, id)) == 0 {
			p.t.Errorf("the chart %s has no numbers", id)
		}
		if id == "regions" && (inside(".boundary") == 0 || inside(".sigma1") != inside(".sigma2") || inside(".sigma1") < 2 || inside(".region") < 2 || inside(".mark") < 2 || inside(".place") == 0) {
			p.t.Error("the decision regions lack boundaries, ellipses, fields, points or names")
		}
		if id == "learning" && (inside(".band") != 2 || inside(".mark") != 2) {
			p.t.Error("the learning curve lacks its spread or its marks")
		}
	}
}
