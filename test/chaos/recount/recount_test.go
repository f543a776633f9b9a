package recount

import (
	"math/big"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// records makes the records of a partition. A value that begins with a reason and a colon is a bad
// one.
func records(topic string, values ...string) []*kgo.Record {
	var list []*kgo.Record
	for i, value := range values {
		rec := &kgo.Record{Topic: topic, Offset: int64(i), Value: []byte(value)}
		if reason, rest, ok := strings.Cut(value, "!"); ok {
			rec.Value = []byte(rest)
			rec.Headers = []kgo.RecordHeader{{Key: Expect, Value: []byte(reason)}}
		}
		list = append(list, rec)
	}
	return list
}

// counted returns the documents that count, as label, weight and text.
func counted(t *testing.T, limit int, values ...string) (*Count, map[string]int64) {
	t.Helper()
	c := New(limit, "documents", [][]*kgo.Record{records("documents", `{"text":"told"}`, `no_text!{}`, "not_json!no")})
	c.documents[0][1].Value = nil
	c.documents[0][1].Headers = nil
	if err := c.Partition(records("training", values...)); err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for doc, weight := range c.counted {
		text := strings.Split(doc.value, `"`)[3]
		if weight != 0 {
			found[doc.label+" "+text] += weight
		}
	}
	return c, found
}

// TestLedger: the rules for ids, one record after the other.
func TestLedger(t *testing.T) {
	for _, c := range []struct {
		what   string
		limit  int
		values []string
		want   map[string]int64
	}{
		{"replace", 2, []string{`{"id":"a","label":"x","text":"one"}`, `{"id":"a","label":"y","text":"two","weight":3}`}, map[string]int64{"y two": 3}},
		{"forget", 2, []string{`{"id":7,"label":"x","text":"one"}`, `{"id":"7","label":null}`}, map[string]int64{}},
		{"forget the unknown", 2, []string{`{"id":"a","label":null}`}, map[string]int64{}},
		{"no id", 1, []string{`{"label":"x","text":"one"}`, `{"label":"x","text":"one"}`}, map[string]int64{"x one": 2}},
		{"evicted", 2, []string{`{"id":"a","label":"x","text":"one"}`, `{"id":"b","label":"y","text":"two"}`, `{"id":"c","label":"y","text":"three"}`,
			`{"id":"a","label":null}`}, map[string]int64{"x one": 1, "y two": 1, "y three": 1}},
		{"a replaced id is new", 2, []string{`{"id":"a","label":"x","text":"one"}`, `{"id":"b","label":"y","text":"two"}`, `{"id":"a","label":"x","text":"one"}`,
			`{"id":"c","label":"y","text":"three"}`, `{"id":"b","label":null}`, `{"id":"a","label":null}`}, map[string]int64{"y two": 1, "y three": 1}},
		{"ref", 2, []string{`{"id":"a","label":"x","ref":{"topic":"documents","partition":0,"offset":0}}`}, map[string]int64{"x told": 1}},
	} {
		if _, got := counted(t, c.limit, c.values...); len(got) != len(c.want) || !equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

func equal(a, b map[string]int64) bool {
	for key, n := range b {
		if a[key] != n {
			return false
		}
	}
	return true
}

// TestDead: a bad record, a ref to a null, to a bad document and to nothing.
func TestDead(t *testing.T) {
	ref := `{"label":"x","ref":{"topic":"documents","partition":0,"offset":`
	c, _ := counted(t, 2, `bad_label!{"label":7}`, ref+"1}}", ref+"2}}", ref+"9}}")
	want := map[string]string{"training/0/0": "bad_label", "training/0/1": "ref_gone", "training/0/2": "not_json", "training/0/3": "ref_gone"}
	for place, reason := range want {
		if c.Dead[place] != reason {
			t.Errorf("%s is %q, want %q", place, c.Dead[place], reason)
		}
	}
	if len(c.Dead) != len(want) {
		t.Errorf("dead letters: %v", c.Dead)
	}
}

const exported = `{"spec":"name: chaos"}
{"class":"x","documents":3}
{"class":"x","term":"pie","count":1}
{"class":"x","table":"categories[0]","value":"FR","count":1}
{"class":"x","table":"length","value":"1","count":1}
{"class":"x","table":"longest","value":"3","count":1}
{"class":"x","table":"nonwords","value":"0","count":1}
{"class":"x","table":"first","value":"pie","count":1}
{"class":"x","table":"last","value":"pie","count":1}
{"class":"x","block":"numbers[0]","n":[3,0],"sum":["3250000000","0"],"products":["10562500000000000000","0"]}
{"lines":10}
`

// TestCounts: the sums of a document are those of an export.
func TestCounts(t *testing.T) {
	want, err := Exported(strings.NewReader(exported))
	if err != nil {
		t.Fatal(err)
	}
	got := Counts{}
	doc := learned{label: "x", value: `{"text":"pie","numbers":{"length":3.25},"categories":{"country":"FR"}}`}
	if err := got.add(doc, 1, strings.Fields); err != nil {
		t.Fatal(err)
	}
	got[`["documents" "x"]`].SetInt64(3)
	got[`["numbers[0]" "x" "length" "n"]`] = big.NewInt(3)
	if found := Differences(got, want); len(found) > 0 {
		t.Error(found)
	}
	got[`["documents" "x"]`].SetInt64(4)
	if found := Differences(got, want); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if _, err := Exported(strings.NewReader(strings.TrimSuffix(exported, "{\"lines\":10}\n"))); err == nil {
		t.Error("an export that was cut off is whole")
	}
}

// TestOutput: decisions and dead letters that are missing, twice, out of order, or of nothing.
func TestOutput(t *testing.T) {
	documents := records("documents", `{"text":"a"}`, "not_json!b", `{"text":"c"}`, `{"text":"d"}`)
	decision := func(source string) *kgo.Record {
		return &kgo.Record{Value: []byte("{}"), Headers: []kgo.RecordHeader{{Key: "bayestream-source", Value: []byte(source)}}}
	}
	var o Output
	o.Labels([][]*kgo.Record{documents}, [][]*kgo.Record{{decision("documents/0/2"), decision("documents/0/0"), decision("documents/0/0"), decision("documents/0/1")}})
	if o.Decisions != 2 || o.Duplicates != 1 || o.DisOrder != 1 || len(o.Wrong) != 2 {
		t.Errorf("got %+v", o)
	}
	letter := &kgo.Record{Headers: []kgo.RecordHeader{
		{Key: "__connect.errors.topic", Value: []byte("documents")}, {Key: "__connect.errors.partition", Value: []byte("0")},
		{Key: "__connect.errors.offset", Value: []byte("1")}, {Key: "__connect.errors.exception.class.name", Value: []byte("bayestream.not_json")},
	}}
	want := map[string]string{}
	BadDocuments([][]*kgo.Record{documents}, want)
	o = Output{}
	o.Dead([][]*kgo.Record{{letter, letter}}, want)
	if o.DeadLetters != 1 || o.DuplicateDeadLetter != 1 || len(o.Wrong) != 0 {
		t.Errorf("got %+v", o)
	}
	want["documents/0/3"] = "no_text"
	want["documents/0/1"] = "no_text"
	o = Output{}
	o.Dead([][]*kgo.Record{{letter}}, want)
	if len(o.Wrong) != 2 {
		t.Errorf("got %+v", o)
	}
}
