package docs

import (
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/filetest"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands of toolbox.md print into it")

var (
	size     = regexp.MustCompile(`\d+ bytes`)
	fraction = regexp.MustCompile(`-?\d+\.\d{9,}(?:e-?\d+)?`)
)

// alike cuts what may differ between machines: the last digits of what is computed, and the size of
// a file.
func alike(line string) string {
	line = fraction.ReplaceAllStringFunc(line, func(s string) string {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(x, 'g', 9, 64)
	})
	return size.ReplaceAllString(line, "bytes")
}

// TestToolbox types the commands of toolbox.md, one after the other in one folder, and compares
// what they print. A line "> " goes on with the command above.
func TestToolbox(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	text := filetest.Read(t, "toolbox.md")
	got := regexp.MustCompile("(?s)```console\n(.*?)```").ReplaceAllStringFunc(string(text), func(block string) string {
		body := strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```")
		typed := typeCommands(t, body, filepath.Dir(program(t)), work)
		return "```console\n" + typed + "```"
	})
	if *update {
		filetest.Write(t, "toolbox.md", got)
		return
	}
	want, have := strings.Split(string(text), "\n"), strings.Split(got, "\n")
	for i := range max(len(want), len(have)) {
		if i >= len(have) || i >= len(want) || alike(want[i]) != alike(have[i]) {
			t.Fatalf("toolbox.md:%d is %q, and a command prints %q now; -update writes what they print", i+1, want[min(i, len(want)-1)], have[min(i, len(have)-1)])
		}
	}
}

// typeCommands returns the commands of a block, each with what it prints.
func typeCommands(t *testing.T, block, bin, work string) string {
	t.Helper()
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "$ ") {
			continue
		}
		command := strings.TrimPrefix(lines[i], "$ ") + "\n"
		out.WriteString(lines[i] + "\n")
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "> ") {
			i++
			command += strings.TrimPrefix(lines[i], "> ") + "\n"
			out.WriteString(lines[i] + "\n")
		}
		c := exec.CommandContext(t.Context(), "bash", "-c", command)
		c.Dir, c.Env = work, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		printed, _ := c.CombinedOutput() // an exit code is part of the story
		out.Write(printed)
	}
	return out.String()
}

// Every key of a spec is in the table of toolbox.md.
func TestToolboxHasEveryKey(t *testing.T) {
	text := filetest.Read(t, "toolbox.md")
	for _, key := range specKeys(reflect.TypeFor[spec.Spec](), "") {
		if !strings.Contains(string(text), "`"+key+"`") {
			t.Errorf("toolbox.md does not explain `%s`", key)
		}
	}
}

// specKeys returns the keys of a block as the table writes them.
func specKeys(t reflect.Type, at string) []string {
	var out []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		inner, mark := f.Type, ""
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				mark = "[]"
			}
			inner = inner.Elem()
		}
		if keys := fieldKeys(inner, at+name+mark+"."); len(keys) > 0 {
			out = append(out, keys...)
			continue
		}
		out = append(out, at+name)
	}
	return out
}

func fieldKeys(t reflect.Type, at string) []string {
	if t.Kind() != reflect.Struct {
		return nil
	}
	return specKeys(t, at)
}
