package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/mail"
	"bayestream/internal/tools/cli"
)

// inspectedWord is the output of inspect --term: the counts of the terms of a word, and the totals
// of the classes.
type inspectedWord struct {
	Word       string                     `json:"word"`
	Terms      []wordTerm                 `json:"terms"`
	Classes    map[string]inspectedTotals `json:"classes"`
	Vocabulary int                        `json:"vocabulary"`
}

type wordTerm struct {
	Term   string           `json:"term"`
	Counts map[string]int64 `json:"counts"` // by class
	known  bool
}

type inspectedTotals struct {
	Documents int64 `json:"documents"`
	Tokens    int64 `json:"tokens"`
}

// inspectTerm shows the counts of the terms of a word.
func (f *inspectFlags) inspectTerm(p cli.Process, m *model.Model) error {
	if m.Text() == nil {
		return cli.WrongInput(errors.New("the model reads no text, so it has no words"))
	}
	terms, err := markedTerms(m.Spec(), f.Term)
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		return cli.WrongInput(fmt.Errorf("%q contains no word that the model counts; bayestream tokenize --spec=FILE shows "+
			"the terms of a text", f.Term))
	}
	w := inspectedWord{Word: f.Term, Classes: map[string]inspectedTotals{}, Vocabulary: m.Text().Vocabulary()}
	for _, marked := range terms {
		if err := w.add(m, marked); err != nil {
			return err
		}
	}
	for _, c := range m.Classes().Live() {
		w.Classes[m.Classes().Name(c)] = inspectedTotals{m.Classes().Documents(c), m.Text().Total(c)}
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(w)
	}
	return w.write(p, m)
}

// marksOf returns what the terms of a model begin with.
func marksOf(s *spec.Spec) []string {
	if s.Format == wire.FormatMail {
		return mail.Marks()
	}
	return slices.Compact(s.TextMarks())
}

// markedTerms returns the terms that the words of a text may be counted as: for each the term under
// each mark. A text that begins with a mark is of that one alone.
func markedTerms(s *spec.Spec, text string) ([][]string, error) {
	marks := marksOf(s)
	for _, mark := range marks {
		if rest, ok := strings.CutPrefix(text, mark); ok && mark != "" {
			marks = []string{mark}
			text = rest
			break
		}
	}
	terms, err := termsOf(s, text)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, term := range terms {
		var marked []string
		for _, mark := range marks {
			marked = append(marked, mark+term)
		}
		out = append(out, marked)
	}
	return out, nil
}

// add adds the counts of the terms that are in the vocabulary; if there are none, the
// first one with no counts.
func (w *inspectedWord) add(m *model.Model, terms []string) error {
	none := len(w.Terms)
	for _, term := range terms {
		key, err := m.Spec().CountedTerm([]byte(term))
		if err != nil {
			return err
		}
		row := m.Text().Lookup(bow.Hash(key), key)
		if row >= 0 {
			w.Terms = append(w.Terms, wordTermOf(m, term, row))
		}
	}
	if len(w.Terms) == none {
		w.Terms = append(w.Terms, wordTermOf(m, terms[0], -1))
	}
	return nil
}

// wordTermOf returns the counts in a row; -1: the term is not in the vocabulary.
func wordTermOf(m *model.Model, term string, row int) wordTerm {
	found := wordTerm{Term: term, Counts: map[string]int64{}, known: row >= 0}
	for _, c := range m.Classes().Live() {
		n := int64(0)
		if found.known {
			n = m.Text().Count(row, c)
		}
		found.Counts[m.Classes().Name(c)] = n
	}
	return found
}

// write writes the counts for people.
func (w *inspectedWord) write(p cli.Process, m *model.Model) error {
	out := &printer{w: p.Stdout}
	for _, t := range w.Terms {
		if !t.known {
			out.f("%-24s is not in the vocabulary\n", t.Term)
			continue
		}
		for _, c := range m.Classes().Live() {
			name := m.Classes().Name(c)
			total := w.Classes[name]
			out.f("%-24s %-16s %8d of %s of %s\n", t.Term, name, t.Counts[name], counted(total.Tokens, "token"),
				counted(total.Documents, "document"))
		}
	}
	return out.err
}
