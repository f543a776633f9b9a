//go:build kafka

package security

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// pipeline is ingest and classify on topics of their own, each with its user.
type pipeline struct {
	*broker
	t    *testing.T
	name string // begins the names of topics, groups and users
}

// newPipeline creates the topics and writes a good and a bad record to each input.
func (b *broker) newPipeline(t *testing.T, name string) *pipeline {
	t.Helper()
	p := &pipeline{broker: b, t: t, name: name}
	admin := kafkatest.DialConfig(t, stream.Config{Brokers: []string{b.open}})
	settings := map[string]string{"retention.ms": "-1", "max.message.bytes": "4194304"}
	for _, topic := range []string{"training", "documents", "labels", "model", "dead"} {
		spec := stream.TopicSpec{Name: p.topic(topic), Partitions: 1}
		if topic == "model" {
			spec.Config = settings
		}
		if err := admin.CreateTopic(bounded(t), spec); err != nil {
			t.Fatal(err)
		}
	}
	p.write("training", `{"id":"a","label":"x","text":"apple"}`, `bad`)
	p.write("documents", `{"id":"d","text":"apple"}`, `bad`)
	return p
}

func (p *pipeline) topic(name string) string { return p.name + "-" + name }

func (p *pipeline) write(topic string, values ...string) {
	p.t.Helper()
	admin := kafkatest.DialConfig(p.t, stream.Config{Brokers: []string{p.open}})
	for _, v := range values {
		if _, err := admin.ProduceRetry(bounded(p.t), p.topic(topic), 0, []stream.Record{{Value: []byte(v)}}); err != nil {
			p.t.Fatal(err)
		}
	}
}

// records returns how many records a topic holds.
func (p *pipeline) records(topic string) int64 {
	p.t.Helper()
	_, end, err := kafkatest.DialConfig(p.t, stream.Config{Brokers: []string{p.open}}).Offsets(bounded(p.t), p.topic(topic), 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return end
}

// ingestRights and classifyRights are the tables of docs/security.md.
func (p *pipeline) ingestRights() []right {
	return []right{
		{"Topic", p.topic("training"), "Read"}, {"Topic", p.topic("training"), "DescribeConfigs"},
		{"Topic", p.topic("model"), "Read"}, {"Topic", p.topic("model"), "Write"}, {"Topic", p.topic("model"), "DescribeConfigs"},
		{"Topic", p.topic("dead"), "Write"},
		{"Group", p.name + "-ingest", "Read"},
	}
}

func (p *pipeline) classifyRights() []right {
	return []right{
		{"Topic", p.topic("documents"), "Read"},
		{"Topic", p.topic("model"), "Read"}, {"Topic", p.topic("model"), "DescribeConfigs"},
		{"Topic", p.topic("labels"), "Write"},
		{"Topic", p.topic("dead"), "Write"},
		{"Group", p.name + "-classify", "Read"},
		{"TransactionalId", p.name + "-classify/" + p.topic("documents") + "/", "Write"},
	}
}

// clusters writes the file of clusters. Rights belong to users of tokens, which need not be
// created.
func (p *pipeline) clusters(worker string) config.Lookup {
	token, file := p.name+"-"+worker+"-token", p.name+"-"+worker+"-clusters.yaml"
	p.ours.Write(token, []byte(p.issuer.token(p.t, p.name+"-"+worker, time.Hour)))
	p.ours.Write(file, fmt.Appendf(nil, "ours: {brokers: [%q], tls-ca: ours.pem, sasl: oauthbearer, sasl-token-file: %s}\n", p.sasl, token))
	return func(name string) (string, bool) { return p.ours.File(file), name == "BAYESTREAM_CLUSTERS" }
}

// flags are those of both workers.
func (p *pipeline) flags(worker string) []string {
	return []string{
		"--cluster=ours", "--group=" + p.name + "-" + worker, "--model-topic=" + p.topic("model"), "--dead-letter-topic=" + p.topic("dead"),
		"--http=", "--log=debug", "--state=" + filepath.Join(p.t.TempDir(), "model.db"),
	}
}

// journal is a log that is written and read at once, with the error of the worker at its end.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// forget empties the journal.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text.Reset()
}

// run runs a worker until the test ends and returns its log.
func (p *pipeline) run(worker string) *journal {
	p.t.Helper()
	clusters := p.clusters(worker)
	var work func(context.Context, *slog.Logger) error
	var err error
	if worker == "ingest" {
		var c config.Ingest
		c, err = config.Parse[config.Ingest]("ingest", append(p.flags(worker), "--training-topic="+p.topic("training"), "--labels-topic="), clusters)
		work = func(ctx context.Context, log *slog.Logger) error { return ingest.Run(ctx, c, log) }
	} else {
		var c config.Classify
		c, err = config.Parse[config.Classify]("classify", append(p.flags(worker), "--documents-topic="+p.topic("documents"), "--labels-topic="+p.topic("labels"), "--wait-documents=0"), clusters)
		work = func(ctx context.Context, log *slog.Logger) error { return classify.Run(ctx, c, log) }
	}
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	j := &journal{}
	go func() {
		defer close(done)
		err := work(ctx, slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug})))
		fmt.Fprintf(j, "the worker ended: %v\n", err)
	}()
	p.t.Cleanup(func() {
		cancel()
		<-done
		if p.t.Failed() {
			p.t.Logf("%s:\n%s", worker, j)
		}
	})
	return j
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for ctx := bounded(t); !holds(); time.Sleep(50 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("not %s", what)
		}
	}
}

// TestRights runs the pipeline with exactly the rights of the tables.
func TestRights(t *testing.T) {
	p := start(t).newPipeline(t, "full")
	p.allow(t, "full-ingest", p.ingestRights()...)
	p.allow(t, "full-classify", p.classifyRights()...)
	in := p.run("ingest")
	eventually(t, "learned", func() bool { return p.records("model") >= 2 && p.records("dead") >= 1 })
	out := p.run("classify")
	eventually(t, "labelled", func() bool { return p.records("labels") >= 1 && p.records("dead") >= 2 })
	for _, log := range []*journal{in, out} {
		for line := range strings.Lines(log.String()) {
			isTrouble := strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") || strings.Contains(line, "allow")
			// a busy coordinator
			isExpected := strings.Contains(line, "a record went to the dead-letter topic") || strings.Contains(line, "Load In Progress")
			if isTrouble && !isExpected {
				t.Errorf("the log has %s", line)
			}
		}
	}
}

// TestMissingRights takes away one right after the other.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	b := start(t)
	model := &pipeline{broker: b, name: "any"}
	for _, worker := range []string{"ingest", "classify"} {
		rights := (*pipeline).ingestRights
		if worker == "classify" {
			rights = (*pipeline).classifyRights
		}
		for i, r := range rights(model) {
			if r.resource == "TransactionalId" {
				continue // TestTransactionsNeedARight
			}
			t.Run(worker+" without "+r.String(), func(t *testing.T) {
				t.Parallel()
				p := b.newPipeline(t, fmt.Sprintf("%s-without%d", worker, i))
				p.missing(worker, rights(p), i)
			})
		}
	}
}

// TestTransactionsNeedARight: with the right to write under a transactional id that begins with the
// group, a consumer takes a partition over, and without it the error names the right.
func TestTransactionsNeedARight(t *testing.T) {
	b := start(t)
	p := &pipeline{broker: b, t: t, name: "eos"}
	topic := b.createTopic(t, p.topic("documents"), 1)
	b.allow(t, "eos", right{"Topic", topic, "Read"}, right{"Group", "eos-classify", "Read"})
	client := kafkatest.DialConfig(t, b.withToken(t, b.issuer.token(t, "eos", time.Hour)))
	takeOver := func() (err error) {
		ctx, cancel := context.WithCancel(bounded(t))
		defer cancel()
		consumed := client.Consume(ctx, stream.GroupConfig{Group: "eos-classify", Topic: topic}, func(ctx context.Context, a stream.Assignment) error {
			defer cancel()
			_, _, err = client.TakeOver(ctx, a)
			return nil
		})
		return errors.Join(consumed, err)
	}
	var missing *stream.RightError
	if err := takeOver(); !errors.As(err, &missing) || missing.Resource != "TransactionalId" || missing.Name != "eos-classify/"+topic+"/0" {
		t.Errorf("without the right: %v", err)
	}
	b.allow(t, "eos", right{"TransactionalId", "eos-classify/" + topic + "/", "Write"})
	eventually(t, "allowed", func() bool { return takeOver() == nil })
}

// missing runs a worker without the i-th of its rights, until its log names that right. A worker that
// loses the right while it works names it too, waits, and goes on when the right is given back.
func (p *pipeline) missing(worker string, rights []right, i int) {
	p.t.Helper()
	taken, user := rights[i], p.name+"-"+worker
	rest := append(append([]right{}, rights[:i]...), rights[i+1:]...)
	p.allow(p.t, user, rest...)
	if worker == "classify" {
		p.allow(p.t, p.name+"-ingest", p.ingestRights()...)
		p.run("ingest")
		eventually(p.t, "learned", func() bool { return p.worked("ingest", 1) })
	}
	p.told(p.run(worker), taken)
	if taken.operation == "DescribeConfigs" {
		return // it works without
	}
	p.allow(p.t, user, taken)
	log := p.run(worker)
	eventually(p.t, "at work with all rights", func() bool { return p.worked(worker, 1) })
	p.take(p.t, user, taken)
	log.forget()
	p.write(input[worker], `{"id":"b","label":"x","text":"pear"}`, `bad`)
	p.told(log, taken)
	p.allow(p.t, user, taken)
	eventually(p.t, "at work with the right given back", func() bool { return p.worked(worker, 2) })
}

// input is what each worker reads, output what it writes, by the end of their topics' names.
var (
	input  = map[string]string{"ingest": "training", "classify": "documents"}
	output = map[string]string{"ingest": "model", "classify": "labels"}
)

// worked reports whether a worker has worked off so many good and bad records. The log of the model
// has a spec before the first delta. Dead letters of ingest come before those of classify.
func (p *pipeline) worked(worker string, n int64) bool {
	p.t.Helper()
	if worker == "ingest" {
		return p.records(output[worker]) > n && p.records("dead") >= n
	}
	return p.records(output[worker]) >= n && p.records("dead") > n
}

// told waits until the log names a right that is missing.
func (p *pipeline) told(log *journal, missing right) {
	p.t.Helper()
	name := strings.TrimRight(missing.name, "/")
	eventually(p.t, "told what is missing: "+missing.String(), func() bool {
		for line := range strings.Lines(log.String()) {
			isNamed := strings.Contains(line, "allow") && strings.Contains(line, name)
			if isNamed && (strings.Contains(line, missing.operation) || strings.Contains(line, "Describe")) {
				return true
			}
		}
		return false
	})
}
