package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// query reads the parameters of an address. The first that is wrong is the error.
type query struct {
	values url.Values
	known  []string
	err    error
}

func queryOf(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = fmt.Errorf("the query of the address cannot be read: %w", err)
	}
	return &query{values: values, err: err}
}

func (q *query) text(name string) string {
	q.known = append(q.known, name)
	if len(q.values[name]) > 1 {
		q.wrong(name, "one value")
	}
	return q.values.Get(name)
}

func (q *query) has(name string) bool { return q.values.Has(name) }

func (q *query) wrong(name, want string) {
	if q.err == nil {
		q.err = fmt.Errorf("%s=%q: want %s", name, q.values.Get(name), want)
	}
}

func (q *query) oneOf(name string, choices ...string) string {
	value := q.text(name)
	if value == "" {
		return choices[0]
	}
	if !slices.Contains(choices, value) {
		q.wrong(name, "one of "+strings.Join(choices, ", "))
	}
	return value
}

func (q *query) number(name string, usual, least, most float64) float64 {
	text := q.text(name)
	if text == "" {
		return usual
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) {
		q.wrong(name, fmt.Sprintf("a number from %v to %v", least, most))
		return usual
	}
	return x
}

func (q *query) integer(name string, usual, least, most int64) int64 {
	text := q.text(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		q.wrong(name, fmt.Sprintf("an integer from %d to %d", least, most))
		return usual
	}
	return n
}

// limit reads the entries of a page.
func (q *query) limit() int { return int(q.integer("limit", usualPage, 1, mostPage)) }

const (
	usualPage = 50
	mostPage  = 200
)

// check returns what is wrong with the query. It comes after all parameters were read.
func (q *query) check() error {
	for name := range q.values {
		if q.err == nil && !slices.Contains(q.known, name) {
			q.err = fmt.Errorf("unknown query parameter %q", name)
		}
	}
	return q.err
}
