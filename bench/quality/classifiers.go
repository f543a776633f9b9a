package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// classifier learns one file, decides another and writes the scores of each document; or takes a
// stream.
type classifier struct {
	name        string
	noPosterior bool // its scores only rank
	run         func(ctx context.Context, d *division) error
}

// linearSVC is how the name of the classifier begins that the others are compared with.
const linearSVC = "LinearSVC"

// classifiers returns what is measured on a set.
func (o *options) classifiers(s *set) []classifier {
	var all []classifier
	if !s.stream {
		all = append(all, classifier{name: "bayestream", run: o.bayestream(s)})
	}
	all = append(all, classifier{name: "bayestream, the default spec", run: o.bayestream(s, "--ngrams=1")})
	if s.preset != "" {
		all = append(all, classifier{name: "bayestream --preset=" + s.preset, run: o.bayestream(s, "--preset="+s.preset)})
	}
	svc := "svc"
	if s.unspaced {
		svc = "svc of characters"
	}
	if s.stream {
		all = append(all, classifier{name: "bogofilter", run: o.bogofilter})
	} else {
		all = append(all,
			classifier{name: "MultinomialNB on CountVectorizer", run: o.python("sklearn_scores.py", "multinomial")},
			classifier{name: linearSVC + " on TF-IDF of 1-2-grams", noPosterior: true, run: o.python("sklearn_scores.py", svc)},
			classifier{name: "LogisticRegression on TF-IDF of 1-2-grams, tuned", run: o.python("sklearn_scores.py", "logistic")},
			classifier{name: "Vowpal Wabbit, one pass", run: o.python("vw_scores.py", "")},
		)
	}
	if o.only == "" {
		return all
	}
	var chosen []classifier
	for _, c := range all {
		for start := range strings.SplitSeq(o.only, ",") {
			if strings.HasPrefix(c.name, start) {
				chosen = append(chosen, c)
				break
			}
		}
	}
	return chosen
}

// bayestream returns a run of the product.
func (o *options) bayestream(s *set, flags ...string) func(context.Context, *division) error {
	program := filepath.Join(o.tools, "bin", "bayestream")
	return func(ctx context.Context, d *division) error {
		args := append([]string{"eval", "--json", "--dump=" + d.scores}, flags...)
		if !s.stream {
			return start(ctx, "", program, append(args, "--train="+d.learn, "--test="+d.test)...)
		}
		folder, mails, err := writeMails(d.stream, o.work)
		if err != nil {
			return err
		}
		return start(ctx, folder, program, append(append(args, "--prequential", "--format=mail"), mails...)...)
	}
}

// python returns a run of a script of bench/peers.
func (o *options) python(script, configuration string) func(context.Context, *division) error {
	return func(ctx context.Context, d *division) error {
		return start(ctx, "", filepath.Join(o.tools, "venv", "bin", "python"), "-B", filepath.Join("bench", "peers", script),
			configuration, d.learn, d.test, d.scores)
	}
}

// start runs a program in a folder, with one thread for linear algebra.
func start(ctx context.Context, folder, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		all := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, all[len(all)-1])
	}
	return err
}
