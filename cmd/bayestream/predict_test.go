package main

import (
	"bufio"
	"fmt"
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

// A table for Excel stays one: byte order mark, line breaks and the line that names the separator
// are as they were.
func TestPredictAppendsToATableOfExcel(t *testing.T) {
	b := newBench(t)
	const lines = "sep=;\r\ntext;n\r\n\"two\nlines\";1\r\nlunch;2\r\n"
	var wide strings.Builder // UTF-16
	for _, c := range []byte(lines) {
		wide.Write([]byte{c, 0})
	}
	for _, c := range []struct{ text, flag, want string }{
		{"\uFEFF" + lines, "", "\uFEFFsep=;\r\ntext;n;label;posterior;status\r\n\"two\nlines\";1;"},
		{"\xff\xfe" + wide.String(), "utf-16", "\uFEFFsep=;\r\ntext;n;label;posterior;status\r\n\"two\nlines\";1;"},
		{"text;n\nlunch;1\nlunch;2", "", "text;n;label;posterior;status\nlunch;1;"},
	} {
		_, out, stderr := ends(t, []byte(c.text), "predict", "--append", "--format=csv", "--encoding="+c.flag, "--model="+b.words)
		rest, ok := strings.CutPrefix(out, c.want)
		if wantBreaks := strings.Count(c.want, "\r\n"); !ok || stderr != "" || strings.Count(rest, "\n") != 2 || wantBreaks > 0 && strings.Count(rest, "\r\n") != 2 {
			t.Errorf("got %q %s, want %q and more rows with the same line breaks", out, stderr, c.want)
		}
	}
}

// TestWhyAmongMany lists the likeliest of many classes, and how many more there are.
func TestWhyAmongMany(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, `{"text":"word%c","label":"the queue of department %c"}`+"\n", 'a'+i, 'a'+i)
	}
	model := filepath.Join(t.TempDir(), "m.db")
	mustRun(t, "train", "--spec="+write(t, "s.yaml", "text: {}\n"), "--model="+model, write(t, "a.jsonl", lines.String()))
	out := mustRun(t, "predict", "--model="+model, "--why", "--text=wordg")
	rows := strings.Split(out, "\n")
	if !strings.HasPrefix(rows[1], "          the queue of department g posterior 0.") || strings.Count(out, " posterior 0.") != 5 || rows[6] != "          and 7 other classes" {
		t.Errorf("it says\n%s", out)
	}
	if _, err := run(t, "forget", "m7"); !wrong(err) || !strings.Contains(err.Error(), "labels --forget DOCUMENT") {
		t.Errorf("forget: %v", err)
	}
}
