package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// manyClasses is a decision as a model makes it, with classes of some likelihood and ten words.
func manyClasses(classes int, seed uint64) *model.Decision {
	r := rand.New(rand.NewPCG(seed, 1))
	d := &model.Decision{Status: model.StatusOK, Labelled: true, Tokens: 23, Known: 20, HasMargin: classes > 1, ModelInfo: twoClasses().ModelInfo}
	sum := 0.0
	for i := range classes {
		c := model.ClassScore{Name: fmt.Sprintf("a_class_as_they_are_%05d", i), Posterior: math.Exp(6 * r.NormFloat64()), LogPrior: -math.Log(float64(classes)) - r.ExpFloat64()}
		sum += c.Posterior
		d.Classes = append(d.Classes, c)
	}
	for i := range d.Classes {
		c := &d.Classes[i]
		c.Posterior /= sum
		c.LogPosterior = math.Log(c.Posterior)
	}
	for i := range 10 {
		d.Evidence = append(d.Evidence, model.Evidence{Term: strings.Repeat("w", 3+i), Count: 1, Weight: r.NormFloat64()})
	}
	compare(d, byPosterior(d.Classes))
	return d
}

// byPosterior returns the indexes of classes, the likeliest first.
func byPosterior(classes []model.ClassScore) (order []int) {
	for i := range classes {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(classes[b].Posterior, classes[a].Posterior) })
	return order
}

// compare sets the label of a decision to the first of the classes, and the runner-up to the
// second.
func compare(d *model.Decision, order []int) {
	label := d.Classes[order[0]]
	d.Label = label.Name
	if !d.HasMargin {
		return
	}
	runnerUp := d.Classes[order[1]]
	d.RunnerUp = runnerUp.Name
	d.Margin = label.LogPosterior - runnerUp.LogPosterior
	d.Rest = d.Margin - label.LogPrior + runnerUp.LogPrior
	for i := range d.Evidence {
		d.Rest -= d.Evidence[i].Weight
	}
}

// printed is a decision as it was printed.
type printed struct {
	Label        *string                `json:"label"`
	RunnerUp     *string                `json:"runner_up"`
	LogPosterior map[string]json.Number `json:"log_posterior"`
	Posterior    map[string]json.Number `json:"posterior"`
	Others       *struct {
		Classes   int         `json:"classes"`
		Posterior json.Number `json:"posterior"`
	} `json:"others"`
	Margin   *json.Number           `json:"margin"`
	Risk     map[string]json.Number `json:"risk"`
	Prior    map[string]json.Number `json:"prior"`
	Evidence []struct {
		Weight json.Number `json:"weight"`
	} `json:"evidence"`
	Rest json.Number `json:"rest"`
}

// fatal is a test of either kind.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// write writes a decision in a form and reads what was printed.
func write(t fatal, d *model.Decision, form Form) (printed, []byte) {
	t.Helper()
	e := DecisionEncoder{Form: form}
	value := e.Append(nil, "documents/0/42", Source{Topic: "documents", Offset: 42}, d)
	var p printed
	if err := json.Unmarshal(value, &p); err != nil {
		t.Fatalf("%v in %s", err, value)
	}
	return p, value
}

// rational returns a printed number.
func rational(t fatal, n json.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r
}

// TestFormClasses: the likeliest classes are listed, and always the label and the runner-up, which
// alone have logarithms. The others are counted, and their posterior has all its digits.
func TestFormClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := manyClasses(rapid.IntRange(1, 40).Draw(t, "classes"), rapid.Uint64().Draw(t, "seed"))
		d.HasRisk = rapid.Bool().Draw(t, "risk")
		order := byPosterior(d.Classes)
		if rapid.Bool().Draw(t, "by losses") {
			compare(d, rapid.Permutation(order).Draw(t, "order"))
		}
		most := rapid.IntRange(1, 45).Draw(t, "most")
		want := map[string]bool{d.Label: true}
		if d.HasMargin {
			want[d.RunnerUp] = true
		}
		logarithms := len(want)
		if len(d.Classes) <= most {
			logarithms = len(d.Classes)
		}
		for _, i := range order[:min(most, len(order))] {
			want[d.Classes[i].Name] = true
		}
		others, n := 0.0, 0
		for _, c := range d.Classes {
			if !want[c.Name] {
				others += c.Posterior
				n++
			}
		}
		p, value := write(t, d, Form{Classes: most})
		if len(p.Posterior) != len(want) || d.HasRisk && len(p.Risk) != len(want) || len(p.LogPosterior) != logarithms || len(p.Prior) != logarithms {
			t.Fatalf("want %d classes and %d with logarithms: %s", len(want), logarithms, value)
		}
		for name := range want {
			if _, ok := p.Posterior[name]; !ok {
				t.Fatalf("%s is missing: %s", name, value)
			}
		}
		if (p.Others != nil) != (n > 0) {
			t.Fatalf("%d classes are left out: %s", n, value)
		}
		if n > 0 {
			if got, _ := p.Others.Posterior.Float64(); p.Others.Classes != n || math.Abs(got-others) > 1e-12*others {
				t.Fatalf("want %d others with %v: %s", n, others, value)
			}
		}
	})
}

// TestFormFull: what has few classes, and what leaves none out, is written to the byte as it was
// before there were forms, but for the runner-up.
func TestFormFull(t *testing.T) {
	d := manyClasses(30, 1)
	_, full := write(t, d, Form{})
	if _, got := write(t, d, Form{Classes: 30}); !bytes.Equal(got, full) {
		t.Errorf("as many classes as there are:\n%s\nwant\n%s", got, full)
	}
	few := manyClasses(10, 1)
	_, full = write(t, few, Form{})
	if _, got := write(t, few, Form{Classes: DefaultClasses}); !bytes.Equal(got, full) {
		t.Errorf("ten classes:\n%s\nwant\n%s", got, full)
	}
	if n := bytes.Count(full, []byte("a_class_as_they_are")); n != 3*10+2 {
		t.Errorf("ten classes stand in it %d times: %s", n, full)
	}
}

// TestDigits: what is printed with a fixed number of digits adds up in decimals, and each number is
// next to what it is.
func TestDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := manyClasses(rapid.IntRange(1, 60).Draw(t, "classes"), rapid.Uint64().Draw(t, "seed"))
		for i := range d.Evidence {
			d.Evidence[i].Weight = rapid.Float64Range(-1000, 1000).Draw(t, "weight")
		}
		compare(d, rapid.Permutation(byPosterior(d.Classes)).Draw(t, "order"))
		form := Form{Classes: rapid.SampledFrom([]int{0, 1, 10}).Draw(t, "most"), Digits: rapid.IntRange(1, MaxDigits).Draw(t, "digits")}
		p, value := write(t, d, form)
		sum := new(big.Rat)
		for _, c := range p.Posterior {
			sum.Add(sum, rational(t, c))
		}
		if p.Others != nil {
			sum.Add(sum, rational(t, p.Others.Posterior))
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Fatalf("the posteriors add up to %s: %s", sum, value)
		}
		unit := math.Pow10(-form.Digits)
		near := func(what string, n json.Number, want, units float64) {
			if _, decimals, _ := strings.Cut(n.String(), "."); len(decimals) != form.Digits || strings.Contains(n.String(), "-0.") && strings.Trim(n.String(), "-0.") == "" {
				t.Fatalf("%s is %s, want %d digits: %s", what, n, form.Digits, value)
			}
			if got, _ := rational(t, n).Float64(); math.Abs(got-want) > units*unit+1e-12*math.Abs(want) {
				t.Fatalf("%s is %s, want %v: %s", what, n, want, value)
			}
		}
		for _, c := range d.Classes {
			if n, ok := p.Posterior[c.Name]; ok {
				near("a posterior", n, c.Posterior, 1)
			}
			if n, ok := p.Prior[c.Name]; ok {
				near("a prior", n, c.LogPrior, 0.5)
				near("a log posterior", p.LogPosterior[c.Name], c.LogPosterior, 0.5)
			}
		}
		if !d.HasMargin {
			return
		}
		near("the margin", *p.Margin, d.Margin, 1)
		near("the rest", p.Rest, d.Rest, 2+0.5*float64(len(d.Evidence)))
		sum = rational(t, p.Rest)
		sum.Add(sum, rational(t, p.Prior[d.Label]))
		sum.Sub(sum, rational(t, p.Prior[d.RunnerUp]))
		for i, e := range p.Evidence {
			near("a weight", e.Weight, d.Evidence[i].Weight, 0.5)
			sum.Add(sum, rational(t, e.Weight))
		}
		if margin := rational(t, *p.Margin); sum.Cmp(margin) != 0 {
			t.Fatalf("the parts add up to %s, and the margin is %s: %s", sum, margin, value)
		}
		logs := rational(t, p.LogPosterior[d.Label])
		if logs.Sub(logs, rational(t, p.LogPosterior[d.RunnerUp])).Cmp(sum) != 0 {
			t.Fatalf("the log posteriors differ by %s: %s", logs, value)
		}
	})
}

// TestDigitsOdd: an infinite number is null among digits, a document that no class can have has
// posteriors of 0, and a number too large for the digits leaves all in the shortest form.
func TestDigitsOdd(t *testing.T) {
	d := twoClasses()
	d.Evidence[0].Weight, d.Margin, d.Rest = math.Inf(1), math.Inf(1), 0
	d.Classes[0].LogPosterior, d.Classes[0].Posterior, d.Classes[1].Posterior = math.Inf(-1), 0, 1
	_, value := write(t, d, Form{Digits: 3})
	for _, want := range []string{`"log_posterior":{"ham":null,"spam":-0.002}`, `"posterior":{"ham":0.000,"spam":1.000}`, `"margin":null`, `"weight":null`, `"rest":0.000`} {
		if !bytes.Contains(value, []byte(want)) {
			t.Errorf("no %s in %s", want, value)
		}
	}
	impossible := &model.Decision{Status: model.StatusImpossible, Classes: []model.ClassScore{{Name: "a", LogPosterior: math.Inf(-1)}, {Name: "b", LogPosterior: math.Inf(-1)}}}
	_, value = write(t, impossible, Form{Classes: 1, Digits: 2})
	if want := `"label":null,"runner_up":null,"status":"impossible","log_posterior":{},"posterior":{"a":0.00},"others":{"classes":1,"posterior":0.00},"margin":null`; !bytes.Contains(value, []byte(want)) {
		t.Errorf("no %s in %s", want, value)
	}
	large := twoClasses()
	large.Evidence[0].Weight, large.Rest = 1e18, 6.3-1.86-1.1-1e18
	_, shortest := write(t, large, Form{})
	if _, value = write(t, large, Form{Digits: 2}); !bytes.Equal(value, shortest) {
		t.Errorf("got %s, want %s", value, shortest)
	}
}

// TestDigitsInHeaders: the confidence in headers has the digits that the posterior has in the
// decision.
func TestDigitsInHeaders(t *testing.T) {
	for seed := range uint64(20) {
		d, form := manyClasses(30, seed), Form{Classes: 10, Digits: 2}
		e, err := NewEmitter(EmitHeaders, "", form)
		if err != nil {
			t.Fatal(err)
		}
		var out stream.Record
		e.Append(nil, &out, incoming(), "id", d)
		p, value := write(t, d, form)
		if got, _ := lastHeader(out.Headers, "bayestream-confidence"); string(got) != p.Posterior[d.Label].String() {
			t.Errorf("got %s, want that of %s", got, value)
		}
	}
}

// TestDecisionSize: what a decision weighs with few and with many classes, with the default and
// with all of them. These are bytes of JSON; before there were forms each had those of the last
// column.
func TestDecisionSize(t *testing.T) {
	for _, c := range []struct{ classes, most, all int }{{2, 1_500, 1_500}, {77, 2_500, 13_000}, {1_000, 2_500, 150_000}, {10_000, 2_500, 1_500_000}} {
		d := manyClasses(c.classes, 7)
		_, value := write(t, d, Form{Classes: DefaultClasses})
		_, all := write(t, d, Form{})
		t.Logf("%6d classes: %8d bytes, with all %8d", c.classes, len(value), len(all))
		if len(value) > c.most || len(all) > c.all || len(all) < c.all/2 {
			t.Errorf("%d classes: %d bytes, want at most %d; all: %d, want some %d", c.classes, len(value), c.most, len(all), c.all)
		}
	}
}

// TestDecisionSizeOfLongLabels: with as many classes as a model may have, with labels as long as
// they may be, a decision fits into any topic.
func TestDecisionSizeOfLongLabels(t *testing.T) {
	d := manyClasses(10_000, 7)
	for i := range d.Classes {
		d.Classes[i].Name = strings.Repeat("l", 251) + d.Classes[i].Name[len(d.Classes[i].Name)-5:]
	}
	compare(d, byPosterior(d.Classes))
	if _, value := write(t, d, Form{Classes: DefaultClasses}); len(value) > 6_000 {
		t.Errorf("%d bytes, want at most 6,000", len(value))
	}
}

// TestFormAllocations: no form allocates.
func TestFormAllocations(t *testing.T) {
	d, src := manyClasses(1000, 1), Source{Topic: "documents", Offset: 42}
	for _, form := range []Form{{}, {Classes: 10}, {Classes: 10, Digits: 4}, {Digits: 6}} {
		e := DecisionEncoder{Form: form}
		buf := e.Append(nil, "documents/0/42", src, d)
		if n := testing.AllocsPerRun(20, func() { buf = e.Append(buf[:0], "documents/0/42", src, d) }); n != 0 {
			t.Errorf("%+v: %v allocations", form, n)
		}
	}
}

// TestParseForms: a decision of any form is read back, what it leaves out as NaN; one of an older
// version has its runner-up by the log posteriors.
func TestParseForms(t *testing.T) {
	d := manyClasses(30, 3)
	d.HasRisk = true
	for _, form := range []Form{{}, {Classes: 1}, {Classes: 10}, {Classes: 10, Digits: 5}} {
		p, value := write(t, d, form)
		got, err := ParseDecision(value)
		if err != nil {
			t.Fatal(err)
		}
		if got.Decision.Label != d.Label || got.Decision.RunnerUp != d.RunnerUp || len(got.Decision.Classes)+got.Others.Classes != 30 || len(got.Decision.Classes) != len(p.Posterior) {
			t.Errorf("%+v: %+v of %s", form, got, value)
		}
		for _, c := range got.Decision.Classes {
			_, hasLogs := p.Prior[c.Name]
			if math.IsNaN(c.LogPosterior) == hasLogs || math.IsNaN(c.LogPrior) == hasLogs || math.IsNaN(c.Posterior) {
				t.Errorf("%+v: %+v of %s", form, c, value)
			}
		}
	}
	_, value := write(t, d, Form{})
	older := bytes.Replace(value, []byte(`"runner_up":"`+d.RunnerUp+`",`), nil, 1)
	got, err := ParseDecision(older)
	if err != nil || len(older) == len(value) || got.Decision.RunnerUp != d.RunnerUp {
		t.Errorf("of an older version: %v, %+v", err, got)
	}
}

// TestShortenInEachMode: a decision gets smaller in each step, down to the label and the runner-up
// without evidence, and keeps its margin, its sum, and what the classes have together.
func TestShortenInEachMode(t *testing.T) {
	for mode, want := range map[string]string{
		EmitEvent: "fewer_classes fewer_classes no_evidence", EmitCloudEvents: "fewer_classes fewer_classes no_evidence",
		EmitEnrich: "fewer_classes fewer_classes no_evidence headers", EmitHeaders: "",
	} {
		e, in, out := emitter(t, mode), incoming(), stream.Record{}
		d := manyClasses(30, 5)
		e.Append(nil, &out, in, "id", d)
		headers := len(out.Headers)
		var steps []string
		for size := out.Size(); ; size = out.Size() {
			step := e.Shorten(&out, in)
			if step == "" {
				break
			}
			steps = append(steps, step)
			if out.Size() >= size {
				t.Fatalf("%s: %s makes %d bytes of %d", mode, step, out.Size(), size)
			}
			if value, _ := e.decisionIn(&out); step != ShortenedHeaders {
				checkSum(t, value, d, 30)
			}
		}
		if got := strings.Join(steps, " "); got != want {
			t.Errorf("%s: got %q, want %q", mode, got, want)
		}
		if mode != EmitEnrich && len(out.Headers) != headers {
			t.Errorf("%s: the headers changed: %v", mode, out.Headers)
		}
		if e.encoder.Form != (Form{}) {
			t.Errorf("%s: the form is %+v", mode, e.encoder.Form)
		}
	}
}

// checkSum adds up a decision that was written, on so many classes, and compares it with what it
// was.
func checkSum(t *testing.T, value []byte, d *model.Decision, classes int) {
	t.Helper()
	p, err := ParseDecision(value)
	if err != nil {
		t.Fatal(err)
	}
	sum, parts := p.Others.Posterior, p.Decision.Rest
	for _, c := range p.Decision.Classes {
		sum += c.Posterior
		switch c.Name {
		case d.Label:
			parts += c.LogPrior
		case d.RunnerUp:
			parts -= c.LogPrior
		}
	}
	for _, e := range p.Decision.Evidence {
		parts += e.Weight
	}
	if len(p.Decision.Classes)+p.Others.Classes != classes || math.Abs(sum-1) > 1e-12 {
		t.Errorf("%d classes and %d others have %v: %s", len(p.Decision.Classes), p.Others.Classes, sum, value)
	}
	if diff := gocmp.Diff(d.Margin, p.Decision.Margin); diff != "" || math.Abs(parts-d.Margin) > 1e-12 {
		t.Errorf("the margin %v is the sum %v, want %v", p.Decision.Margin, parts, d.Margin)
	}
}
