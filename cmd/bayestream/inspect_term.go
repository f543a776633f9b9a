package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"bayestream/internal/bow"
	"bayestream/internal/cli"
	"bayestream/internal/model"
)

// inspectedWord is the output of inspect --term: the counts of the terms of a word, and the totals of the classes.
type inspectedWord struct {
	Word       string                     `json:"word"`
	Terms      []wordTerm                 `json:"terms"`
	Classes    map[string]inspectedTotals `json:"classes"`
	Vocabulary int                        `json:"vocabulary"`
}

type wordTerm struct {
	Term   string           `json:"term"`
	Counts map[string]int64 `json:"counts"` // by class
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
	terms, err := termsOf(m.Spec(), f.Term)
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		return cli.WrongInput(fmt.Errorf("%q contains no word that the model counts; bayestream tokenize shows the terms of a text", f.Term))
	}
	w := inspectedWord{Word: f.Term, Classes: map[string]inspectedTotals{}, Vocabulary: m.Text().Vocabulary()}
	out := &printer{w: p.Stdout}
	for _, term := range terms {
		key, err := m.Spec().CountedTerm([]byte(term))
		if err != nil {
			return err
		}
		row := m.Text().Lookup(bow.Hash(key), key)
		if row < 0 && !f.JSON {
			out.f("%-24s is not in the vocabulary\n", term)
		}
		found := wordTerm{Term: term, Counts: map[string]int64{}}
		for _, c := range m.Classes().Live() {
			name, total := m.Classes().Name(c), inspectedTotals{m.Classes().Documents(c), m.Text().Total(c)}
			if row >= 0 {
				found.Counts[name] = m.Text().Count(row, c)
			} else {
				found.Counts[name] = 0
			}
			w.Classes[name] = total
			if row >= 0 && !f.JSON {
				out.f("%-24s %-16s %8d of %s of %s\n", term, name, found.Counts[name], counted(total.Tokens, "token"), counted(total.Documents, "document"))
			}
		}
		w.Terms = append(w.Terms, found)
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(w)
	}
	return out.err
}
