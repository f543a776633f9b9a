package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
)

// mail is a line of a set of mails.
type mail struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Raw   []byte `json:"raw"`
}

// writeMails writes each mail of a stream into a folder of its own, below one with the name of its
// label. The folders in their order are the stream.
func writeMails(stream, work string) (root string, folders []string, err error) {
	lines, err := readLines(stream)
	if err != nil {
		return "", nil, err
	}
	root = filepath.Join(work, "mails")
	for i, line := range lines {
		var m mail
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return "", nil, fmt.Errorf("mail %d: %w", i+1, err)
		}
		name := fmt.Sprintf("%06d", i)
		folder := filepath.Join(root, name, m.Label)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, "mail.eml"), m.Raw, 0o600); err != nil {
			return "", nil, err
		}
		folders = append(folders, name)
	}
	return root, folders, nil
}

// bogofilter has bogofilter decide each mail of a stream, then learn it, with its defaults: spam is
// what it calls spam.
func (o *options) bogofilter(ctx context.Context, d *division) error {
	folder := filepath.Join(o.work, "bogofilter")
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)); err != nil {
		return err
	}
	config := filepath.Join(folder, "bogofilter.cf") // all digits of the score, for the ranking
	if err := os.WriteFile(config, []byte("spamicity_formats=%.16e, %.16e, %.16e\n"), 0o600); err != nil {
		return err
	}
	lines, err := readLines(d.stream)
	if err != nil {
		return err
	}
	out, err := os.Create(d.scores)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	scores := json.NewEncoder(w)
	for _, line := range lines {
		var m mail
		if err = json.Unmarshal([]byte(line), &m); err != nil {
			break
		}
		if err = m.decideAndLearn(ctx, folder, config, scores); err != nil {
			break
		}
	}
	return errors.Join(err, w.Flush(), out.Close())
}

// decideAndLearn writes the score of a mail, then has it learned.
func (m *mail) decideAndLearn(ctx context.Context, folder, config string, scores *json.Encoder) error {
	// Where nothing is learned yet there is no label, as in the scores of the others.
	if _, err := os.Stat(filepath.Join(folder, "wordlist.db")); err != nil {
		if err := scores.Encode(scored{Label: m.Label, LogPosterior: map[string]*float64{}}); err != nil {
			return err
		}
		return m.learn(ctx, folder)
	}
	answer, err := m.ask(ctx, "-d", folder, "-c", config, "-T")
	if err != nil {
		return err
	}
	var class string
	var spam float64
	if _, err := fmt.Sscan(answer, &class, &spam); err != nil {
		return fmt.Errorf("bogofilter answers %q, want a class and a score", answer)
	}
	label := "ham"
	if class == "S" {
		label = "spam"
	}
	posterior := map[string]float64{"spam": math.Log(max(spam, math.SmallestNonzeroFloat64)),
		"ham": math.Log(max(1-spam, math.SmallestNonzeroFloat64))}
	if err := scores.Encode(scored{Label: m.Label, Predicted: &label, LogPosterior: pointers(posterior)}); err != nil {
		return err
	}
	return m.learn(ctx, folder)
}

// learn has the mail learned.
func (m *mail) learn(ctx context.Context, folder string) error {
	class := "-n"
	if m.Label == "spam" {
		class = "-s"
	}
	_, err := m.ask(ctx, "-d", folder, class)
	return err
}

// ask runs bogofilter on the mail. Its exit code says what it decided.
func (m *mail) ask(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "bogofilter", args...)
	cmd.Stdin = bytes.NewReader(m.Raw)
	answer, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() <= 2 {
		err = nil
	}
	return string(answer), err
}

func pointers(values map[string]float64) map[string]*float64 {
	out := map[string]*float64{}
	for name, v := range values {
		out[name] = &v
	}
	return out
}
