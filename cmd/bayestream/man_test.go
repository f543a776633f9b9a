package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// TestMan writes the pages, twice. Each names every flag and argument of its verb, and no line of
// text is taken for a request.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "share", "man1")
	for range 2 {
		mustRun(t, "--man="+dir)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(verbs)+1 {
		t.Fatalf("%d pages of %d verbs and the toolbox, %v", len(files), len(verbs), err)
	}
	page := func(name string) string {
		text := filetest.Read(t, filepath.Join(dir, name+".1"))
		for line := range strings.Lines(string(text)) {
			request, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if strings.HasPrefix(request, ".") && !strings.Contains(" .TH .SH .PP .TP .RS .RE .nf .fi ", " "+request+" ") || strings.HasPrefix(request, "'") {
				t.Errorf("%s: the line %q is a request", name, line)
			}
		}
		return string(text)
	}
	whole := page(program)
	for _, v := range verbs {
		text := page(program + "-" + v.name)
		name, o := v.name, v.outline()
		for _, p := range o.Flags {
			if !strings.Contains(text, `\-\-`+strings.ReplaceAll(p.Name, "-", `\-`)) {
				t.Errorf("the page of %s does not name --%s", name, p.Name)
			}
		}
		if len(o.Args) > 0 && !strings.Contains(text, ".SH ARGUMENTS\n") {
			t.Errorf("the page of %s does not name its arguments", name)
		}
		if !strings.Contains(whole, `bayestream\-`+name+"(1)") {
			t.Errorf("the page of the toolbox does not name %s", name)
		}
	}
	if _, err := run(t, "--man="+write(t, "file", "")); !wrong(err) {
		t.Errorf("into a file: %v", err)
	}
}
