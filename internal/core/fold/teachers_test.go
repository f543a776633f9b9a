package fold_test

import (
	"fmt"
	"maps"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/storetest"
)

// TestTeachers: a label is right if the next one who labels the document says it too, and wrong if
// it is changed. Nobody judges a label of his own, and a forget judges none.
func TestTeachers(t *testing.T) {
	say := func(id, label, by string) storetest.Record {
		return storetest.Record{ID: id, Label: label, By: by, Weight: 1, Text: "vote", Numbers: make([]model.Number, 4), Categories: make([]model.Category, 2)}
	}
	s := storetest.Learned(t, storetest.Spec(t, spec.Multinomial, 1000, 3), []storetest.Record{
		say("a", "ham", "llm"), say("a", "spam", "anna"), // llm was wrong,
		say("b", "ham", "llm"), say("b", "ham", ""), say("b", "spam", ""), // and right, what nobody has said is not judged
		say("c", "ham", "llm"), say("c", "spam", "llm"), // it corrects itself,
		say("", "ham", "llm"),
		say("d", "ham", "llm"), {ID: "d", Weight: 1}, say("d", "spam", "anna"), // and is forgotten
		say("e", "ham", "llm"), say("f", "ham", ""), say("g", "ham", ""), say("h", "ham", ""), say("e", "spam", "anna"), // the ledger does not know e any more
	})
	want := fold.Teachers{"llm": {Labels: 7, Agreed: 1, Corrected: 1}, "anna": {Labels: 3}}
	if got := s.Teachers(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestManyTeachers: names that records say without end take no more memory.
func TestManyTeachers(t *testing.T) {
	var records []storetest.Record
	for i := range 150 {
		r := storetest.Document(fmt.Sprint(i), func(int) int { return 0 })
		r.By = fmt.Sprint("name ", i)
		records = append(records, r)
	}
	s := storetest.Learned(t, storetest.Spec(t, spec.Multinomial, 1000, 1000), records)
	if n := len(s.Teachers()); n != 100 || s.Teachers()["name 99"].Labels != 1 {
		t.Errorf("%d names have a count, want the first 100", n)
	}
}
