package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

const referenceFile = "../../../docs/configuration.md"

// TestReference makes docs/configuration.md from the structs and the prose in
// testdata, so that it cannot say anything else than the flags do.
func TestReference(t *testing.T) {
	prose, err := os.ReadFile("testdata/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(prose)
	for mark, table := range map[string]string{"<!-- ingest -->": table(&Ingest{}), "<!-- classify -->": table(&Classify{})} {
		if strings.Count(text, mark) != 1 {
			t.Fatalf("testdata/configuration.md wants the line %s once", mark)
		}
		text = strings.Replace(text, mark, strings.TrimSpace(table), 1)
	}
	golden(t, referenceFile, text)
}

// table returns the settings of a worker, a row each, under the headings of the help
// page.
func table(worker any) string {
	var b strings.Builder
	for _, section := range workerCommand(worker).grammar(worker, true).sections() {
		b.WriteString("| **" + section.title + "** | | | | | |\n")
		for _, flag := range section.flags {
			b.WriteString(row(flag))
		}
	}
	return "| flag | value | variable | file key | default | meaning |\n|---|---|---|---|---|---|\n" + b.String()
}

func row(flag *kong.Flag) string {
	name, value, key, env, standard := "`--"+flag.Name+"`", "true, false", "`"+flag.Name+"`", "`"+variable(flag)+"`", "none"
	if flag.Short != 0 {
		name = "`-" + string(flag.Short) + "`, " + name
	}
	switch {
	case !flag.IsBool():
		value = flag.FormatPlaceHolder()
		if flag.Default != "" {
			standard = "`" + flag.Default + "`"
		}
	default:
		standard = "false"
	}
	if fixed(flag) {
		key = ""
	}
	if fixed(flag) && flag.Name != "config" {
		value, env, standard = "", "", ""
	}
	cells := []string{name, value, env, key, standard, flag.Help}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// TestReferenceExamples reads the YAML of the reference as a worker would.
func TestReferenceExamples(t *testing.T) {
	text, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("the reference shows no file")
	}
	t.Chdir(t.TempDir())
	writeHere(t, "sms.yaml")
	writeHere(t, "ca.pem")
	for _, block := range blocks {
		example, _, _ := strings.Cut(block, "```")
		if _, err := Parse[Ingest]("ingest", []string{"--config", write(t, example)}, environment{}.lookup); err != nil {
			t.Errorf("%v in\n%s", err, example)
		}
	}
}

// writeHere makes an empty file in the working directory.
func writeHere(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Clean(name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
