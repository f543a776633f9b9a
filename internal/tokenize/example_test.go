package tokenize_test

import (
	"fmt"

	"bayestream/internal/tokenize"
)

// english is what a model's spec has if it does not say otherwise.
func english() tokenize.Options {
	return tokenize.Options{Language: "english", Stem: true, NGrams: 1, TermBytes: 64}
}

// show prints the terms of a text.
func show(o tokenize.Options, text string) {
	t, err := tokenize.New(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	var terms []string
	t.NewScanner().Scan([]byte(text), "", func(term []byte) { terms = append(terms, string(term)) })
	fmt.Printf("%q\n", terms)
}

func Example() {
	t, err := tokenize.New(english())
	if err != nil {
		fmt.Println(err)
		return
	}
	s := t.NewScanner()
	s.Scan([]byte("FREE prizes!"), "subject:", func(term []byte) { fmt.Println(string(term)) })
	s.Scan([]byte("Call 09061701461 or visit www.Prizes.example/now"), "", func(term []byte) { fmt.Println(string(term)) })
	// Output:
	// subject:free
	// subject:prize
	// call
	// <num:11>
	// or
	// visit
	// <url>
	// prizes.example
}

func ExampleScanner_Steps() {
	t, err := tokenize.New(english())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range t.NewScanner().Steps(&tokenize.Segment{Text: []byte("V\u200Biagra’s 10,000 ＦＡＮＳ 👍🏽")}) {
		fmt.Printf("%-18s %q\n", step.Name, step.Items)
	}
	// Output:
	// bytes              ["V\u200biagra’s 10,000 ＦＡＮＳ 👍🏽"]
	// normalised         ["viagra's 10,000 fans 👍🏽"]
	// words              ["viagra's" "10,000" "fans" "👍🏽"]
	// classes            ["viagra's" "<num:5>" "fans" "👍🏽"]
	// without stop words ["viagra's" "<num:5>" "fans" "👍🏽"]
	// stems              ["viagra" "<num:5>" "fan" "👍🏽"]
	// terms              ["viagra" "<num:5>" "fan" "👍🏽"]
}

func ExampleOptions_ngrams() {
	o := english()
	o.NGrams = 2
	show(o, "not good at all")
	// Output: ["not" "good" "not good" "at" "good at" "all" "at all"]
}

func ExampleOptions_characters() {
	o := english()
	o.CharMin, o.CharMax = 3, 3
	show(o, "v1agra")
	o.CharMin, o.CharMax = 2, 2
	show(o, "选举将按时举行")
	// Output:
	// [" v1" "v1a" "1ag" "agr" "gra" "ra "]
	// [" 选" "选举" "举将" "将按" "按时" "时举" "举行" "行 "]
}

func ExampleOptions_html() {
	o := english()
	o.HTML = true
	show(o, `<style>p{}</style><p>Vi<b>ag</b>ra<br><a href="http://pills.example/buy">buy</a>`)
	// Output: ["viagra" "<url>" "pills.example" "buy"]
}

func ExampleStopWords() {
	o := english()
	stop, err := tokenize.StopWords("english")
	if err != nil {
		fmt.Println(err)
		return
	}
	o.Stop = append(stop, "football")
	show(o, "It's the football of the elections")
	// Output: ["elect"]
}
