package exchange_test

import (
	"bytes"
	"errors"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/alloctest"
	"bayestream/internal/tools/lab/exchange"
)

// imported adds what was read to an empty model, and checks that the model makes sense.
func imported(t *testing.T, c *exchange.Counts, err error) {
	t.Helper()
	if line := (*wire.LineError)(nil); err != nil {
		if !errors.As(err, &line) || line.Line < 1 {
			t.Fatalf("the error names no line: %v", err)
		}
		return
	}
	m := model.New(c.Spec)
	if err := c.AddTo(m); err != nil {
		return
	}
	for i, table := range m.Tables() {
		if err := table.Check(); err != nil {
			t.Fatalf("table %d: %v", i, err)
		}
	}
}

// Any lines are an export, or an error that names the line.
func FuzzReadLines(f *testing.F) {
	spec := `{"spec":"name: a\ncategories: [{field: c}]\nnumbers: [{fields: [x]}]\n"}` + "\n"
	for _, text := range []string{
		spec + `{"class":"a","documents":2}` + "\n" + `{"class":"a","term":"x","count":3}` + "\n" + `{"class":"a","table":"categories[0]","value":"v","count":1}` + "\n" +
			`{"class":"a","block":"numbers[0]","n":[2],"sum":["30"],"products":["500"]}` + "\n" + `{"lines":5}` + "\n",
		spec + `{"lines":1}`, spec, `{"spec":"numbers: [{fields: [x], likelihood: qda}]"}`, "{}", `{"class":"a","documents":-1}`, "\x1f\x8b",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c *exchange.Counts
		var err error
		alloctest.Bound(t, len(text), func() {
			c = &exchange.Counts{}
			err = c.ReadLines("f", bytes.NewReader(text))
		})
		imported(t, c, err)
	})
}

// Any lines are a word list, or an error that names the line.
func FuzzReadBogofilter(f *testing.F) {
	for _, text := range []string{".MSG_COUNT 2 3 20260101\nprize 2 0 20260101\nsubj:lunch 0 3 20260101\n.ENCODING 2 0 0\n", "a 1 1", "a 99999999999999999999 0\n", "\xff 1 1 1\n"} {
		f.Add([]byte(text))
	}
	s := spec.Default()
	f.Fuzz(func(t *testing.T, text []byte) {
		var c *exchange.Counts
		var err error
		alloctest.Bound(t, len(text), func() {
			c = &exchange.Counts{}
			err = c.ReadBogofilter("f", bytes.NewReader(text), s)
		})
		imported(t, c, err)
	})
}
