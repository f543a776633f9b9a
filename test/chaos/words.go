//go:build linux

package main

import (
	"encoding/json"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// spec is the model of the suite: words, two numbers, a category, and a ledger that is soon full.
const spec = `name: chaos
text: {}
numbers:
  - fields: [length, digits]
    var_smoothing: 0.1
categories:
  - field: country
limits:
  ledger: 600
`

// ledger is the number in the spec.
const ledger = 600

var labels = []string{"spam", "ham", "news", "späm", "a b"}

// words are those of all texts: plain ones, inflected ones, and those that a tokenizer stumbles
// over.
var words = makeWords()

func makeWords() []string {
	list := []string{
		"naïve", "Straße", "İstanbul", "can't", "e-mail", "http://win.example/now?x=1", "a@b.example", "50%", "£1,000.50",
		"ΑΒΓ", "привет", "日本語", "🎉", "😀👍🏽",
		"x_y", "C++", "<b>bold</b>", "&amp;", "e\u0301te\u0301", "don\u2019t", "\u00ad", "3.14", "-7", "#tag", "@name",
	}
	for i := range 1500 {
		list = append(list, fmt.Sprintf("%s%s", string(rune('a'+i%26))+string(rune('a'+i/26%26))+"tion",
			[]string{"", "s", "ing", "ed", "al"}[i%5]))
	}
	return list
}

// bad is a record that becomes a dead letter.
type bad struct{ reason, value string }

var badTraining = []bad{
	{"not_json", "no json at all"}, {"not_json", `{"text":"cut off`}, {"not_json", `["an array"]`}, {"invalid_utf8",
		"{\"text\":\"\xff\xfe\",\"label\":\"spam\"}"},
	{"no_label", `{"text":"no label"}`}, {"bad_label", `{"text":"a","label":7}`}, {"bad_label", `{"text":"a","label":""}`},
	{"bad_id", `{"id":{},"text":"a","label":"spam"}`},
	{"bad_id", `{"label":null}`}, {"bad_weight", `{"text":"a","label":"spam","weight":0}`}, {"bad_weight",
		`{"text":"a","label":"spam","weight":1001}`},
	{"no_text", `{"label":"spam"}`}, {"bad_number", `{"text":"a","label":"spam","numbers":{"length":"3"}}`},
	{"number_range", `{"text":"a","label":"spam","numbers":{"length":1e30}}`}, {"bad_category",
		`{"text":"a","label":"spam","categories":{"country":1}}`},
	{"ref_denied", `{"label":"spam","ref":{"topic":"elsewhere","partition":0,"offset":0}}`}, {"bad_ref",
		`{"label":"spam","ref":7}`},
}

var badDocuments = []bad{
	{"not_json", "no json at all"}, {"invalid_utf8", "{\"text\":\"\xff\xfe\"}"}, {"no_text", `{"id":"a"}`}, {"bad_id",
		`{"id":[],"text":"a"}`},
	{"bad_number", `{"text":"a","numbers":{"digits":true}}`}, {"bad_category", `{"text":"a","categories":{"country":{}}}`},
}

// record makes a good record.
func record(v map[string]any) *kgo.Record {
	value, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers can be written
	}
	return &kgo.Record{Value: value}
}
