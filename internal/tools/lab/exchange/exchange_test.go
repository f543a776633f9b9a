package exchange_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
	"bayestream/internal/tokenize"
	"bayestream/internal/tools/lab/exchange"
)

// learned returns a state with words, categories, histograms where the spec has them, and numbers
// out to the ends of what they hold.
func learned(t *testing.T, likelihood string, n int, seed uint64) *fold.State {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	return storetest.Learned(t, storetest.Spec(t, likelihood, 2_000_000, 100), storetest.Records(n, random.IntN))
}

func lines(t *testing.T, m *model.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := exchange.WriteLines(t.Context(), &b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func dump(t *testing.T, m *model.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// closed adds the last line to an export that has none.
func closed(export string) string {
	if export == "" || strings.Contains(export, `{"lines":`) {
		return export
	}
	export = strings.TrimSuffix(export, "\n") + "\n"
	return export + fmt.Sprintf("{\"lines\":%d}\n", strings.Count(export, "\n"))
}

// read returns the model that exports add up to.
func read(t *testing.T, exports ...string) *model.Model {
	t.Helper()
	c := &exchange.Counts{}
	for _, e := range exports {
		if err := c.ReadLines("export", strings.NewReader(closed(e))); err != nil {
			t.Fatal(err)
		}
	}
	m := model.New(c.Spec)
	if err := c.AddTo(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLinesAreTheModel(t *testing.T) {
	for _, likelihood := range []string{spec.Multinomial, spec.Bernoulli, storetest.Corrected} {
		for seed := range uint64(20) {
			m := learned(t, likelihood, 80, seed).Model()
			text := lines(t, m)
			again := read(t, text)
			if got, want := dump(t, again), dump(t, m); got != want {
				t.Fatalf("%s, seed %d: exported and imported again:\n%s\nwant\n%s", likelihood, seed, got, want)
			}
			if lines(t, again) != text {
				t.Fatalf("%s, seed %d: equal models have different exports", likelihood, seed)
			}
		}
	}
}

// Merging is addition: it does not matter whether models are added, or exports, or one after the
// other.
func TestMergeIsAddition(t *testing.T) {
	for seed := range uint64(10) {
		a, b := learned(t, spec.Multinomial, 60, seed).Model(), learned(t, spec.Multinomial, 60, seed+100).Model()
		both := dump(t, read(t, lines(t, a), lines(t, b)))
		if got := dump(t, read(t, lines(t, b)+lines(t, a))); got != both {
			t.Fatalf("seed %d: the order of exports matters:\n%s\nwant\n%s", seed, got, both)
		}
		c := &exchange.Counts{}
		if err := c.ReadLines("b", strings.NewReader(lines(t, b))); err != nil {
			t.Fatal(err)
		}
		if err := c.AddTo(a); err != nil {
			t.Fatal(err)
		}
		if got := dump(t, a); got != both {
			t.Fatalf("seed %d: added to a model:\n%s\nwant\n%s", seed, got, both)
		}
	}
}

func TestChunksAreTheModel(t *testing.T) {
	m := read(t, many(t, 20_000))
	src, err := exchange.Source(m)
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.Start(t, m.Spec(), false)
	chunks := int64(0)
	err = modellog.Chunks(m, src, func(d *fold.Delta) error {
		value, err := codec.EncodeDelta(d)
		if err != nil {
			return err
		}
		if len(value) > codec.MaxDelta {
			t.Errorf("chunk %d has %d bytes, the limit is %d", d.Ranges[0].Start, len(value), codec.MaxDelta)
		}
		if d.Ranges[0].Source != src || d.Ranges[0].Start != chunks || d.Ranges[0].End != chunks+1 || d.Ranges[0].FromStart != (chunks == 0) {
			t.Errorf("chunk %d is [%d, %d) of %v, from the start: %v", chunks, d.Ranges[0].Start, d.Ranges[0].End, d.Ranges[0].Source, d.Ranges[0].FromStart)
		}
		e, err := codec.Decode(value, s.Next(), s.Reading())
		if err != nil || e.Unreadable != nil {
			t.Fatalf("chunk %d does not read back: %v, %v", d.Ranges[0].Start, err, e.Unreadable)
		}
		chunks++
		storetest.Fold(t, s, e, fold.Accepted)
		storetest.Fold(t, s, e, fold.Stale)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if chunks < 3 {
		t.Errorf("%d chunks: too few to see anything", chunks)
	}
	if got, want := dump(t, s.Model()), dump(t, m); got != want {
		t.Error("the chunks folded together are not the model")
	}
}

// many returns an export with n terms in two classes.
func many(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	write := func(v map[string]any) {
		if err := out.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	write(map[string]any{"spec": "numbers: [{fields: [x]}]\ntext: {field: text, corrections: true}"})
	write(map[string]any{"class": "gone", "corrected": 10})
	for _, c := range []string{"a", "b"} {
		write(map[string]any{"class": c, "documents": 10})
		write(map[string]any{"class": c, "corrected": 5})
		write(map[string]any{"class": c, "block": "numbers[0]", "n": []int{10}, "sum": []string{"-7"}, "products": []string{"9"}})
	}
	for i := range n {
		term := fmt.Sprintf("%060d", i*7919%1_000_003)
		write(map[string]any{"class": []string{"a", "b"}[i%2], "term": term, "count": 1 + i%5})
		write(map[string]any{"class": []string{"a", "gone"}[i%2], "table": "corrections", "value": term, "count": i%5 - 6})
	}
	return b.String()
}

func TestReadLinesRefuses(t *testing.T) {
	s := `{"spec":"text: {field: text, likelihood: bernoulli}\nnumbers: [{fields: [x]}]\ncategories: [{field: c}]\nhistograms: [{field: h, from: 0, to: 1, bins: 2}]"}` + "\n" +
		`{"class":"a","documents":2}` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "f:1: the file is empty"},
		{"{}", `f:1: want {"spec": ...} first`},
		{`{"spec":"text: {alpha: 0}"}`, "f:1: spec: text.alpha is 0"},
		{`{"spec":"","revision":1}`, fmt.Sprintf("f:1: it was counted with tokenizer revision 1, this program has revision %d", tokenize.Revision)},
		{"[1]", "f:1: not a line of an export: it is no JSON object but of the type array"},
		{s + `{"class":"a","documents":1} {}`, "f:3: want one JSON object per line"},
		{s + `{"class":"a","docs":1}`, `f:3: not a line of an export: json: unknown field "docs"`},
		{s + `{"documents":1}`, "f:3: want a class in every line"},
		{s + `{"class":"a","documents":-1}`, `f:3: class "a": documents is -1: want 1 to`},
		{s + `{"class":"a","documents":1.5}`, `f:3: not a line of an export: "documents" is of the type number 1.5`},
		{s + `{"class":"a","documents":140737488355327}`, "140737488355327 documents are more than can be counted"},
		{s + `{"class":"a"}`, "want documents, a count, or the sums"},
		{s + `{"class":"a","count":1}`, "want a term, or a table and a value"},
		{s + `{"class":"` + strings.Repeat("x", 300) + `","documents":1}`, "the class has 300 bytes, the limit is 256"},
		{s + `{"class":"a\nb","documents":1}`, `the class is "a\nb", with the control character U+000A`},
		{s + `{"class":"a","term":"","count":1}`, "the term is empty"},
		{s + `{"class":"a","term":"` + strings.Repeat("x", 40000) + `","count":1}`, "the term has 40000 bytes"},
		{s + "{\"class\":\"a\",\"term\":\"\xff\",\"count\":1}", "f:3: the line is not UTF-8"},
		{s + `{"class":"a","term":"t","count":99999999999999999}`, "count is 99999999999999999"},
		{s + `{"class":"a","term":"t","table":"corrections","count":-1}`, "count is -1"},
		{s + `{"class":"a","table":"categories[1]","value":"v","count":1}`, `"categories[1]" is not in the spec, which has 1 of categories`},
		{s + `{"class":"a","table":"histograms[1]","value":"v","count":1}`, `"histograms[1]" is not in the spec`},
		{s + `{"class":"a","table":"text","value":"v","count":1}`, `"text" is not in the spec`},
		{s + `{"class":"a","block":"numbers[0]","n":[1],"sum":["1"],"products":[]}`, "want 1, 1 and 1"},
		{s + `{"class":"a","block":"numbers[0]","n":[-1],"sum":["1"],"products":["1"]}`, "n is -1"},
		{s + `{"class":"a","block":"numbers[0]","n":[1],"sum":["1.5"],"products":["1"]}`, `"1.5" is no decimal integer`},
		{s + `{"class":"a","block":"numbers[0]","n":[1],"sum":["9223372036854775809"],"products":["1"]}`, "more than so many rows can add up to"},
		{s + `{"spec":""}` + "\n" + `{"lines":2}`, "f:3: the export is truncated: its last line"},
		{s + `{"lines":3}`, "f:3: the export had 3 lines, and 2 of them were read"},
		{s + `{"lines":2}` + "\n" + `{"class":"a","documents":2}`, `f:4: want {"spec": ...} first`},
		{s + `{"lines":2}` + "\n" + `{"spec":"text: {field: text, ngrams: 2}"}`, "f:4: it counts differently than the export before it"},
		{s + `{"class":"b","term":"t","count":1}`, `class "b" has counts and no documents`},
		{s + `{"class":"a","term":"t","count":3}`, `a term of the text: "t" is in 3 of the 2 documents of class "a"`},
		{s + `{"class":"a","table":"categories[0]","value":"v","count":3}`, `the table categories[0]: "v" is in 3 of the 2 documents`},
		{s + `{"class":"a","block":"numbers[0]","n":[3],"sum":["1"],"products":["1"]}`, "numbers[0] has 3 rows of 2 documents"},
		{"{\"spec\":\"limits: {classes: 1}\"}\n{\"class\":\"a\",\"documents\":1}\n{\"class\":\"b\",\"documents\":1}", "more than 1 classes"},
		{"{\"spec\":\"classes: [x]\"}\n{\"class\":\"a\",\"documents\":1}", "not among the classes of the spec"},
	} {
		counts := &exchange.Counts{}
		err := counts.ReadLines("f", strings.NewReader(closed(c.text)))
		if err == nil {
			m := model.New(counts.Spec)
			if err = counts.AddTo(m); err != nil && m.Classes().Total() != 0 {
				t.Errorf("%.120s: something was added", c.text)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

// An export that was cut off, wherever, is refused, and nothing of it is added.
func TestCutExportsAreRefused(t *testing.T) {
	whole := lines(t, learned(t, spec.Multinomial, 4, 1).Model())
	for cut := 0; cut < len(whole)-1; cut += 5 {
		c := &exchange.Counts{}
		err := c.ReadLines("f", strings.NewReader(whole[:cut]))
		if err == nil || !strings.HasPrefix(err.Error(), "f:") {
			t.Fatalf("cut after %d of %d bytes: %v", cut, len(whole), err)
		}
	}
	dump := ".MSG_COUNT 10 20 20260101\nPrizes 3 12 20260101\n"
	for cut := strings.Index(dump, "P") + 1; cut < len(dump); cut++ {
		err := (&exchange.Counts{}).ReadBogofilter("f", strings.NewReader(dump[:cut]), spec.Default())
		if err == nil || !strings.HasPrefix(err.Error(), "f:2: ") {
			t.Errorf("cut after %q: %v", dump[:cut], err)
		}
	}
}

func TestBogofilter(t *testing.T) {
	s := spec.Default()
	dumped := ".MSG_COUNT 10 20 20260101\n.ROBX 1 1 20260101\nPrizes 3 1 20260101\nprize 2 0 20260101\nfrom:a@b 1 0 0\n" +
		"subj:winning 4 0 0\nhead:x-mailer 1 1 0\nrtrn:bob 2 2 0\nre:win 1 0 0\nzero 0 0 1\n"
	c := &exchange.Counts{}
	if err := c.ReadBogofilter("words", strings.NewReader(dumped), s); err != nil {
		t.Fatal(err)
	}
	m := model.New(s)
	if err := c.AddTo(m); err != nil {
		t.Fatal(err)
	}
	want := "class \"ham\" 20\nclass \"spam\" 10\ntable 0 \"from:a@b\" \"spam\":1\ntable 0 \"prize\" \"ham\":1 \"spam\":5\n" +
		"table 0 \"re:win\" \"spam\":1\ntable 0 \"subject:win\" \"spam\":4\n"
	if got := dump(t, m); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if c.Foreign != 2 {
		t.Errorf("%d tokens of headers that are not read, want 2", c.Foreign)
	}
	for text, want := range map[string]string{
		"":                      "f:1: the dump has no .MSG_COUNT",
		"prize 3\n":             "f:1: 2 columns: want a token",
		"a 1 1\nprize -3 1 1\n": `f:2: the spam count is "-3"`,
		"prize 3 1e3 1\n":       `f:1: the ham count is "1e3"`,
	} {
		err := (&exchange.Counts{}).ReadBogofilter("f", strings.NewReader(text), s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestArraysRefuseWhatTheyCannotHold(t *testing.T) {
	for _, text := range []string{"numbers: [{fields: [x]}]", "text: {field: t}\ncategories: [{field: c}]"} {
		s := modeltest.Spec(t, text)
		if err := exchange.WriteArrays(t.Context(), &bytes.Buffer{}, model.New(s)); err == nil {
			t.Errorf("%s: it went through", text)
		}
	}
}

func TestSQLQuotes(t *testing.T) {
	m := read(t, `{"spec":""}`+"\n"+`{"class":"it's","documents":1}`+"\n"+`{"class":"it's","term":"a\\b'c","count":2}`)
	var b bytes.Buffer
	if err := exchange.WriteSQL(t.Context(), &b, m, "7 days; drop"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(0, 'it\'s', 1, 0);`, `('a\\b\'c', 0, 2);`, "CREATE TABLE IF NOT EXISTS _7_days__drop_ngrams "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %s in\n%s", want, b.String())
		}
	}
}

// racing returns a state of which the race is led by complement with alpha 0.1, and its temper.
func racing(t *testing.T) (*fold.State, spec.Temper) {
	t.Helper()
	var c exchange.Counts
	if err := c.ReadLines("f", strings.NewReader(closed(`{"spec":"scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: complement, alpha: 0.1, shape: true}]}"}`+"\n"+`{"class":"a","documents":300}`+"\n"+`{"class":"b","documents":200}`+"\n"+
		`{"class":"a","term":"x","count":900}`+"\n"+`{"class":"b","term":"x","count":100}`+"\n"+`{"class":"b","term":"y","count":400}`))); err != nil {
		t.Fatal(err)
	}
	s := fold.Offline(c.Spec)
	if err := c.AddTo(s.Model()); err != nil {
		t.Fatal(err)
	}
	l := race.Of(c.Spec)
	sums := race.NewSums(len(l.Scored()))
	sums.Scored = 400
	const temper = 5
	for i, candidate := range l.Scored() {
		sums.By[i].Errors = 200
		if candidate.Likelihood == spec.Complement && candidate.Alpha == 0.1 {
			sums.By[i].Errors = 3
		}
		for j := range sums.By[i].Loss {
			sums.By[i].Loss[j] = 1000
		}
		sums.By[i].Loss[temper] = 10
		sums.By[i].Confidence.Add(0.9, false)
		for range 299 {
			sums.By[i].Confidence.Add(0.9, true)
		}
	}
	if err := sums.Check(l); err != nil {
		t.Fatal(err)
	}
	s.Score(&fold.Scores{List: l.Fingerprint(), Sums: sums})
	return s, race.Tempers()[temper]
}

// What is exported decides as the leader of the race does, and the lines bring the race along.
func TestExportsOfARace(t *testing.T) {
	s, temper := racing(t)
	m := s.Model()
	lead, second := m.Deciding()
	if lead.Likelihood != spec.Complement || lead.Alpha != 0.1 || *lead.Temper != temper || second.Likelihood != spec.Multinomial {
		t.Fatalf("it decides by %+v, else by %+v", lead, second)
	}
	var arrays, sql, lines bytes.Buffer
	if err := errors.Join(exchange.WriteArrays(t.Context(), &arrays, m), exchange.WriteSQL(t.Context(), &sql, m, "m"), exchange.WriteLines(t.Context(), &lines, m, s.Scores())); err != nil {
		t.Fatal(err)
	}
	knots, err := json.Marshal(m.Calibration().Knots())
	if err != nil || len(m.Calibration().Knots()) == 0 {
		t.Fatalf("the calibration is %s, %v", knots, err)
	}
	want := fmt.Sprintf(`{"likelihood":"complement","alpha":0.1,"norm":false,"cap":0,"sublinear":false,"weight":1,"shape":{"length":{},"longest":{},"nonwords":{}},"edges":null,"temper":{"t":%v,"gamma":%v,"amplifies":false},"calibration":%s,`, temper.T, temper.Gamma, knots)
	if !strings.HasPrefix(arrays.String(), want) {
		t.Errorf("the arrays begin %.200s, want %s", arrays.String(), want)
	}
	want = fmt.Sprintf("INSERT INTO m_scoring (likelihood, norm, alpha, sublinear, shape, edges, weight, t, gamma, lambda) VALUES\n('complement', false, 0.1, false, true, false, 1, %v, %v, 0);", temper.T, temper.Gamma)
	if !strings.Contains(sql.String(), want) {
		t.Errorf("the statements are\n%s\nwant %s", sql.String(), want)
	}
	var c exchange.Counts
	if err := c.ReadLines("f", bytes.NewReader(lines.Bytes())); err != nil {
		t.Fatal(err)
	}
	again := fold.Offline(c.Spec)
	if err := c.AddTo(again.Model()); err != nil {
		t.Fatal(err)
	}
	again.Score(c.Scores())
	if got, _ := again.Model().Deciding(); got.Likelihood != lead.Likelihood || got.Alpha != lead.Alpha || *got.Temper != temper {
		t.Errorf("imported it decides by %+v", got)
	}
	var twice bytes.Buffer
	if err := exchange.WriteLines(t.Context(), &twice, again.Model(), again.Scores()); err != nil || twice.String() != lines.String() {
		t.Errorf("exported again: %v\n%s\nwant\n%s", err, twice.String(), lines.String())
	}
	// Two exports add up; sums of other candidates are left out, and damaged ones refused.
	if err := c.ReadLines("f", bytes.NewReader(lines.Bytes())); err != nil || c.Scores().Sums.Scored != 800 {
		t.Errorf("two exports scored %d, %v", c.Scores().Sums.Scored, err)
	}
	var other exchange.Counts
	if err := other.ReadLines("f", strings.NewReader(strings.Replace(lines.String(), "alpha: 0.1", "alpha: 0.2", 1))); err != nil || other.Scores() != nil {
		t.Errorf("sums of other candidates: %v, %v", other.Scores(), err)
	}
	start := strings.Index(lines.String(), `{"scores":"`) + len(`{"scores":"`)
	damaged := lines.String()[:start] + "////" + lines.String()[start+4:]
	if err := (&exchange.Counts{}).ReadLines("f", strings.NewReader(damaged)); err == nil || !strings.HasPrefix(err.Error(), "f:2: the scores cannot be read: ") {
		t.Errorf("damaged scores: %v", err)
	}
}

// Both exports of words have the classes that the prior expects beside the only one that was
// learned, each with its own prior.
func TestExportsHaveExpectedClasses(t *testing.T) {
	m := read(t, `{"spec":"prior: {ham: 0.75, spam: 0.25}\ntext: {likelihood: complement, weight: 2, shape: true}"}`+"\n"+`{"class":"spam","documents":1}`+"\n"+`{"class":"spam","term":"x","count":2}`+"\n"+`{"class":"spam","table":"length","value":"2","count":1}`)
	var arrays, sql bytes.Buffer
	if err := errors.Join(exchange.WriteArrays(t.Context(), &arrays, m), exchange.WriteSQL(t.Context(), &sql, m, "m")); err != nil {
		t.Fatal(err)
	}
	if want := `"weight":2,"shape":{"length":{"2":[0,1]},"longest":{},"nonwords":{}},"edges":null,"temper":null,"calibration":null,"classes":["ham","spam"],"class_count":[0,1],"class_log_prior":[0,0],"vocabulary":{"x":0},"feature_count":[[0],[2]]}`; !strings.Contains(arrays.String(), want) {
		t.Errorf("the arrays are %s, want %s", arrays.String(), want)
	}
	if want := "VALUES\n(0, 'ham', 0, 0),\n(1, 'spam', 1, 0);"; !strings.Contains(sql.String(), want) {
		t.Errorf("the statements are\n%s\nwant %s", sql.String(), want)
	}
	m = read(t, `{"spec":"prior: {ham: 0.75, spam: 0.25}\ntext: {alpha: 1}"}`+"\n"+`{"class":"spam","documents":1}`)
	arrays.Reset()
	if err := exchange.WriteArrays(t.Context(), &arrays, m); err != nil || !strings.Contains(arrays.String(), `"class_log_prior":[-0.28768207245178096,-1.3862943611198906]`) {
		t.Errorf("the arrays are %s, %v", arrays.String(), err)
	}
}

// The words at the ends of texts are in both exports where they enter, and the tables for
// ClickHouse have them anyway.
func TestExportsHaveEdges(t *testing.T) {
	const lines = "\n" + `{"class":"ham","documents":1}` + "\n" + `{"class":"ham","term":"x","count":2}` + "\n" + `{"class":"ham","table":"first","value":"x","count":1}` + "\n" + `{"class":"ham","table":"last","value":"it's","count":1}`
	for _, enter := range []bool{true, false} {
		m := read(t, fmt.Sprintf(`{"spec":"text: {edges: %v}"}`, enter)+lines)
		var arrays, sql, again bytes.Buffer
		if err := errors.Join(exchange.WriteArrays(t.Context(), &arrays, m), exchange.WriteSQL(t.Context(), &sql, m, "m"), exchange.WriteLines(t.Context(), &again, m, nil)); err != nil {
			t.Fatal(err)
		}
		want := `"shape":null,"edges":null,`
		if enter {
			want = `"shape":null,"edges":{"first":{"x":[1]},"last":{"it's":[1]}},`
		}
		if !strings.Contains(arrays.String(), want) {
			t.Errorf("the arrays are %s, want %s", arrays.String(), want)
		}
		if want := "INSERT INTO m_edges (edge, word, class_id, documents) VALUES\n('first', 'x', 0, 1),\n('last', 'it\\'s', 0, 1);"; !strings.Contains(sql.String(), want) {
			t.Errorf("the statements are\n%s\nwant %s", sql.String(), want)
		}
		if !strings.Contains(again.String(), lines[1:]) {
			t.Errorf("exported again:\n%s", again.String())
		}
	}
}

// corrected returns a model that a candidate scores, in which documents correct: also of a class, and
// a word, that the model has not counted.
func corrected(t *testing.T, likelihood string) *model.Model {
	t.Helper()
	const cells = `
{"class":"a","documents":30}
{"class":"b","documents":20}
{"class":"c","documents":5}
{"class":"a","corrected":7}
{"class":"b","corrected":9}
{"class":"gone","corrected":2}
{"class":"a","term":"x","count":90}
{"class":"b","term":"x","count":10}
{"class":"b","term":"y","count":40}
{"class":"c","term":"z","count":1}
{"class":"a","table":"corrections","value":"x","count":-3}
{"class":"b","table":"corrections","value":"x","count":4}
{"class":"gone","table":"corrections","value":"x","count":-1}
{"class":"a","table":"corrections","value":"y","count":2}
{"class":"b","table":"corrections","value":"unknown","count":1}`
	return read(t, fmt.Sprintf(`{"spec":"text: {corrections: true}\nscoring: {candidates: [{likelihood: %s, alpha: 0.3, sublinear: true, corrections: 0.25}]}"}`, likelihood)+cells)
}

// scores returns the scores of a text by the arrays of an export, as docs/examples/sklearn_model.py
// makes them.
func scores(t *testing.T, export []byte, text map[string]uint32) []float64 {
	t.Helper()
	var a struct {
		Likelihood    string
		Alpha, Lambda float64
		Prior         []float64      `json:"class_log_prior"`
		Columns       map[string]int `json:"vocabulary"`
		Counts        [][]float64    `json:"feature_count"`
		Corrections   [][]float64
	}
	if err := json.Unmarshal(export, &a); err != nil {
		t.Fatal(err)
	}
	share := func(column int, in func(class int) bool) float64 {
		own, all := a.Alpha, 0.0
		for class, counts := range a.Counts {
			for i, n := range counts {
				if in(class) {
					all += n
				}
				if in(class) && i == column {
					own += n
				}
			}
		}
		return math.Log(own / (all + a.Alpha*float64(len(a.Columns))))
	}
	out := slices.Clone(a.Prior)
	for class := range out {
		is := func(c int) bool { return c == class }
		isOther := func(c int) bool { return c != class }
		if a.Likelihood != spec.Multinomial {
			out[class] = 0
		}
		for term, n := range text {
			column := a.Columns[term]
			score := a.Lambda * a.Corrections[class][column]
			if a.Likelihood != spec.Complement {
				score += share(column, is)
			}
			if a.Likelihood != spec.Multinomial {
				score -= share(column, isOther)
			}
			out[class] += (1 + math.Log(float64(n))) * score
		}
	}
	return out
}

// Exports of words have the corrections that enter: with them the scores are those of the model.
func TestExportsHaveCorrections(t *testing.T) {
	for _, likelihood := range []string{spec.Multinomial, spec.Complement, spec.OneVsAll} {
		m := corrected(t, likelihood)
		var arrays, sql bytes.Buffer
		if err := errors.Join(exchange.WriteArrays(t.Context(), &arrays, m), exchange.WriteSQL(t.Context(), &sql, m, "m")); err != nil {
			t.Fatal(err)
		}
		text := map[string]uint32{"x": 2, "y": 1}
		var f model.Features
		for term, n := range text {
			f.Bag.AddN([]byte(term), n)
		}
		joint := model.NewScorer().Joint(m, &f, model.Options{})
		for i, score := range scores(t, arrays.Bytes(), text) {
			if want := joint[m.Classes().Choices()[i]]; math.Abs(score-want) > 1e-9 {
				t.Errorf("%s, class %d: the arrays score %v, the model %v", likelihood, i, score, want)
			}
		}
		rows := "INSERT INTO m_corrections (ngram, class_id, correction) VALUES\n('x', 0, -3),\n('x', 1, 4),\n('y', 0, 2);"
		if !strings.Contains(sql.String(), rows) || !strings.Contains(sql.String(), fmt.Sprintf(", %v);\nINSERT INTO m_classes", m.Lambda())) {
			t.Errorf("%s: the statements are\n%s", likelihood, sql.String())
		}
	}
}

// What has numbers, categories or histograms beside the words cannot be exported as words.
func TestExportsOfWordsRefuseFields(t *testing.T) {
	for _, fields := range []string{"numbers: [{fields: [x]}]", "categories: [{field: x}]", "histograms: [{field: x, from: 0, to: 1, bins: 2}]"} {
		s := modeltest.Spec(t, "text: {}\n"+fields)
		m := model.New(s)
		for name, err := range map[string]error{"sklearn": exchange.WriteArrays(t.Context(), io.Discard, m), "clickhouse": exchange.WriteSQL(t.Context(), io.Discard, m, "m")} {
			if err == nil || !strings.Contains(err.Error(), "--format=json") {
				t.Errorf("%s of %s: %v", name, fields, err)
			}
		}
	}
}

// A named temper and complement's normalised weights are in the arrays too.
func TestArraysOfANamedTemper(t *testing.T) {
	m := read(t, `{"spec":"text: {likelihood: complement, norm: true, temper: {t: 3, gamma: 0.5}}"}`+"\n"+`{"class":"a","documents":1}`+"\n"+`{"class":"a","term":"x","count":2}`)
	var b bytes.Buffer
	if err := exchange.WriteArrays(t.Context(), &b, m); err != nil || !strings.HasPrefix(b.String(), `{"likelihood":"complement","alpha":1,"norm":true,"cap":0,"sublinear":false,"weight":1,"shape":null,"edges":null,"temper":{"t":3,"gamma":0.5,"amplifies":true},`) {
		t.Errorf("%v: %.200s", err, b.String())
	}
}
