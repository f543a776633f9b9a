package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/internal/testing/kafkatest"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kfake"
)

var update = flag.Bool("update", false, "write what the scripts compare with again")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: main})
}

// TestScripts runs the scenarios in testdata/script, each in a directory of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			data, err := filepath.Abs("../../testdata/data")
			e.Setenv("DATA", data)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exitsWith, "bad": copyBad, "round": round, "until": until,
			"broker": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Setenv("BROKERS", strings.Join(kafkatest.Fake(t, kfake.NumBrokers(1)).ListenAddrs(), ","))
				free, err := net.Listen("tcp", "127.0.0.1:0")
				ts.Check(err)
				ts.Setenv("HTTP", free.Addr().String())
				ts.Check(free.Close())
			},
		},
	})
}

// until is the script command until PATTERN COMMAND ARG...: it runs a command again and again until
// it ends well and what it writes to standard output matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND ARG...")
	}
	const patience = 2 * time.Minute
	pattern := regexp.MustCompile("(?m)" + args[0])
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if err := ts.Exec(args[1], args[2:]...); err == nil && pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Since(begun) > patience {
			ts.Fatalf("%v later %s does not write %s", patience, strings.Join(args[1:], " "), args[0])
		}
	}
}

// exitsWith is the script command exits CODE COMMAND ARG... runs a command and compares its exit
// code.
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

// copyBad is the script command bad: it copies testdata/bad, and writes what a text archive cannot
// hold.
func copyBad(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: bad")
	}
	ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(badData)))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("lunch on friday"))
	ts.Check(errors.Join(err, z.Close()))
	for name, content := range map[string]string{
		"packed.gz": packed.String(),
		"long.txt":  strings.Repeat("word ", 80<<10),
		"noise.db":  strings.Repeat("this is no model file\n", 2000),
	} {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(content), 0o600))
	}
}

func TestVerbsAreComplete(t *testing.T) {
	for i, v := range verbs {
		if v.name == "" || v.summary == "" || v.example == "" || v.run == nil || v.outline == nil {
			t.Errorf("the verb %q is not complete: %+v", v.name, v)
		}
		if slices.Index(verbNames(), v.name) != i {
			t.Errorf("the verb %q is there twice", v.name)
		}
	}
}

// A help page is made of sentences, and names every value that a flag may have.
func TestHelpTextsAreComplete(t *testing.T) {
	for _, v := range verbs {
		name, o := v.name, v.outline()
		for _, p := range slices.Concat(o.Flags, o.Args) {
			if !strings.HasSuffix(p.Help, ".") {
				t.Errorf("%s: the help of %s is no sentence: %q", name, p.Name, p.Help)
			}
			for _, value := range p.Values {
				if !strings.Contains(p.Help, value) {
					t.Errorf("%s: the help of %s does not name %s", name, p.Name, value)
				}
			}
		}
	}
}

// Each verb of before answers with the line that does the same now, and no flag of it is looked at.
func TestFormerVerbs(t *testing.T) {
	for name, now := range former {
		if slices.Contains(verbNames(), name) {
			t.Errorf("%s is a verb", name)
		}
		for _, args := range [][]string{{name}, {name, "--model=m.db", "x"}, {"help", name}} {
			_, err := run(t, args...)
			if want := name + `: use "bayestream ` + now + `"`; !wrong(err) || err.Error() != want {
				t.Errorf("%v: %v, want %s", args, err, want)
			}
		}
		if next := strings.Fields(now)[0]; !strings.HasPrefix(next, "--") && !slices.Contains(verbNames(), next) {
			t.Errorf("%s: %s is no verb", name, next)
		}
	}
}

// number is a decimal number with a fraction.
var number = regexp.MustCompile(`-?[0-9]+\.[0-9]+(e-?[0-9]+)?|-?[0-9]+e-[0-9]+`)

// round is the script command round FROM TO: it copies a file with all fractions cut to nine
// digits.
func round(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: round FROM TO")
	}
	text, err := rounded(ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// rounded returns a text with all fractions cut to nine digits. What is beyond differs between
// processors, of which some multiply and add in one step.
func rounded(text string) (string, error) {
	var failed error
	text = number.ReplaceAllStringFunc(text, func(s string) string {
		x, err := strconv.ParseFloat(s, 64)
		failed = errors.Join(failed, err)
		if math.Abs(x) < 1e-12 {
			x = 0 // what rounding leaves of a sum
		}
		return strconv.FormatFloat(x, 'g', 9, 64)
	})
	return text, failed
}
