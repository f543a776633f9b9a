//go:build tools

package deploy

import (
	"debug/elf"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// The image is empty: a binary that asks for a loader or a library does not start there.
func TestBinariesAreStatic(t *testing.T) {
	out := t.TempDir()
	packages := built(t)
	build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-buildvcs=false", "-o", out + "/"}, packages...)...)
	build.Dir = ".." // without the image's -trimpath, which compiles the standard library again
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, text)
	}
	for _, p := range packages {
		name := filepath.Join(out, path.Base(p))
		binary, err := elf.Open(name)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		for _, section := range binary.Progs {
			if section.Type == elf.PT_INTERP {
				t.Errorf("%s asks for a loader", p)
			}
		}
		if libraries, err := binary.ImportedLibraries(); err != nil || len(libraries) > 0 {
			t.Errorf("%s asks for the libraries %v (%v)", p, libraries, err)
		}
		if err := binary.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestUnitsPassSystemd(t *testing.T) {
	for _, file := range units {
		// The program of the unit need not be installed where this runs.
		text := strings.ReplaceAll(read(t, file), "ExecStart=/usr/local/bin/bayestream", "ExecStart=/bin/true")
		copied := filepath.Join(t.TempDir(), filepath.Base(file))
		filetest.Write(t, copied, text)
		if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", copied).CombinedOutput(); err != nil || strings.Contains(string(out), filepath.Base(file)) {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}
