package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
)

// cutover is what the verb of that name says.
type cutover struct {
	Start      string
	CutOver    bool `json:"cut_over"`
	Why        []string
	Comparison struct{ Documents int }
}

// TestCutover goes the way to another spec as docs/tokenizer.md says: the verb writes the command
// of the second ingest, and which records block its spec needs; it says that this one is to catch
// up, and to cut over when it has.
func TestCutover(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	const records = "records: {label: {field: team}}\n"
	first := p.runIngest(p.spec(records)).ready()
	const n = 400 // in each partition
	for part := range 2 {
		var values []string
		for i := range n {
			e := events(part*n+i, 1)[0]
			values = append(values, fmt.Sprintf(`{"id":%q,"text":%q,"team":%q}`, e.id, e.body+" "+e.country, e.team))
		}
		p.learn(part, values...)
	}
	compare := func(args ...string) (said cutover) {
		t.Helper()
		args = append([]string{
			"cutover", "--brokers=" + strings.Join(p.brokers, ","), "--model-topic=" + p.model, "--training-topic=" + p.training, "--json",
			"--last=300", "--documents=200", "--margin=0.05", p.model + "-v2",
		}, args...)
		out, err := exec.CommandContext(t.Context(), binary(t, "bayestream"), args...).Output()
		if err == nil {
			err = json.Unmarshal(out, &said)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return said
	}
	said := compare("--spec=" + p.file("v2.yaml", "text: {ngrams: 2}\n"+records))
	if said.CutOver || !strings.HasSuffix(strings.Join(said.Why, ""), "records: {label: {field: team}}") || !strings.Contains(said.Start, "--training-topic="+p.training) {
		t.Fatalf("before there is a second ingest: %+v", said)
	}
	flags := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(said.Start, "bayestream ingest"), "\\\n", " "))
	second := p.runIngest(append(flags, "--session-timeout="+session(), "--http=127.0.0.1:0", "--state="+filepath.Join(p.dir, "v2.db"))...).ready()
	for _, worker := range []*running{first, second} {
		worker.eventually("caught up", func() (bool, string) {
			s, err := worker.state()
			if err != nil {
				return false, err.Error()
			}
			counted := int64(0)
			for part := range 2 {
				at, _ := s.Progress(fold.Source{Topic: p.training, Partition: int32(part)})
				counted += at.Watermark
			}
			return counted == 2*n, fmt.Sprint(counted)
		})
	}
	if said = compare(); !said.CutOver || said.Comparison.Documents < 200 {
		t.Errorf("when the second ingest has caught up: %+v", said)
	}
}
