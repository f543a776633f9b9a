package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/tokenize"

	"google.golang.org/protobuf/proto"
)

// maxLine is the longest line of an import: a spec with many stop words fits.
const maxLine = 16 << 20

// Counts are the sums of files of counts, with their spec.
type Counts struct {
	Spec    *spec.Spec  // nil before the first file
	race    *race.State // what the scores come to; nil: there are none
	Lines   int64       // read
	Foreign int64       // tokens of headers that are not read here
	builder *model.Builder
	sums    map[sum]int64
	since   int64 // lines of the current export; 0: its last line was read
}

// ReadLines adds exports of WriteLines, gzip or not, in one file or several. All must have the same
// counting settings. The error is a *wire.LineError.
func (c *Counts) ReadLines(file string, r io.Reader) error {
	in, err := unpack.Text(r)
	if err != nil {
		return &wire.LineError{File: file, Line: 1, Err: wire.Unreadable(err)}
	}
	lines := wire.NewLines(file, in, maxLine)
	before := c.Lines
	if err := c.eachLine(file, lines, c.readLine); err != nil {
		return err
	}
	if c.Lines == before {
		return &wire.LineError{File: file, Line: 1, Err: errors.New("the file is empty: want " +
			"the lines that export --format=json writes")}
	}
	if c.since > 0 {
		return &wire.LineError{File: file, Line: lines.Number() - 1, Err: errTruncated}
	}
	return nil
}

// eachLine calls read with each line and counts it. The error of read becomes one at its line.
func (c *Counts) eachLine(file string, lines *wire.Lines, read func(text []byte) error) error {
	for {
		text, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := read(text); err != nil {
			return &wire.LineError{File: file, Line: lines.Number(), Err: err}
		}
		c.Lines++
	}
}

func (c *Counts) readLine(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("the line is not UTF-8")
	}
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		wrong := (*json.UnmarshalTypeError)(nil)
		switch {
		case errors.As(err, &wrong) && wrong.Field == "":
			return fmt.Errorf("not a line of an export: it is no JSON object but of the type %s", wrong.Value)
		case errors.As(err, &wrong):
			return fmt.Errorf("not a line of an export: %q is of the type %s", wrong.Field, wrong.Value)
		}
		return fmt.Errorf("not a line of an export: %w", err)
	}
	if d.More() {
		return errors.New("want one JSON object per line, and there is more")
	}
	switch {
	case l.Spec != nil && c.since > 0:
		return errTruncated
	case l.Spec == nil && c.since == 0:
		return errors.New(`want {"spec": ...} first`)
	case l.Lines != nil:
		return c.end(*l.Lines)
	}
	c.since++
	if l.Spec != nil {
		return c.readSpec(&l)
	}
	if l.Scores != nil {
		return c.readScores(l.Scores)
	}
	if l.Class == nil || *l.Class == "" {
		return errors.New("want a class in every line except the first and the line of the scores")
	}
	if err := counts.CheckClass(*l.Class); err != nil {
		return fmt.Errorf("the class %w", err)
	}
	if err := c.readCount(&l); err != nil {
		return fmt.Errorf("class %q: %w", *l.Class, err)
	}
	return nil
}

// errTruncated reports an export without its last line.
var errTruncated = errors.New(`the export is truncated: its last line, {"lines": ...}, is missing; export it again`)

// end compares the number of lines with that in the last line.
func (c *Counts) end(lines int64) error {
	if lines != c.since {
		return fmt.Errorf("the export had %d lines, and %d of them were read: export it again", lines, c.since)
	}
	c.since = 0
	return nil
}

// readSpec reads the spec of an export. Its counting settings must be those of the first.
func (c *Counts) readSpec(l *line) error {
	if l.Revision != nil && *l.Revision != tokenize.Revision {
		return &codec.RevisionError{Counts: *l.Revision, Program: tokenize.Revision}
	}
	s, err := spec.Parse([]byte(*l.Spec))
	if err != nil {
		return err
	}
	return c.use(s)
}

// readScores adds the sums of a race. Those of other candidates than the spec's are left out, as a
// fold does.
func (c *Counts) readScores(text []byte) error {
	p := &logpb.Scores{}
	if err := proto.Unmarshal(text, p); err != nil {
		return fmt.Errorf("the scores cannot be read: %w", err)
	}
	l := race.Of(c.Spec)
	sums, err := codec.ReadScores(p, l)
	if err != nil {
		return fmt.Errorf("the scores: %w", err)
	}
	if sums == nil {
		return nil
	}
	if c.race == nil {
		c.race = race.NewState(l)
	}
	c.race.Fold(l.Fingerprint(), sums)
	return nil
}

func (c *Counts) readCount(l *line) error {
	switch {
	case l.Documents != nil:
		if err := positive("documents", *l.Documents); err != nil {
			return err
		}
		return c.addDocuments(*l.Class, *l.Documents)
	case l.Block != nil:
		i, err := index(*l.Block, "numbers", len(c.Spec.Numbers))
		if err != nil {
			return err
		}
		s, err := readSums(l, &c.Spec.Numbers[i])
		if err != nil {
			return fmt.Errorf("%s: %w", *l.Block, err)
		}
		c.builder.AddSums(i, *l.Class, s)
		return nil
	case l.Corrected != nil && c.Spec.Corrects():
		if err := positive("corrected", *l.Corrected); err != nil {
			return err
		}
		return c.addCorrected(*l.Class, *l.Corrected)
	case l.Count == nil:
		return errors.New("want documents, a count, or the sums of a block")
	}
	size := *l.Count
	if l.Term == nil && l.Table != nil && *l.Table == corrections {
		size = max(size, -size)
	}
	if err := positive("count", size); err != nil {
		return err
	}
	if l.Term != nil {
		if c.Spec.Text == nil {
			return errors.New("the line has a term, but the spec reads no text")
		}
		return c.addCount(0, []byte(*l.Term), *l.Class, *l.Count)
	}
	if l.Table == nil || l.Value == nil {
		return errors.New("want a term, or a table and a value, with the count")
	}
	i, err := c.valueTable(*l.Table)
	if err != nil {
		return err
	}
	return c.addCount(i, []byte(*l.Value), *l.Class, *l.Count)
}

func positive(name string, n int64) error {
	if n < 1 || n > counts.MaxCount {
		return fmt.Errorf("%s is %d: want 1 to %d", name, n, int64(counts.MaxCount))
	}
	return nil
}

// valueTable returns the index of a table of values in Model.Tables.
func (c *Counts) valueTable(name string) (int, error) {
	if name == corrections && c.Spec.Corrects() {
		return model.Corrections, nil
	}
	texts := 0
	if c.Spec.Text != nil {
		texts = 1
	}
	if i := slices.Index(model.TextBlocks[:], name); i >= 0 && c.Spec.Text != nil {
		return texts + c.Spec.FieldTables() + i, nil
	}
	if strings.HasPrefix(name, "histograms") {
		i, err := index(name, "histograms", len(c.Spec.Histograms))
		return texts + len(c.Spec.Categories) + i, err
	}
	i, err := index(name, "categories", len(c.Spec.Categories))
	return texts + i, err
}

// index reads "numbers[3]".
func index(text, name string, n int) (int, error) {
	digits, ok := strings.CutPrefix(text, name+"[")
	digits, closed := strings.CutSuffix(digits, "]")
	i, err := strconv.Atoi(digits)
	if !ok || !closed || err != nil || i < 0 || i >= n {
		return 0, fmt.Errorf("%.40q is not in the spec, which has %d of %s", text, n, name)
	}
	return i, nil
}

// AddTo adds the counts to a model with the same counting settings. On an error nothing is added.
func (c *Counts) AddTo(m *model.Model) error {
	if diff := c.Spec.CountingDifference(m.Spec()); diff != "" {
		return fmt.Errorf("it counts differently than the model: %s", diff)
	}
	d := c.builder.Delta()
	if err := c.check(d, m); err != nil {
		return err
	}
	return m.Apply(d)
}

// Scores returns what the scores of the files come to, nil if there were none.
func (c *Counts) Scores() *fold.Scores {
	if c.race == nil {
		return nil
	}
	return &fold.Scores{List: c.race.List().Fingerprint(), Sums: c.race.Sums()}
}

// check returns an error for counts that no documents can have.
func (c *Counts) check(d *model.Delta, m *model.Model) error {
	for i, name := range d.Classes {
		if d.Documents[i] == 0 && (d.Corrected == nil || d.Corrected[i] == 0) {
			return fmt.Errorf("class %q has counts and no documents: the line with its documents is missing", name)
		}
		if fixed := c.Spec.Classes; fixed != nil && !slices.Contains(fixed, name) {
			return fmt.Errorf("class %q is not among the classes of the spec", name)
		}
		for b, block := range d.Numbers {
			if block[i] != nil && slices.Max(block[i].N) > d.Documents[i] {
				return fmt.Errorf("class %q: numbers[%d] has %d rows of %d documents", name, b, slices.Max(block[i].N),
					d.Documents[i])
			}
		}
	}
	if c.Spec.Text != nil && c.Spec.Text.Likelihood == spec.Bernoulli {
		if err := withinDocuments(d, &d.Text); err != nil {
			return fmt.Errorf("a term of the text: %w", err)
		}
	}
	for i := range d.Categories {
		if err := withinDocuments(d, &d.Categories[i]); err != nil {
			return fmt.Errorf("the table %s: %w", m.ValuesName(i), err)
		}
	}
	return nil
}

// withinDocuments returns an error for a term or value that is in more documents than the class
// has.
func withinDocuments(d *model.Delta, t *counts.Terms) error {
	for i := range t.Len() {
		begin, end := t.Range(i)
		for j := begin; j < end; j++ {
			if class := t.Class[j]; t.Count[j] > d.Documents[class] {
				return fmt.Errorf("%q is in %d of the %d documents of class %q", t.Term(i), t.Count[j], d.Documents[class],
					d.Classes[class])
			}
		}
	}
	return nil
}
