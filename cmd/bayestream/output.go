package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/evaluate"
)

// hasFolder returns an error if the folder of an output file does not exist. It is called before
// long work.
func hasFolder(path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cli.WrongInput(fmt.Errorf("the folder %s of %s does not exist: create it, or choose another name", dir, path))
	}
	return nil
}

// canWrite returns an error if a file cannot be written, or is one of those that are read, which
// would be lost. "" is none.
func canWrite(path string, inputs []string) error {
	out, err := os.Stat(path)
	if path == "" || err != nil {
		return hasFolder(path)
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(out, in) {
			return cli.WrongInput(fmt.Errorf("%s is read, and would be lost: write to another file", path))
		}
	}
	return nil
}

// writeWhole writes a file atomically: an existing file is replaced when the new one is complete.
// What is not a regular file, such as a pipe, is written directly.
func writeWhole(path string, content []byte, mode os.FileMode) (err error) {
	switch info, err := os.Lstat(path); {
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	case err == nil:
		mode = info.Mode().Perm()
	}
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%d", filepath.Base(path), os.Getpid()))
	part, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// result writes what a verb found: v as JSON, or what write prints of it for people.
func result(p cli.Process, asJSON bool, v any, write func(out *printer)) error {
	if asJSON {
		return json.NewEncoder(p.Stdout).Encode(v)
	}
	out := &printer{w: p.Stdout}
	write(out)
	return out.err
}

// printer prints text for people and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

// f prints by a format. Each argument stays on its line, whatever characters it has: labels and
// terms come from anybody, and the output may be a terminal.
func (p *printer) f(format string, args ...any) {
	for i, a := range args {
		args[i] = shown(a)
	}
	p.lines(fmt.Sprintf(format, args...))
}

// lines prints text that is several lines by itself.
func (p *printer) lines(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, escape.Lines(text))
	}
}

// shown returns an argument of a format as it may be printed.
func shown(arg any) any {
	switch a := arg.(type) {
	case string:
		return escape.Text(a)
	case config.FileOrURL:
		return escape.Text(a.String())
	case []string:
		out := make([]string, len(a))
		for i := range a {
			out[i] = escape.Text(a[i])
		}
		return out
	}
	return arg
}

// counted returns a number with what it counts: 1 class, 2 classes.
func counted[N int | int64](n N, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"):
		one += "e"
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// decimals returns a score in a format, a dash for one that no document defines.
func decimals(format string, n evaluate.Number) string {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}
