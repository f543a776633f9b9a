package tokenize

import (
	"strings"
	"testing"
)

func TestOptionsAreChecked(t *testing.T) {
	if _, err := New(DefaultOptions()); err != nil {
		t.Fatalf("the default options: %v", err)
	}
	for _, c := range []struct {
		change func(*Options)
		says   string
	}{
		{func(o *Options) { *o = Options{} }, `language is ""`},
		{func(o *Options) { o.Language = "English" }, "use one of arabic, danish"},
		{func(o *Options) { o.NGrams = 0 }, "n-grams of 0 words: use 1 to 5"},
		{func(o *Options) { o.NGrams = 6 }, "use 1 to 5"},
		{func(o *Options) { o.TermBytes = 15 }, "terms of 15 bytes: use 16 to 1024"},
		{func(o *Options) { o.TermBytes = 1025 }, "use 16 to 1024"},
		{func(o *Options) { o.CharMin = 3 }, "character n-grams of 3 to 0"},
		{func(o *Options) { o.CharMax = 3 }, "character n-grams of 0 to 3"},
		{func(o *Options) { o.CharMin, o.CharMax = 4, 3 }, "the smaller first"},
		{func(o *Options) { o.CharMin, o.CharMax = 1, 9 }, "from 1 to 8"},
		{func(o *Options) { o.CharMin, o.CharMax = 3, 5; o.NGrams = 2 }, "use one of the two"},
		{func(o *Options) { o.Stop = []string{"fine", "two words"} }, `stop word "two words" is not one word`},
		{func(o *Options) { o.Stop = []string{""} }, `stop word "" is empty`},
		{func(o *Options) { o.Stop = []string{"!!!"} }, `stop word "!!!" has no letter, digit or emoji`},
		{func(o *Options) { o.Stop = []string{"12345"} }, `stop word "12345" is a number of more than 4 digits`},
		{func(o *Options) { o.Stop = []string{"http://shop.example/now"} }, `stop word "http://shop.example/now" is an address`},
		{func(o *Options) { o.Stop = []string{"me@shop.example"} }, `stop word "me@shop.example" is an address`},
		{func(o *Options) { o.Stop = []string{"at shop.example"} }, `stop word "at shop.example" is not one word`},
		{func(o *Options) { o.Stop = []string{"12345 67890"} }, `is not one word`},
	} {
		o := DefaultOptions()
		c.change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("options %+v: error %v, want one that says %q", o, err, c.says)
		}
	}
}

func TestEveryLanguage(t *testing.T) {
	for _, language := range append(languages(), none) {
		o := DefaultOptions()
		o.Language = language
		if got := terms(newScanner(t, o), "a test"); len(got) != 2 {
			t.Errorf("%s: terms of \"a test\": %q", language, got)
		}
	}
}
