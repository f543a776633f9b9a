package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"bayestream/internal/core/spec"
)

// counting is a way to count the words of a text.
type counting struct{ name, text string } // text: the key text of a spec, as YAML

// countings are the ways that presets were chosen from. The first is the default.
var countings = []counting{
	{"stems", "{}"},
	{"words", "{stem: false}"},
	{"stems, pairs", "{ngrams: 2}"},
	{"words, pairs", "{stem: false, ngrams: 2}"},
	{"stems, once", "{cap: 1}"},
	{"words, once", "{stem: false, cap: 1}"},
	{"stems, pairs, once", "{ngrams: 2, cap: 1}"},
	{"words, pairs, once", "{stem: false, ngrams: 2, cap: 1}"},
	{"words, pairs, punctuation", "{stem: false, ngrams: 2, punctuation: true}"},
	{"words, pairs, once, punctuation", "{stem: false, ngrams: 2, cap: 1, punctuation: true}"},
	{"stems, once, punctuation", "{cap: 1, punctuation: true}"},
}

const headOfHalves = `| measured on | documents | default | preset | chosen on the other half | its accuracy | best here |
|---|---|---|---|---|---|---|
`

// presets measures what is chosen on documents that had no part in the choice, beside the default
// and the preset. The ModApte split has the documents of another set.
func (o *options) presets(ctx context.Context, s *set) error {
	switch {
	case s.stream:
		return o.lastHalf(ctx, s)
	case s.test != "", s.preset == "":
		return nil
	}
	return o.halves(ctx, s)
}

// halves chooses a way of counting on each half of a set, and writes what it, the default and the
// preset reach on the other half.
func (o *options) halves(ctx context.Context, s *set) error {
	all, err := s.lines(o)
	if err != nil {
		return err
	}
	preset, err := wayOf(s.preset)
	if err != nil {
		return err
	}
	divided := inHalves(all)
	var accuracy [2][]float64 // by half, of each way
	for i, lines := range divided {
		file := filepath.Join(o.work, "half.jsonl")
		if err := writeLines(file, lines); err != nil {
			return err
		}
		for _, c := range countings {
			a, err := o.folds(ctx, c, file)
			if err != nil {
				return fmt.Errorf("half %d, %s: %w", i+1, c.name, err)
			}
			fmt.Fprintf(os.Stderr, "%s, half %d of %d documents: %.4f by %s\n", s.name, i+1, len(lines), a, c.name)
			accuracy[i] = append(accuracy[i], a)
		}
	}
	for i := range divided {
		chosen, here := highest(accuracy[1-i]), highest(accuracy[i])
		fmt.Fprintf(o.out, "| %s, half %d | %d | %.4f | %.4f | %s | %.4f | %s, %.4f |\n", s.title, i+1, len(divided[i]),
			accuracy[i][0],
			accuracy[i][preset], countings[chosen].name, accuracy[i][chosen], countings[here].name, accuracy[i][here])
	}
	return nil
}

// lastHalf writes what the default and the preset reach on the last half of a stream: the preset
// was chosen on the first.
func (o *options) lastHalf(ctx context.Context, s *set) error {
	all, err := s.lines(o)
	if err != nil {
		return err
	}
	d, err := s.divide(o, 1)
	if err != nil {
		return err
	}
	var accuracy, roca, lost []float64
	for _, flags := range [][]string{nil, {"--preset=" + s.preset}} {
		if err := o.bayestream(s, flags...)(ctx, d); err != nil {
			return err
		}
		r, err := readScores(d.scores, len(all)/2)
		if err != nil {
			return err
		}
		var one row
		one.add(r, false)
		accuracy, roca, lost = append(accuracy, one.accuracy...), append(roca, one.roca...), append(lost, one.hamPercent...)
	}
	n := len(all) - len(all)/2
	fmt.Fprintf(o.out, "| %s, last half: accuracy | %d | %.4f | %.4f | | | |\n", s.title, n, accuracy[0], accuracy[1])
	fmt.Fprintf(o.out, "| 1-ROCA %% | %d | %.3f | %.3f | | | |\n| ham lost %% | %d | %.2f | %.2f | | | |\n", n, roca[0],
		roca[1], n, lost[0], lost[1])
	return nil
}

// inHalves divides lines by a hash of their place.
func inHalves(lines []string) (out [2][]string) {
	for i, line := range lines {
		half := sha256.Sum256([]byte(strconv.Itoa(i)))[0] & 1
		out[half] = append(out[half], line)
	}
	return out
}

// wayOf returns the place among countings of what a preset stands for.
func wayOf(preset string) (int, error) {
	p, err := spec.FindPreset(preset)
	if err != nil {
		return 0, err
	}
	for i, c := range countings {
		s, err := spec.Parse([]byte("text: " + c.text))
		if err != nil {
			return 0, err
		}
		if s.Counting() == p.Spec().Counting() {
			return i, nil
		}
	}
	return 0, fmt.Errorf("none of the ways counts as --preset=%s does", preset)
}

// highest returns the place of the highest of some figures, the first of equal ones.
func highest(x []float64) (at int) {
	for i := range x {
		if x[i] > x[at] {
			at = i
		}
	}
	return at
}

// folds returns the accuracy of a way of counting in five folds of a file.
func (o *options) folds(ctx context.Context, c counting, file string) (float64, error) {
	return o.accuracy(ctx, c, "--cv="+strconv.Itoa(parts), "--seed=1", file)
}

// accuracy returns the accuracy of a way of counting, measured as the arguments of bayestream eval
// say.
func (o *options) accuracy(ctx context.Context, c counting, args ...string) (float64, error) {
	settings := filepath.Join(o.work, "counting.yaml")
	if err := os.WriteFile(settings, []byte("text: "+c.text+"\n"), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(o.tools, "bin", "bayestream"),
		append([]string{"eval", "--json", "--spec=" + settings}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, errors.Join(err, errors.New(strings.TrimSpace(stderr.String())))
	}
	var got struct {
		Accuracy float64 `json:"accuracy"`
	}
	err = json.Unmarshal(out, &got)
	return got.Accuracy, err
}
