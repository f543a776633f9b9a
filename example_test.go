package bayestream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"bayestream"
)

var mails = []struct{ label, text string }{
	{"spam", "cheap pills, buy now"},
	{"spam", "you won a prize, click now"},
	{"ham", "shall we meet for lunch"},
	{"ham", "the report is due on Friday"},
}

// A model that the program trains itself.
func Example() {
	m, err := bayestream.New("text: {likelihood: multinomial}")
	if err != nil {
		panic(err)
	}
	for _, mail := range mails {
		if err := m.Learn(mail.label, bayestream.Document{Text: mail.text}); err != nil {
			panic(err)
		}
	}
	d, err := m.Classify(bayestream.Document{Text: "buy a prize"})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %.2f\n", d.Label, d.Posterior("spam"))
	for _, e := range d.Evidence {
		fmt.Printf("%s %+.2f\n", e.Term, e.Weight)
	}
	// Output:
	// spam 0.90
	// a +0.73
	// buy +0.73
	// prize +0.73
}

// A model that is kept in a file. The verbs predict, eval and explain read the same file.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "mail.db")

	m, err := bayestream.Open(path, "name: mail")
	if err != nil {
		panic(err)
	}
	for _, mail := range mails {
		if err := m.Learn(mail.label, bayestream.Document{Text: mail.text}); err != nil {
			panic(err)
		}
	}
	if err := errors.Join(m.Save(), m.Close()); err != nil {
		panic(err)
	}

	loaded, err := bayestream.Load(context.Background(), path)
	if err != nil {
		panic(err)
	}
	fmt.Println(loaded.Counts())
	// Output: map[ham:2 spam:2] <nil>
}

// Numbers and categories beside the text, by a spec.
func ExampleDocument() {
	m, err := bayestream.New(`
text: {alpha: 1}
numbers: [{fields: [amount], var_smoothing: 1e-9}]
categories: [{field: country}]
`)
	if err != nil {
		panic(err)
	}
	learn := func(label, text, country string, amount float64) {
		err := m.Learn(label, bayestream.Document{
			Text: text, Numbers: map[string]float64{"amount": amount}, Categories: map[string]string{"country": country},
		})
		if err != nil {
			panic(err)
		}
	}
	learn("fraud", "gift cards", "XX", 900)
	learn("fraud", "gift cards urgent", "XX", 950)
	learn("fine", "coffee", "DE", 4)
	learn("fine", "train ticket", "DE", 60)
	d, err := m.Classify(bayestream.Document{Text: "coffee", Numbers: map[string]float64{"amount": 5}})
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Label)
	// Output: fine
}

// What was learned can be taken out again, exactly.
func ExampleModel_Unlearn() {
	m, err := bayestream.New("")
	if err != nil {
		panic(err)
	}
	wrong := bayestream.Document{Text: "minutes of the meeting"}
	if err := m.Learn("spam", wrong); err != nil {
		panic(err)
	}
	fmt.Println(m.Counts())
	if err := m.Unlearn("spam", wrong); err != nil {
		panic(err)
	}
	fmt.Println(m.Counts())
	fmt.Println(errors.Is(m.Unlearn("spam", wrong), bayestream.ErrNotLearned))
	// Output:
	// map[spam:1] <nil>
	// map[] <nil>
	// true
}
