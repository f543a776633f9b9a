//go:build kafka

package quickstart

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/processtest"
)

// block is a fenced block of the document: its language, and what the test calls it.
type block struct{ language, name, text string }

var fence = regexp.MustCompile("(?s)```(\\w+) ?(\\w*)\n(.*?)```")

// TestQuickstart types the commands of the document, one block after the other. Each line of a
// block of text must be the start of a line that the commands before it printed.
func TestQuickstart(t *testing.T) {
	if !kafkatest.Real() {
		t.Fatalf("%s is not set: run test/quickstart/run.sh", kafkatest.Variable)
	}
	newShell(t).types(t, "quickstart.md", func(out string) {
		if !strings.Contains(out, "q3 ham\n") {
			t.Errorf("Python reads\n%s", out)
		}
	})
}

// types types the blocks of a document. python, if it is there, takes what Python prints.
func (s *shell) types(t *testing.T, document string, python func(printed string)) {
	t.Helper()
	var printed string
	for _, b := range blocks(t, document) {
		switch {
		case b.language == "sh" && (b.name == "" || b.name == "console"):
			printed = s.run("bash", "-euo", "pipefail", "-c", b.text)
		case b.language == "python":
			if out := s.run(s.python(), "-c", b.text); python != nil {
				python(out)
			}
		case b.language == "text" && printed != "":
			for line := range strings.Lines(b.text) {
				if !strings.Contains("\n"+printed, "\n"+strings.TrimSuffix(line, "\n")) {
					t.Errorf("the commands do not print %q, but\n%s", line, printed)
				}
			}
		}
	}
}

// blocks returns the fenced blocks of the document.
func blocks(t *testing.T, document string) []block {
	t.Helper()
	text := filetest.Read(t, filepath.Join(modeltest.Root(), "docs", document))
	var found []block
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		found = append(found, block{m[1], m[2], m[3]})
	}
	if len(found) < 8 {
		t.Fatalf("the document has %d blocks", len(found))
	}
	return found
}

// shell runs commands in a folder, with the addresses of the test in place of those of the
// document. What goes on in the background belongs to its process group, and ends with the test.
type shell struct {
	t      *testing.T
	dir    string
	path   string
	places *strings.Replacer
	more   *strings.Replacer // of what is in one document alone; nil: nothing
}

func newShell(t *testing.T) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir()}
	bin := filepath.Join(s.dir, "bin")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin+"/", "./cmd/...")
	build.Dir = modeltest.Root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.path = bin + ":" + os.Getenv("PATH")
	ingest, classify := processtest.FreeAddress(t), processtest.FreeAddress(t)
	s.places = strings.NewReplacer("127.0.0.1:9092", os.Getenv(kafkatest.Variable), "127.0.0.1:7431", ingest, "127.0.0.1:7432", classify,
		"bayestream ingest", "bayestream ingest --http="+ingest, "bayestream classify", "bayestream classify --http="+classify)
	return s
}

// run runs a program whose last argument is a text of the document, and returns what it prints on
// standard output.
func (s *shell) run(name string, args ...string) string {
	s.t.Helper()
	args[len(args)-1] = s.places.Replace(args[len(args)-1])
	if s.more != nil {
		args[len(args)-1] = s.more.Replace(args[len(args)-1])
	}
	c := exec.Command(name, args...)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "PATH="+s.path, "BAYESTREAM_BROKERS="+os.Getenv(kafkatest.Variable))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	printed, err := os.Create(filepath.Join(s.t.TempDir(), "printed")) // a file: workers in the background keep it open
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = printed.Close() }()
	c.Stdout, c.Stderr = printed, printed
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { s.end(c.Process.Pid) })
	const patience = 2 * time.Minute
	late := time.AfterFunc(patience, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	err = c.Wait()
	late.Stop()
	out, readErr := os.ReadFile(printed.Name())
	if err != nil || readErr != nil {
		logs, _ := exec.Command("sh", "-c", "tail -n 20 "+s.dir+"/*.log").CombinedOutput()
		s.t.Fatalf("%s\n%v: %s\n%s", args[len(args)-1], err, out, logs)
	}
	return string(out)
}

// end ends the group of a process: first as an operator does, then for good.
func (s *shell) end(group int) {
	_ = syscall.Kill(-group, syscall.SIGTERM)
	for range 100 {
		if syscall.Kill(-group, 0) != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
}

// python returns a Python that has the client of the document.
func (s *shell) python() string {
	s.t.Helper()
	name := cmp.Or(os.Getenv("BAYESTREAM_PYTHON"), "python3")
	if out, err := exec.Command(name, "-c", "import confluent_kafka").CombinedOutput(); err != nil {
		s.t.Fatalf("%s has no confluent-kafka: run test/quickstart/run.sh: %v: %s", name, err, out)
	}
	return name
}
