package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/filetest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// twoClasses is the decision that DESIGN and docs/formats.md show.
func twoClasses() *model.Decision {
	return &model.Decision{
		Label: "spam", Labelled: true, RunnerUp: "ham", Status: model.StatusOK,
		Classes: []model.ClassScore{
			{Name: "ham", LogPosterior: -6.3018, Posterior: 0.0018, LogPrior: -0.14},
			{Name: "spam", LogPosterior: -0.0018, Posterior: 0.9982, LogPrior: -2},
		},
		Margin: 6.3, HasMargin: true, Tokens: 23, Known: 20,
		Evidence: []model.Evidence{
			{Term: "prize", Count: 1, Weight: 3.2},
			{Block: "numbers[0]", Fields: []string{"length"}, Weight: 1.1},
		},
		Rest:      3.86,
		ModelInfo: model.ModelInfo{Name: "sms", Spec: "9f2c0a11d4b87e36", Offset: 1234, Documents: 4180},
	}
}

// appendDecision appends a decision with all that it has.
func appendDecision(dst []byte, id string, src Source, d *model.Decision) []byte {
	return new(DecisionEncoder).Append(dst, id, src, d)
}

// TestAppendDecision: the JSON of every kind of decision, to the byte.
func TestAppendDecision(t *testing.T) {
	noClass := &model.Decision{Status: model.StatusEmpty, ModelInfo: model.ModelInfo{Name: "new", Offset: 0}}
	oneClass := &model.Decision{
		Label: "ham", Labelled: true, Status: model.StatusCold, Classes: []model.ClassScore{{Name: "ham", Posterior: 1}},
		Tokens: 1, ModelInfo: model.ModelInfo{Name: "file", Spec: "s", Offset: -1, Documents: 3},
	}
	odd := twoClasses()
	odd.Label, odd.Classes[0].Name, odd.Classes[1].Name = `<b>"\`, "line\nend\u2028\x01", `<b>"\`
	odd.Classes[0].LogPosterior, odd.Classes[1].Posterior = math.Inf(-1), math.NaN()
	odd.Margin, odd.Rest = math.Inf(1), math.Copysign(0, -1)
	odd.Evidence = []model.Evidence{{Term: "bad\xffutf8\xe2\x82", Count: 3, Weight: 1e21}, {Block: "numbers[1]", Fields: []string{"a", "b&c"}, Weight: 123456789012345680000}, {Block: "b", Weight: -1.5e-9}}
	var out bytes.Buffer
	for _, c := range []struct {
		id  string
		src Source
		d   *model.Decision
	}{
		{"documents/0/42", Source{Topic: "documents", Offset: 42}, twoClasses()},
		{"sms.jsonl:7", FileSource("sms.jsonl", 7), oneClass},
		{"", Source{}, noClass},
		{"\u00e9\U0001F600/\x7f\t", recordSource(recordOf("")), odd},
	} {
		value := appendDecision([]byte("before"), c.id, c.src, c.d)
		value, found := bytes.CutPrefix(value, []byte("before"))
		if !found || !json.Valid(value) || !utf8.Valid(value) {
			t.Errorf("not appended, not JSON or not UTF-8: %s", value)
		}
		out.Write(append(value, '\n'))
	}
	filetest.Golden(t, "testdata/decisions.jsonl", out.Bytes(), *update)
}

// TestDecisionKeys: the keys stand in the order of the contract.
func TestDecisionKeys(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader(appendDecision(nil, "i", Source{}, twoClasses())))
	var keys []string
	for depth, isKey := 0, false; dec.More() || depth > 0; {
		token, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			isKey = depth == 1
		default:
			if depth == 1 && isKey {
				keys = append(keys, token.(string))
			}
			isKey = depth == 1 && !isKey
		}
	}
	want := "id label runner_up status log_posterior posterior margin tokens prior evidence rest model source"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestDecisionEncoderAllocations(t *testing.T) {
	d, src := twoClasses(), Source{Topic: "documents", Offset: 42}
	var e DecisionEncoder
	buf := e.Append(nil, "documents/0/42", src, d)
	if n := testing.AllocsPerRun(100, func() { buf = e.Append(buf[:0], "documents/0/42", src, d) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	// With a temper each decision has a prior of its own.
	d.Scoring = model.Scoring{Candidate: "multinomial/1", Temper: 0.5}
	if n := testing.AllocsPerRun(100, func() {
		d.Classes[0].LogPrior = -3 - d.Classes[0].LogPrior
		buf = e.Append(buf[:0], "documents/0/42", src, d)
	}); n != 0 {
		t.Errorf("%v allocations with a temper", n)
	}
}

func TestAppendNumber(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1e-6, 9.999999e-7, 1e-7, 1.5e-10, 1e-100, 5e-324, 1e20, 1e21, 1.234e22, 1e100, math.MaxFloat64, -math.Pi, 1.0 / 3} {
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendNumber(nil, f); !bytes.Equal(got, want) {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := appendNumber(nil, f); string(got) != "null" {
			t.Errorf("%v: got %s, want null", f, got)
		}
	}
}

// TestDecisionRoundTrip: any decision reads back as it was, floats to the bit.
func TestDecisionRoundTrip(t *testing.T) {
	name := rapid.StringN(0, 8, 40)
	finite := rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) })
	rapid.Check(t, func(t *rapid.T) {
		var d model.Decision
		for i := range rapid.IntRange(0, 4).Draw(t, "classes") {
			d.Classes = append(d.Classes, model.ClassScore{
				Name: fmt.Sprint(i) + name.Draw(t, "class"), LogPosterior: finite.Draw(t, "lp"), Posterior: finite.Draw(t, "p"), LogPrior: finite.Draw(t, "prior"),
			})
		}
		for range rapid.IntRange(0, 4).Draw(t, "evidence") {
			e := model.Evidence{Weight: finite.Draw(t, "weight")}
			if rapid.Bool().Draw(t, "block") {
				e.Block, e.Fields = "b"+name.Draw(t, "block name"), rapid.SliceOf(name).Draw(t, "fields")
			} else {
				e.Term, e.Count = name.Draw(t, "term"), rapid.IntRange(1, 1e6).Draw(t, "count")
			}
			d.Evidence = append(d.Evidence, e)
		}
		d.Status = rapid.SampledFrom([]string{model.StatusOK, model.StatusCold, model.StatusEmpty, model.StatusUnsure}).Draw(t, "status")
		if d.Labelled = len(d.Classes) > 0; d.Labelled {
			d.Label = d.Classes[0].Name
		}
		if d.HasMargin = len(d.Classes) > 1; d.HasMargin {
			d.Margin = finite.Draw(t, "margin")
			d.RunnerUp = d.Classes[1].Name
		}
		d.Truncated = rapid.Bool().Draw(t, "truncated")
		d.Tokens, d.Known, d.Rest = rapid.IntRange(0, 1e9).Draw(t, "total"), rapid.IntRange(0, 1e9).Draw(t, "known"), finite.Draw(t, "rest")
		d.ModelInfo = model.ModelInfo{Name: name.Draw(t, "model"), Spec: name.Draw(t, "spec"), Offset: rapid.Int64Min(-1).Draw(t, "offset"), Documents: rapid.Int64Min(0).Draw(t, "documents")}
		src := rapid.SampledFrom([]Source{{}, {Topic: "t", Partition: 3, Offset: 1 << 60}, {File: "f \"x\"", Line: 9}}).Draw(t, "source")
		id := name.Draw(t, "id")
		d.Temper = 1
		if rapid.Bool().Draw(t, "tempered") {
			d.Scoring = model.Scoring{Candidate: "m" + name.Draw(t, "candidate"), Temper: finite.Draw(t, "temper")}
		}

		parsed, err := ParseDecision(appendDecision(nil, id, src, &d))
		if err != nil {
			t.Fatal(err)
		}
		want := &Decision{ID: id, Source: src, Decision: d}
		if diff := cmp.Diff(want, parsed, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("wrote -, read +:\n%s", diff)
		}
	})
}

func TestParseDecisionNull(t *testing.T) {
	d := twoClasses()
	d.Classes[0].LogPosterior, d.Rest = math.Inf(-1), math.NaN()
	p, err := ParseDecision(appendDecision(nil, "i", Source{}, d))
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(p.Decision.Classes[0].LogPosterior, -1) || !math.IsNaN(p.Decision.Rest) {
		t.Errorf("null did not read as the logarithm of 0, and elsewhere as NaN: %+v", p.Decision)
	}
}

// What is no decision is refused. Of what is one, all that is not known may be missing, and other
// keys may come.
func TestParseDecisionRefuses(t *testing.T) {
	valid := string(appendDecision(nil, "i", Source{}, twoClasses()))
	for _, c := range []struct{ name, value, want string }{
		{"cut off", valid[:len(valid)-1], "unexpected EOF"},
		{"something behind it", valid + "{}", "follows"},
		{"null status", strings.Replace(valid, `"status":"ok"`, `"status":null`, 1), `"status" is missing`},
		{"label of another type", strings.Replace(valid, `"label":"spam"`, `"label":1`, 1), "label"},
	} {
		if c.value == valid {
			t.Fatalf("%s: the test does not change the decision", c.name)
		}
		if _, err := ParseDecision([]byte(c.value)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	d, err := ParseDecision([]byte(`{"status":"ok","label":"spam","posterior":{"ham":0.25},"later":{"key":1}}`))
	if err != nil || len(d.Classes) != 2 || d.Posterior("ham") != 0.25 || !math.IsNaN(d.Confidence()) || !math.IsNaN(d.Classes[0].LogPrior) || !math.IsNaN(d.Rest) || d.HasMargin || d.Temper != 1 || d.Offset != -1 {
		t.Errorf("got %+v, %v", d, err)
	}
}

// What an encoder remembers is what the decision at hand says.
func TestDecisionEncoderRemembers(t *testing.T) {
	var e DecisionEncoder
	names := []string{"ham", "spam", "\"quoted\"", "other"}
	rapid.Check(t, func(t *rapid.T) {
		d := &model.Decision{Status: "ok"}
		d.Scoring.Candidate = rapid.SampledFrom([]string{"", "multinomial/1", "complement/0.1", "\"quoted\""}).Draw(t, "candidate")
		d.Scoring.Temper = rapid.Float64Range(0, 2).Draw(t, "temper")
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID[string]).Draw(t, "classes") {
			prior := rapid.SampledFrom([]float64{-0.5, -1, math.NaN()}).Draw(t, "prior")
			d.Classes = append(d.Classes, model.ClassScore{Name: name, LogPosterior: -2, LogPrior: prior})
		}
		if got, want := e.Append(nil, "id", Source{}, d), appendDecision(nil, "id", Source{}, d); !bytes.Equal(got, want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	})
}

// What is not in every decision is read back as it was written.
func TestDecisionWithWordsAndSpans(t *testing.T) {
	d := twoClasses()
	d.Evidence = []model.Evidence{
		{Term: "footbal", As: []string{"Football", "foot\"balls"}, Count: 2, Weight: 1.5, Spans: []model.Span{{Segment: 0, Start: 0, End: 8}, {Segment: 1, Start: 3, End: 12}}},
		{Block: "numbers[0]", Fields: []string{"x", "y"}, FieldWeights: []float64{0.5, -0.25}, Weight: 0.25},
	}
	d.Segments = []model.Segment{{Mark: "subject:", Text: []byte("Football")}, {Text: []byte("a\nb foot\"balls")}}
	value := appendDecision(nil, "id", Source{}, d)
	for _, want := range []string{
		`{"term":"footbal","as":["Football","foot\"balls"],"count":2,"weight":1.5,"spans":[{"segment":0,"start":0,"end":8},{"segment":1,"start":3,"end":12}]}`,
		`{"block":"numbers[0]","fields":["x","y"],"weights":[0.5,-0.25],"weight":0.25}`,
		`"source":null,"segments":[{"mark":"subject:","text":"Football"},{"mark":"","text":"a\nb foot\"balls"}]}`,
	} {
		if !strings.Contains(string(value), want) {
			t.Errorf("%s\nlacks %s", value, want)
		}
	}
	p, err := ParseDecision(value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Evidence, p.Decision.Evidence); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(d.Segments, p.Decision.Segments); diff != "" {
		t.Error(diff)
	}
}
