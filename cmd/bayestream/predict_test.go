package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/tools/cli"
)

// What came in through a pipe is labelled before the next read: each piece here is written when the
// one before is answered.
func TestPredictFollowsAPipe(t *testing.T) {
	b := newBench(t)
	for name, pieces := range map[string][]string{
		"objects": {`{"text":"lunch"}` + "\n", `{"text":"pills"}` + "\n", "\n" + `{"text":"friday"}` + "\n"},
		"array":   {`[{"text":"lunch"}`, `,{"text":"pills"}`, `,{"text":"friday"}`},
		"columns": {"text,who\nlunch,me\n", "pills,you\n", "friday,\"me\n\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			in, w := io.Pipe()
			lines, out := io.Pipe()
			failed := make(chan error, 1)
			go func() {
				err := toolbox(t.Context(), cli.Process{
					Args: []string{"predict", "--model=" + b.words}, LookupEnv: os.LookupEnv, Stdin: in, Stdout: out, Stderr: io.Discard,
				})
				failed <- err
				_ = out.CloseWithError(io.EOF) // it returns nil
			}()
			answers := bufio.NewScanner(lines)
			for i, piece := range pieces {
				if _, err := io.WriteString(w, piece); err != nil {
					t.Fatal(err)
				}
				if !answers.Scan() || !strings.Contains(answers.Text(), "am\t0.") {
					t.Fatalf("piece %d is answered by %q: %v", i+1, answers.Text(), answers.Err())
				}
			}
			_ = w.Close() // it returns nil
			if answers.Scan() {
				t.Errorf("there is one answer more: %q", answers.Text())
			}
			if err := <-failed; err != nil && name != "array" { // it was cut off
				t.Error(err)
			}
		})
	}
}

// A header without rows is a table without rows.
func TestPredictAppendsToAHeader(t *testing.T) {
	b := newBench(t)
	out, err := run(t, "predict", "--append", "--model="+b.words, filepath.Join(badData, "header.csv"))
	if err != nil || !strings.HasSuffix(out, ",posterior,status\n") || strings.Count(out, "\n") != 1 {
		t.Errorf("%q, %v", out, err)
	}
}
