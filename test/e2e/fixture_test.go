package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// pipeline is ingest and classify on topics of their own. The workers run in this process, with the
// settings that flags give them, and can be stopped and started again.
type pipeline struct {
	t          *testing.T
	brokers    []string
	client     *stream.Client
	partitions int
	dir        string

	training, documents, labels, dead, model string
}

// newPipeline makes the input topics; the workers make the others.
func newPipeline(t *testing.T, partitions int) *pipeline {
	t.Helper()
	training := kafkatest.Topic(t, partitions, nil)
	p := newPipelineAt(t, kafkatest.Start(t), training)
	p.partitions = partitions
	p.createTopic(p.documents, partitions, nil)
	return p
}

// newPipelineAt is a pipeline on a cluster without any topic yet.
func newPipelineAt(t *testing.T, brokers []string, name string) *pipeline {
	t.Helper()
	return &pipeline{
		t: t, brokers: brokers, client: kafkatest.DialConfig(t, stream.Config{Brokers: brokers}), partitions: 1, dir: t.TempDir(),
		training: name, documents: name + "-documents", labels: name + "-labels", dead: name + "-dead", model: name + "-model",
	}
}

func (p *pipeline) createTopic(name string, partitions int, settings map[string]string) {
	p.t.Helper()
	if err := p.client.CreateTopic(p.t.Context(), stream.TopicSpec{Name: name, Partitions: partitions, Config: settings}); err != nil {
		p.t.Fatal(err)
	}
}

// file writes a file into the folder of the pipeline and returns its path.
func (p *pipeline) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// spec writes a spec and returns the flag that names it.
func (p *pipeline) spec(text string) string { return "--spec=" + p.file("spec.yaml", text) }

// common are the flags of both workers; name is that of the group.
func (p *pipeline) common(name string) []string {
	return []string{
		"--brokers", strings.Join(p.brokers, ","), "--group", p.training + "-" + name, "--model-topic", p.model, "--dead-letter-topic", p.dead,
		"--create-topics", "--partitions", strconv.Itoa(p.partitions), "--session-timeout", session(),
	}
}

// session is how long a group waits for a killed worker: as short as the brokers allow.
func session() string {
	if kafkatest.Real() {
		return "6s"
	}
	return "3s"
}

func (p *pipeline) ingestFlags() []string {
	return append(p.common("ingest"), "--training-topic", p.training)
}

func (p *pipeline) classifyFlags() []string {
	return append(p.common("classify"), "--documents-topic", p.documents, "--labels-topic", p.labels, "--wait-documents=0")
}

// here are the flags of a worker in this process.
func (p *pipeline) here(name string) []string {
	return []string{"--http", "127.0.0.1:0", "--state", filepath.Join(p.dir, name+".db"), "--checkpoint-each", "200ms"}
}

// parse reads flags as the programs do.
func parse[T config.Ingest | config.Classify](t *testing.T, program string, args []string) T {
	t.Helper()
	c, err := config.Parse[T](program, args, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// runIngest starts ingest; it does not wait for anything.
func (p *pipeline) runIngest(args ...string) *running {
	p.t.Helper()
	c := parse[config.Ingest](p.t, "ingest", slices.Concat(p.ingestFlags(), p.here("ingest"), args))
	return start(p.t, "ingest", func(ctx context.Context, b *logbook) error { return ingest.Run(ctx, c, b.logger()) })
}

// runClassify starts classify; it does not wait for anything.
func (p *pipeline) runClassify(args ...string) *running {
	p.t.Helper()
	c := parse[config.Classify](p.t, "classify", slices.Concat(p.classifyFlags(), p.here("classify"), args))
	return start(p.t, "classify", func(ctx context.Context, b *logbook) error { return classify.Run(ctx, c, b.logger()) })
}

// startIngest starts ingest and waits until it is ready.
func (p *pipeline) startIngest(args ...string) *running {
	p.t.Helper()
	return p.runIngest(args...).ready()
}

// startClassify starts classify and waits until it is ready.
func (p *pipeline) startClassify(args ...string) *running {
	p.t.Helper()
	return p.runClassify(args...).ready()
}

// learn writes values to a partition of the training topic and returns the offset of the first.
func (p *pipeline) learn(partition int, values ...string) int64 {
	p.t.Helper()
	var records []stream.Record
	for _, v := range values {
		records = append(records, stream.Record{Value: []byte(v)})
	}
	return p.produce(p.training, partition, records...)
}

// produce writes records and returns the offset of the first.
func (p *pipeline) produce(topic string, partition int, records ...stream.Record) int64 {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	base, err := p.client.ProduceRetry(ctx, topic, partition, records)
	if err != nil {
		p.t.Fatal(err)
	}
	return base
}

// read returns the committed records of a partition.
func (p *pipeline) read(topic string, partition int) []stream.Record {
	p.t.Helper()
	records, err := kafkatest.Read(p.t.Context(), p.client, topic, partition)
	if err != nil {
		p.t.Fatal(err)
	}
	return records
}

// patience bounds each wait of a test; a real broker on a busy machine takes its time.
const patience = 2 * time.Minute
