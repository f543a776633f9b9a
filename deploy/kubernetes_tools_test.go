//go:build tools

package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// validator is the package of PyPI that checks objects, with the schemas of Kubernetes inside.
const validator = "kubernetes-validate==1.37.0"

// TestManifestsPassTheSchemas checks every object of the base against the schemas of the oldest
// version of Kubernetes that knows all fields, and of the newest. Not one field may be unknown.
func TestManifestsPassTheSchemas(t *testing.T) {
	validate := installed(t)
	for _, version := range []string{"1.30", "1.37"} {
		arguments := []string{"--strict", "--kubernetes-version", version}
		for _, file := range base(t).Resources {
			arguments = append(arguments, filepath.Join("kubernetes", file))
		}
		out, err := exec.CommandContext(t.Context(), validate, arguments...).CombinedOutput()
		want := len(objects(t, base(t).Resources...))
		if passed := strings.Count(string(out), " passed for resource "); err != nil || passed != want {
			t.Errorf("Kubernetes %s: %d of %d objects pass, %v\n%s", version, passed, want, err, out)
		}
	}
}

// installed returns the program of the validator, in a virtual environment of the user's cache.
func installed(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(cache, "bayestream", "kubernetes-venv")
	stamp := filepath.Join(venv, "requirements.txt")
	program := filepath.Join(venv, "bin", "kubernetes-validate")
	if got, _ := os.ReadFile(stamp); string(got) == validator {
		return program
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", venv},
		{filepath.Join(venv, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", validator},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	filetest.Write(t, stamp, validator)
	return program
}
