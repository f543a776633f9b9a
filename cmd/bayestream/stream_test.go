package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
)

// pipe is a stream that somebody writes to and reads from.
type pipe struct {
	t       *testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    *bufio.Reader
}

func startPipe(t *testing.T, model string) *pipe {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, "stream", "--model="+model)
	in, err := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	said, err3 := c.StderrPipe()
	if err := errors.Join(err, err2, err3, c.Start()); err != nil {
		t.Fatal(err)
	}
	return &pipe{t, c, in, bufio.NewReader(out), bufio.NewReader(said)}
}

func (p *pipe) write(lines string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, lines); err != nil {
		p.t.Fatal(err)
	}
}

// reads fails if the next line of an output lacks a text.
func (p *pipe) reads(from *bufio.Reader, want string) {
	p.t.Helper()
	line, err := from.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		p.t.Fatalf("read %q, %v; want %q", line, err, want)
	}
}

// Who writes a line and waits gets the decision, and hears that what it taught is on the disk,
// before it writes another line.
func TestStreamAnswersAtOnce(t *testing.T) {
	p := startPipe(t, filepath.Join(t.TempDir(), "m.db"))
	for i := range 5 {
		p.write(fmt.Sprintf(`{"text":"cheap pills %d","label":"spam"}`+"\n", i))
		p.reads(p.said, counted(2*i+1, "record")+" learned and on the disk")
		p.write(fmt.Sprintf(`{"text":"lunch on friday %d","label":"ham"}`+"\n", i))
		p.reads(p.said, counted(2*i+2, "record")+" learned and on the disk")
		p.write(`{"id":"q","text":"pills"}` + "\n")
		p.reads(p.out, `{"id":"q","label":"spam"`)
		p.write("no JSON\n")
		p.reads(p.out, `{"error":{"reason":"not_json"`)
	}
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	p.reads(p.said, "5 records labelled, 10 learned, 5 could not be used")
	if err := p.command.Wait(); err != nil {
		t.Error(err)
	}
}

// A signal ends a stream as the end of its input does.
func TestStreamStopsInOrder(t *testing.T) {
	for _, sent := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		model := filepath.Join(t.TempDir(), "m.db")
		p := startPipe(t, model)
		p.write(`{"text":"pills","label":"spam"}` + "\n")
		p.reads(p.said, "1 record learned and on the disk")
		if err := p.command.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		p.reads(p.said, "0 records labelled, 1 learned, 0 could not be used")
		if err := p.command.Wait(); err != nil {
			t.Errorf("%v: %v", sent, err)
		}
		holds(t, model, 1)
	}
}

// What a stream said is on the disk is there after it was killed at any moment, and nothing of the
// file is damaged.
func TestStreamKilled(t *testing.T) {
	model, saved := filepath.Join(t.TempDir(), "m.db"), 0
	for range 3 {
		p := startPipe(t, model)
		go func() {
			for i := 0; ; i++ { // a write fails when the stream is gone
				if _, err := fmt.Fprintf(p.in, `{"text":"word%d number%d","label":"l%d"}`+"\n", i, i/7, i%3); err != nil {
					return
				}
			}
		}()
		line, err := p.said.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		said, err := strconv.Atoi(strings.Fields(line)[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := p.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.command.Wait() // killed
		saved = holds(t, model, saved+said)
	}
}

// A stream counts as train does, and labels as predict does.
func TestStreamIsTrainAndPredict(t *testing.T) {
	dir := t.TempDir()
	streamed, trained := filepath.Join(dir, "streamed.db"), filepath.Join(dir, "trained.db")
	var learn, ask strings.Builder
	for i := range 300 {
		fmt.Fprintf(&learn, `{"id":"%d","text":"word%d of %d","label":"l%d","weight":%d}`+"\n", i, i%40, i%7, i%3, 1+i%2)
		fmt.Fprintf(&ask, `{"id":"q%d","text":"word%d of %d"}`+"\n", i, i%50, i%5)
	}
	for _, args := range [][]string{{"stream", "--model=" + streamed}, {"train", "--likelihood=multinomial", "--model=" + trained}} {
		if code, _, said := ends(t, []byte(learn.String()), args...); code != 0 {
			t.Fatalf("%s: code %d: %s", args[0], code, said)
		}
	}
	if got, want := digestOf(t, streamed), digestOf(t, trained); got != want {
		t.Errorf("the counts of the stream have the digest %s, those of train %s", got, want)
	}
	_, got, _ := ends(t, []byte(ask.String()), "stream", "--model="+streamed)
	_, want, _ := ends(t, []byte(ask.String()), "predict", "--json", "--model="+streamed)
	if got != want || strings.Count(got, "\n") != 300 {
		t.Errorf("the stream answers\n%s\npredict\n%s", got, want)
	}
}

// digestOf returns the digest of the counts of a model file.
func digestOf(t *testing.T, model string) string {
	t.Helper()
	state, err := store.ReadModel(model, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	sum, _ := state.Digests()
	return sum.String()
}

// holds fails if a model file has learned less than a number of documents, and returns how many.
func holds(t *testing.T, model string, least int) int {
	t.Helper()
	state, err := store.ReadModel(model, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	got := int(state.Model().Classes().Total())
	if got < least {
		t.Errorf("the model holds %d documents, and %d were said to be on the disk", got, least)
	}
	return got
}

// Who reads the decisions may go away: what was learned is synced, and the stream fails.
func TestStreamWithoutReader(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	lines := `{"text":"pills","label":"spam"}` + "\n" + strings.Repeat(`{"text":"pills"}`+"\n", 10_000)
	c := exec.CommandContext(t.Context(), "bash", "-c", `set -o pipefail; bayestream stream --model="$1" | true`, "-", model)
	c.Stdin = strings.NewReader(lines)
	said, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "write the output: ") || c.ProcessState.ExitCode() != 1 {
		t.Errorf("%v:\n%s", err, said)
	}
	holds(t, model, 1)
}

// Two filters that learn at the same time wait for each other, and one waits for whatever has the
// file open.
func TestFiltersWait(t *testing.T) {
	model, mail := filepath.Join(t.TempDir(), "m.db"), "From: a@example.org\nTo: b@example.org\nSubject: lunch\n\non friday\n"
	const filters = 8
	held, err := store.Open(model, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range filters {
		c := exec.CommandContext(t.Context(), program, "stream", "--mail", "--model="+model, "--label=ham")
		c.Stdin = strings.NewReader(mail)
		all.Go(func() {
			if said, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
	preset, err := spec.FindPreset("mail")
	if err != nil {
		t.Fatal(err)
	}
	err = held.Write(store.Collect(fold.Offline(preset.Spec())))
	if err := errors.Join(err, held.Close()); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if got := holds(t, model, filters); got != filters {
		t.Errorf("the model holds %d documents, want %d", got, filters)
	}
}

// A filter gets a mail and no file: what its first bytes mean elsewhere does not matter. It reads a
// mail as train read it in a mailbox, and never passes a verdict that the sender wrote.
func TestFilterReadsOneMail(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	const quoted = "From a@example.org Thu Aug  1 21:37:35 2002\nFrom: a@example.org\nSubject: x\n\nhello\n>From here on\n"
	ham, spam := write(t, "ham/1.eml", quoted), write(t, "spam/2.eml", "Subject: y\n\nfree money\n")
	mustRun(t, "train", "--model="+model, "--preset=mail",
		filepath.Dir(filepath.Dir(ham)), filepath.Dir(filepath.Dir(spam)))
	filter := func(mail string, flags ...string) (out string, code int) {
		c := exec.CommandContext(t.Context(), program, append([]string{"stream", "--mail", "--model=" + model}, flags...)...)
		c.Stdin = strings.NewReader(mail)
		said, err := c.Output()
		if err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(said), c.ProcessState.ExitCode()
	}
	if _, code := filter(quoted, "--label=spam", "--not=ham"); code != 0 {
		t.Errorf("a quoted line: the mail that was learned is not taken out, exit code %d", code)
	}
	for mail, want := range map[string]string{
		"From a Thu Aug  1 21:37:35 2002\rSubject: x\r\rbody\r":    "From a Thu Aug  1 21:37:35 2002\rX-Bayestream: ",
		"X-Bayestream: ham\nX-Bayestream-Words: a\n\nfree money\n": "X-Bayestream: ",
		"A: x\x00\nSubject: y\n\nbody\n":                           "X-Bayestream: ",
		"PAR1: x\nSubject: y\n\nbody\n":                            "X-Bayestream: ",
	} {
		out, code := filter(mail, "--pass")
		_, body, _ := strings.Cut(mail, "\n\n")
		if code != 0 || !strings.HasPrefix(out, want) || strings.Contains(out, ": ham\n") || !strings.HasSuffix(out, body) {
			t.Errorf("%q passes as %q, exit code %d", mail, out, code)
		}
	}
	if out, code := filter("\x1f\x8b\x08 gzip", "--pass"); code != 3 || out != "" {
		t.Errorf("what is no mail passes as %q, exit code %d", out, code)
	}
}
