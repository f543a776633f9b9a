package archtest

import (
	"os/exec"
	"strings"
	"testing"
)

// notOfTheLibrary are packages that a program which imports the library must not be linked with.
// Only package follow talks to Kafka.
var notOfTheLibrary = []string{
	"bayestream/internal/shell/stream", "bayestream/internal/shell/modellog", "bayestream/internal/shell/worker", "bayestream/internal/shell/config",
	"bayestream/internal/shell/httpapi", "bayestream/internal/tools/cli", "github.com/segmentio/kafka-go", "github.com/alecthomas/kong",
	"github.com/prometheus/client_golang",
}

// mostModules is how many other modules the library is linked with at most.
const mostModules = 17

func TestLibraryLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}", "bayestream").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		pkg, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		if module != "" && module != "bayestream" {
			modules[module] = true
		}
		for _, not := range notOfTheLibrary {
			if pkg == not || module == not {
				t.Errorf("the library is linked with %s", pkg)
			}
		}
	}
	if len(modules) > mostModules || len(modules) == 0 {
		t.Errorf("the library is linked with %d other modules, want at most %d", len(modules), mostModules)
	}
}
