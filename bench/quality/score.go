package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/tools/lab/evaluate"
)

// scored is a line of scores, as bayestream eval --dump writes it.
type scored struct {
	Label        string              `json:"label"`
	Predicted    *string             `json:"predicted"`
	LogPosterior map[string]*float64 `json:"log_posterior"` // nil: the class is impossible
}

// readScores scores a file of scores without its first documents.
func readScores(path string, without int) (*evaluate.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	s := evaluate.NewScores(evaluate.Options{})
	lines := json.NewDecoder(bufio.NewReader(f))
	for n := 1; ; n++ {
		var line scored
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return s.Report(evaluate.ReportOptions{})
		}
		if err == nil && n > without {
			err = s.Add(line.outcome())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", path, n, err)
		}
	}
}

// outcome returns what was decided.
func (s *scored) outcome() *evaluate.Outcome {
	o := &evaluate.Outcome{Truth: s.Label}
	if s.Predicted != nil {
		o.Label = *s.Predicted
	}
	for _, name := range slices.Sorted(maps.Keys(s.LogPosterior)) {
		lp := math.Inf(-1)
		if p := s.LogPosterior[name]; p != nil {
			lp = *p
		}
		o.Classes, o.LogPosterior = append(o.Classes, name), append(o.LogPosterior, lp)
	}
	return o
}

// row is the figures of a classifier on a set, by split.
type row struct {
	documents                                int64
	accuracy, logLoss, ece, roca, hamPercent []float64
}

// add adds the figures of a split.
func (r *row) add(x *evaluate.Report, noPosterior bool) {
	r.documents += x.N
	r.accuracy = append(r.accuracy, float64(x.Accuracy))
	if !noPosterior {
		r.logLoss = append(r.logLoss, float64(x.LogLoss))
		r.ece = append(r.ece, float64(x.ECE))
	}
	if x.Binary == nil || x.Binary.SpamTrack == nil {
		return
	}
	r.roca = append(r.roca, float64(x.Binary.SpamTrack.ROCA))
	if x.Binary.Positive == "spam" {
		r.hamPercent = append(r.hamPercent, float64(x.Binary.SpamTrack.HM))
	}
}

const head = `| data | classifier | splits | accuracy | above LinearSVC | log loss | ECE | 1-ROCA % | ham lost % |
|---|---|---|---|---|---|---|---|---|
`

// write writes the row: means, and of the accuracy and its paired difference to that of another row
// the standard error.
func (r *row) write(w io.Writer, set, name string, beside *row) {
	cells := []string{set, name, strconv.Itoa(len(r.accuracy)), spread(r.accuracy), spread(r.above(beside)),
		mean(r.logLoss, 4), mean(r.ece, 4),
		mean(r.roca, 3), mean(r.hamPercent, 2)}
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// above returns by how much the accuracy is above that of another row, split by split; none if that
// has other splits, or is nil.
func (r *row) above(other *row) (by []float64) {
	if other == nil || len(other.accuracy) != len(r.accuracy) {
		return nil
	}
	for i, a := range r.accuracy {
		by = append(by, a-other.accuracy[i])
	}
	return by
}

// mean returns the mean of some figures, "" of none.
func mean(x []float64, digits int) string {
	if len(x) == 0 {
		return ""
	}
	return fmt.Sprintf("%.*f", digits, float64(evaluate.Summarise(x).Mean))
}

// spread returns the mean and, of two figures or more, its standard error.
func spread(x []float64) string {
	if len(x) < 2 {
		return mean(x, 4)
	}
	s := evaluate.Summarise(x)
	return fmt.Sprintf("%.4f ± %.4f", float64(s.Mean), float64(s.SD)/math.Sqrt(float64(s.N)))
}
