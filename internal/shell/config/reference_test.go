package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"

	"github.com/alecthomas/kong"
)

const referenceFile = "../../../docs/configuration.md"

// TestReference makes docs/configuration.md from the structs and the prose in
// testdata, so that it cannot say anything else than the flags do.
func TestReference(t *testing.T) {
	prose := filetest.Read(t, "testdata/configuration.md")
	text := string(prose)
	ingest, classify := sections(&Ingest{}), sections(&Classify{})
	tables := map[string]string{
		"<!-- both -->":     table(ingest, func(row string) bool { return classify.has(row) }),
		"<!-- ingest -->":   table(ingest, func(row string) bool { return !classify.has(row) }),
		"<!-- classify -->": table(classify, func(row string) bool { return !ingest.has(row) }),
		"<!-- clusters -->": clusterTable(),
	}
	for mark, rows := range tables {
		if strings.Count(text, mark) != 1 {
			t.Fatalf("testdata/configuration.md wants the line %s once", mark)
		}
		text = strings.Replace(text, mark, strings.TrimSpace(rows), 1)
	}
	golden(t, referenceFile, text)
}

// group is a heading of the help page with its settings, a row each.
type group struct {
	title string
	rows  []string
}

// reference is the settings of a worker.
type reference []group

func sections(worker any) reference {
	var all reference
	for _, section := range workerCommand(worker, "").grammar(worker).sections() {
		var rows []string
		for _, flag := range section.flags {
			rows = append(rows, row(flag))
		}
		all = append(all, group{section.title, rows})
	}
	return all
}

func (r reference) has(row string) bool {
	for i := range r {
		if slices.Contains(r[i].rows, row) {
			return true
		}
	}
	return false
}

// table returns the wanted rows, under the headings that have any.
func table(settings reference, wanted func(row string) bool) string {
	var b strings.Builder
	b.WriteString("| flag | default | meaning |\n|---|---|---|\n")
	for _, section := range settings {
		head := "| **" + section.title + "** | | |\n"
		for _, row := range section.rows {
			if wanted(row) {
				b.WriteString(head + row)
				head = ""
			}
		}
	}
	return b.String()
}

// clusterTable returns the settings of a cluster, a row each.
func clusterTable() string {
	var b strings.Builder
	b.WriteString("| key | value | meaning |\n|---|---|---|\n")
	for _, flag := range flagsOf(&Connection{}) {
		if !ofCluster(flag) {
			continue
		}
		value := "true, false"
		if !flag.IsBool() {
			value = flag.FormatPlaceHolder()
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", flag.Name, value, flag.Help)
	}
	return b.String()
}

func row(flag *kong.Flag) string {
	name, standard := "--"+flag.Name, "none"
	switch {
	case fixed(flag) && flag.Name != "config":
		standard = ""
	case flag.IsBool():
		standard = "false"
	default:
		name += "=" + flag.FormatPlaceHolder()
		if flag.Default != "" {
			standard = "`" + flag.Default + "`"
		}
	}
	name = "`" + name + "`"
	if flag.Short != 0 {
		name = "`-" + string(flag.Short) + "`, " + name
	}
	cells := []string{name, standard, flag.Help}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// TestReferenceExamples reads the YAML of the reference as a worker would.
func TestReferenceExamples(t *testing.T) {
	text := filetest.Read(t, referenceFile)
	blocks := strings.Split(string(text), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("the reference shows no file")
	}
	t.Chdir(t.TempDir())
	writeHere(t, "sms.yaml")
	for _, block := range blocks {
		example, _, _ := strings.Cut(block, "```")
		args, env := []string{"--config", write(t, example)}, environment{}
		if strings.Contains(example, "# clusters.yaml") {
			args, env = []string{"--cluster=production"}, environment{"BAYESTREAM_CLUSTERS": write(t, example)}
		}
		if _, err := Parse[Ingest]("ingest", args, env.lookup); err != nil {
			t.Errorf("%v in\n%s", err, example)
		}
	}
}

// writeHere makes an empty file in the working directory.
func writeHere(t *testing.T, name string) {
	t.Helper()
	filetest.Write(t, filepath.Clean(name), "")
}
