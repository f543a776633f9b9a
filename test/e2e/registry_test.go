package e2e

import (
	"context"
	varint "encoding/binary"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// registry is a schema registry that can be down.
type registry struct {
	*srfake.Registry
	down atomic.Bool
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{Registry: srfake.New()}
	t.Cleanup(r.Close)
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if r.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
		return r.down.Load()
	})
	return r
}

// Two schemas of the same records. The second has the fields in another order, and others beside.
const (
	noteOne = `{"type":"record","name":"Note","fields":[{"name":"id","type":"string"},{"name":"text","type":"string"},
		{"name":"label","type":["null",{"type":"enum","name":"Team","symbols":["spam","ham"]}],"default":null}]}`
	noteTwo = `{"type":"record","name":"Note","fields":[{"name":"source","type":{"type":"map","values":"long"}},
		{"name":"label","type":["null",{"type":"enum","name":"Team","symbols":["ham","spam"]}]},
		{"name":"text","type":"string"},{"name":"id","type":"string"}]}`
)

func avroText(s string) string { return string(varint.AppendVarint(nil, int64(len(s)))) + s }

// one is a record of noteOne; two of noteTwo, under an id.
func one(id, text, label string) stream.Record {
	team := map[string]string{"": "\x00", "spam": "\x02\x00", "ham": "\x02\x02"}[label]
	return stream.Record{Value: []byte("\x00\x00\x00\x00\x01" + avroText(id) + avroText(text) + team)}
}

func two(schema byte, id, text, label string) stream.Record {
	team := map[string]string{"ham": "\x02\x00", "spam": "\x02\x02"}[label]
	return stream.Record{Value: []byte("\x00\x00\x00\x00" + string(rune(schema)) + "\x02\x02k\x0a\x00" + team + avroText(text) + avroText(id))}
}

// ingestWith starts ingest with a registry, and does not wait for anything.
func (p *pipeline) ingestWith(r *registry, args ...string) *running {
	p.t.Helper()
	c := parse[config.Ingest](p.t, "ingest", slices.Concat(p.ingestFlags(), p.here("ingest"), args))
	c.Kafka.SchemaRegistry = []string{r.URL()}
	return start(p.t, "ingest", func(ctx context.Context, b *logbook) error { return ingest.Run(ctx, c, b.logger()) })
}

func (p *pipeline) classifyWith(r *registry, args ...string) *running {
	p.t.Helper()
	c := parse[config.Classify](p.t, "classify", slices.Concat(p.classifyFlags(), p.here("classify"), args))
	c.Kafka.SchemaRegistry = []string{r.URL()}
	return start(p.t, "classify", func(ctx context.Context, b *logbook) error { return classify.Run(ctx, c, b.logger()) })
}

// waitsFor waits until a worker says in /readyz what it waits for.
func (r *running) waitsFor(what string) {
	r.t.Helper()
	r.eventually("waiting", func() (bool, string) {
		status, body := r.get("/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(string(body), what), string(body)
	})
}

// TestRecordsOfARegistry learns, corrects and forgets Avro records of two schemas beside plain
// JSON, while the registry comes and goes: what was counted is never read by another schema than
// its own, and never waits for the registry.
func TestRecordsOfARegistry(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	r := newRegistry(t)
	r.SeedSchema("note", 1, 1, sr.Schema{Schema: noteOne})
	worker := p.ingestWith(r).ready()
	p.produce(p.training, 0, one("a", "first prize", "spam"), one("b", "lunch on friday", "ham"))
	p.learn(0, `{"id":"c","text":"plain","label":"ham"}`)
	counts := []counted{{label: "spam", weight: 1, text: "first prize"}, {label: "ham", weight: 1, text: "lunch on friday"},
		{label: "ham", weight: 1, text: "plain"}}
	same(t, "ingest", p.counted(worker), dumpOf(t, counts))

	p.produce(p.training, 0, one("d", "before it", "ham"), two(2, "e", "of a new schema", "spam"), one("f", "behind it", "ham"))
	worker.waitsFor("schema 2 of the registry")
	at := worker.must()
	if now, _ := at.Progress(fold.Source{Topic: p.training}); now.Watermark != 4 {
		t.Errorf("the watermark is %d, want 4: the record before the unknown schema, and not the one behind it", now.Watermark)
	}
	correction := fmt.Appendf(nil, `{"source":"%s/0/4","label":"ham"}`, p.training)
	if status, body := worker.send(http.MethodPost, "/v1/labels", correction); status != http.StatusServiceUnavailable {
		t.Errorf("a correction of what waits is answered with %d %s", status, body)
	}
	r.SeedSchema("note", 2, 2, sr.Schema{Schema: noteTwo})
	p.counted(worker)
	worker.ready().stop()

	r.down.Store(true)
	worker = p.ingestWith(r).ready()
	p.produce(p.training, 0, one("a", "", ""), two(2, "b", "second prize", "spam"), two(2, "e", "of a new schema", "ham"), one("d", "", ""))
	counts = []counted{{label: "spam", weight: 1, text: "second prize"}, {label: "ham", weight: 1, text: "plain"},
		{label: "ham", weight: 1, text: "of a new schema"}, {label: "ham", weight: 1, text: "behind it"}}
	state := p.counted(worker)
	same(t, "ingest without the registry", state, dumpOf(t, counts))
	_, snapshot := worker.get("/v1/snapshot")
	worker.stop()
	p.noDeadLetters()

	p.countsAgain(r, state)
	p.fromSnapshot(r, string(snapshot), counts)
	p.classifies(r)
}

// countsAgain counts the topic from its start into another model, with the registry.
func (p *pipeline) countsAgain(r *registry, want *fold.State) {
	p.t.Helper()
	r.down.Store(false)
	again := *p
	again.model, again.dir = p.model+"-again", p.t.TempDir()
	worker := again.ingestWith(r, "--group", p.training+"-again").ready()
	same(p.t, "a recount", again.counted(worker), modeltest.Dump(want.Model()))
	worker.stop()
	r.down.Store(true)
}

// fromSnapshot forgets by the schemas of a snapshot, without the registry.
func (p *pipeline) fromSnapshot(r *registry, snapshot string, counts []counted) {
	p.t.Helper()
	p.dir = p.t.TempDir()
	worker := p.ingestWith(r, "--bootstrap", p.file("snapshot", snapshot)).ready()
	p.learn(0, `{"id":"e","label":null}`)
	same(p.t, "ingest from a snapshot", p.counted(worker), dumpOf(p.t, slices.Delete(slices.Clone(counts), 2, 3)))
	worker.stop()
	p.noDeadLetters()
}

// classifies labels Avro documents: decisions in events do not say that they are written in the
// schema of the document, and enriched documents are JSON.
func (p *pipeline) classifies(r *registry) {
	p.t.Helper()
	r.down.Store(false)
	header := one("h", "lunch", "")
	header.Headers = []stream.Header{{Key: wire.SchemaHeader, Value: []byte{0, 0, 0, 0, 1}}}
	header.Value = header.Value[5:]
	p.produce(p.documents, 0, header, two(3, "i", "a prize", "ham"))
	worker := p.classifyWith(r)
	worker.waitsFor("schema 3 of the registry")
	r.SeedSchema("note", 3, 3, sr.Schema{Schema: strings.Replace(noteTwo, "Note", "Other", 1)})
	worker.eventually("done", func() (bool, string) {
		got := p.read(p.labels, 0)
		return len(got) == 2, fmt.Sprintf("%d decisions", len(got))
	})
	for i, answer := range p.read(p.labels, 0) {
		if want := fmt.Sprintf(`{"id":%q`, string(rune('h'+i))); !strings.HasPrefix(string(answer.Value), want) {
			p.t.Errorf("decision %s, want it to begin with %s", answer.Value, want)
		}
		if slices.ContainsFunc(answer.Headers, func(h stream.Header) bool { return h.Key == wire.SchemaHeader }) {
			p.t.Errorf("decision %s names the schema of its document", answer.Value)
		}
	}
	worker.stop()
	p.labels += "-enriched"
	worker = p.classifyWith(r, "--emit", "enrich", "--group", p.training+"-enrich", "--state", filepath.Join(p.dir, "enrich.db"))
	worker.ready() // it has made the topic
	worker.eventually("done", func() (bool, string) {
		got := p.read(p.labels, 0)
		return len(got) == 2, fmt.Sprintf("%d decisions", len(got))
	})
	if got := string(p.read(p.labels, 0)[0].Value); !strings.HasPrefix(got, `{"id":"h","text":"lunch","label":null,`) {
		p.t.Errorf("the enriched document is %s", got)
	}
}

// TestModelOfARegistryNeedsOne: a worker that could not read its records again does not start.
func TestModelOfARegistryNeedsOne(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	r := newRegistry(t)
	r.SeedSchema("note", 1, 1, sr.Schema{Schema: noteOne})
	worker := p.ingestWith(r).ready()
	p.produce(p.training, 0, one("a", "first prize", "spam"))
	p.counted(worker)
	worker.stop()
	p.runIngest().failure("records of a schema registry", "schema-registry")
}
