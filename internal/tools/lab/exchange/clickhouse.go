package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// rowsPerInsert keeps a statement below ClickHouse's max_query_size of 256 KiB.
const rowsPerInsert = 1000

// WriteSQL writes the words of a model as statements for ClickHouse: a table of classes with the
// prior that enters, one of counts, one of the shapes of texts, one of the words at their ends, one
// of the corrections that enter, lambda times which the score of a token has more, one with a single
// row that says how the words are scored (where candidates race, by the leader; without a temper t
// is 1 and gamma 0), the rows, and a dictionary of the counts for lookups of n-grams. The names of
// the tables begin with name.
func WriteSQL(ctx context.Context, w io.Writer, m *model.Model, name string) error {
	switch {
	case m.Text() == nil:
		return errors.New("the model reads no text, so it has no n-grams to export")
	case m.ReadsCharacters():
		return errCharacters
	case m.Spec().HasFields():
		return errors.New("the tables are for words, and have no place for numbers and categories beside them: export the " +
			"model with --format=json")
	}
	lead, _ := m.Deciding()
	q := identifier(name)
	out := &sqlWriter{w: w}
	for _, t := range sqlTables {
		out.f("CREATE TABLE IF NOT EXISTS %s_%s (%s) ENGINE = MergeTree ORDER BY %s;\n", q, t[0], t[1], t[2])
	}
	if lead.Temper == nil {
		lead.Temper = &spec.Temper{T: 1}
	}
	out.begin(q + "_scoring (likelihood, norm, alpha, sublinear, shape, edges, weight, t, gamma, lambda)")
	out.row("(%s, %t, %v, %t, %t, %t, %v, %v, %v, %v)", literal(lead.Likelihood), lead.Norm, lead.Alpha, lead.Sublinear,
		lead.Shape, lead.Edges, lead.Weight, lead.Temper.T, lead.Temper.Gamma, m.Lambda())
	ids := map[string]int{}
	priors := logPriors(m)
	out.begin(q + "_classes (class_id, class, documents, log_prior)")
	for i, c := range m.Classes().Choices() {
		class := m.Classes().Name(c)
		ids[class] = i
		if !spec.IsLikelihood(lead.Likelihood) {
			priors[i] = 0
		}
		out.row("(%d, %s, %d, %v)", i, literal(class), m.Classes().Documents(c), priors[i])
	}
	out.cells(ctx, q, m, ids)
	out.end()
	out.f("CREATE DICTIONARY IF NOT EXISTS %s_counts (ngram String, class_id UInt32, count "+
		"UInt64 DEFAULT 0)\nPRIMARY KEY ngram, class_id\n"+
		"SOURCE(CLICKHOUSE(TABLE '%s_ngrams'))\nLAYOUT(COMPLEX_KEY_HASHED())\nLIFETIME(0);\n", q, q)
	if out.err != nil {
		return fmt.Errorf("export: %w", out.err)
	}
	return nil
}

// errCharacters is the error of a model whose decisions read more than a table of terms.
var errCharacters = errors.New("the model decides by corrections of characters, which only --format=json has: leave " +
	"out text.characters, or export that")

// sqlWriter writes statements, with many rows in each INSERT.
type sqlWriter struct {
	w    io.Writer
	err  error
	into string
	rows int
}

// cells writes the rows of the counts and of the corrections that enter. ids are those of the classes.
func (s *sqlWriter) cells(ctx context.Context, q string, m *model.Model, ids map[string]int) {
	task := showProgress(ctx, m)
	defer task.End()
	for c := range cells(m, task) {
		block := ""
		switch {
		case c.value == "":
			s.begin(q + "_ngrams (ngram, class_id, count)")
		case c.value == corrections:
			if !c.enters(m) {
				continue
			}
			s.begin(q + "_corrections (ngram, class_id, correction)")
		case model.IsShape(c.value):
			s.begin(q + "_shape (measure, size, class_id, documents)")
			block = literal(c.value) + ", "
		default:
			s.begin(q + "_edges (edge, word, class_id, documents)")
			block = literal(c.value) + ", "
		}
		s.row("(%s%s, %d, %d)", block, literal(string(c.term)), ids[c.class], c.count)
	}
}

// sqlTables are the tables: what the name ends in, the columns, and the order of the rows.
var sqlTables = [][3]string{
	{"classes", "class_id UInt32, class String, documents UInt64, log_prior Float64", "class_id"},
	{"ngrams", "ngram String, class_id UInt32, count UInt64", "(ngram, class_id)"},
	{"shape", "measure String, size String, class_id UInt32, documents UInt64", "(measure, size, class_id)"},
	{"edges", "edge String, word String, class_id UInt32, documents UInt64", "(edge, word, class_id)"},
	{"corrections", "ngram String, class_id UInt32, correction Int64", "(ngram, class_id)"},
	{"scoring", "likelihood String, norm Bool, alpha Float64, sublinear Bool, shape Bool, edges Bool, weight Float64, " +
		"t Float64, gamma Float64, lambda Float64", "tuple()"},
}

func (s *sqlWriter) f(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

// begin starts an INSERT into a table unless it is the last one.
func (s *sqlWriter) begin(into string) {
	if s.into != into {
		s.end()
		s.into = into
	}
}

func (s *sqlWriter) row(format string, args ...any) {
	if s.rows == rowsPerInsert {
		s.end()
	}
	if s.rows == 0 {
		s.f("INSERT INTO %s VALUES\n", s.into)
	} else {
		s.f(",\n")
	}
	s.f(format, args...)
	s.rows++
}

// end ends the current INSERT.
func (s *sqlWriter) end() {
	if s.rows > 0 {
		s.f(";\n")
	}
	s.rows = 0
}

// literal quotes a string as ClickHouse reads it.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// identifier returns a name that needs no quotes.
func identifier(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	if out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "_" + out
	}
	return out
}
