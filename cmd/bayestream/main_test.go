package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the scripts compare with again")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: main})
}

// TestScripts runs the scenarios in testdata/script, each in a directory of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exitsWith, "broken": writeBroken},
	})
}

// exitsWith is the script command exits CODE COMMAND ARG... runs a command and compares its exit code.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	var exit *exec.ExitError
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("%s ends with code %s, want %s", args[1], got, args[0])
	}
}

// writeBroken is the script command broken: it writes the files that a text archive cannot hold.
func writeBroken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: broken")
	}
	line := `{"text": "lunch on friday", "label": "ham"}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 200 {
		_, err := fmt.Fprintf(z, `{"id": "%d", "text": "lunch %x", "label": "ham"}`+"\n", i, sha256.Sum256([]byte{byte(i)}))
		ts.Check(err)
	}
	ts.Check(z.Close())
	for name, content := range map[string]string{
		"cut.jsonl.gz":     packed.String()[:packed.Len()/2],
		"flipped.jsonl.gz": packed.String()[:packed.Len()-8] + "????????",
		"short.jsonl.gz":   packed.String()[:5],
		"nul.jsonl":        line + "{\"text\": \"a\x00b\", \"label\": \"ham\"}\n",
		"nul.csv":          "text,label\nfine,ham\na\x00b,ham\n",
		"latin1.jsonl":     line + "{\"text\": \"caf\xe9\", \"label\": \"ham\"}\n",
		"long.jsonl":       line + `{"text": "` + strings.Repeat("word ", 80<<10) + `", "label": "ham"}` + "\n",
		"terms.jsonl":      line + `{"text": "` + words(6000) + `", "label": "ham"}` + "\n",
		"noise.db":         strings.Repeat("this is no model file\n", 2000),
	} {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(content), 0o600))
	}
}

// words returns n different words.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Map(func(r rune) rune { return 'a' + r - '0' }, strconv.Itoa(i)) + " ")
	}
	return b.String()
}

func TestVerbsAreComplete(t *testing.T) {
	for name, v := range verbs {
		if name != v.name || v.summary == "" || v.example == "" || v.run == nil || v.outline == nil || !slices.Contains(groups, v.group) {
			t.Errorf("the verb %q is not complete: %+v", name, v)
		}
	}
	if got, want := len(verbNames()), len(verbs); got != want {
		t.Errorf("the first page shows %d verbs of %d", got, want)
	}
}

func TestRegisterRefuses(t *testing.T) {
	for name, v := range map[string]verb{
		"twice":    {name: "version", group: "Other"},
		"no group": {name: "new", group: "Nowhere"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it went through", name)
				}
			}()
			register(v)
		}()
	}
}
