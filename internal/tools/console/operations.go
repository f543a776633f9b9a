package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/wire"
)

// Operations is how the pipeline runs.
type Operations struct {
	Partitions    []Partition   `json:"partitions"`
	Dead          []DeadReason  `json:"dead"`
	DeadTotal     int64         `json:"dead_total"`
	Checkpoints   []Checkpoint  `json:"checkpoints"`
	Configuration []InForce     `json:"configuration"`
	Digests       []NamedDigest `json:"digests"`
	Agree         *bool         `json:"agree"`
}

// Partition is how far a partition was read.
type Partition struct {
	Use        string  `json:"use"`
	Topic      string  `json:"topic"`
	Partition  int     `json:"partition"`
	Start      int64   `json:"start"`
	End        int64   `json:"end"`
	At         *int64  `json:"at"`
	Lag        *int64  `json:"lag"`
	Owner      *string `json:"owner"`
	Group      *string `json:"group"`
	Skipped    *int64  `json:"skipped"`
	Generation *int64  `json:"generation"`
}

// Checkpoint is the model file of a worker.
type Checkpoint struct {
	Worker     string   `json:"worker"`
	Role       string   `json:"role"`
	AgeSeconds *float64 `json:"age_seconds"`
	Rows       *int     `json:"rows"`
	Seconds    *float64 `json:"seconds"`
	File       *string  `json:"file"`
	FileBytes  *int64   `json:"file_bytes"`
}

// InForce are the settings of a worker, or of this console, by which it runs.
type InForce struct {
	Of       string           `json:"of"`
	Role     string           `json:"role"`
	Settings []config.Setting `json:"settings"`
}

// NamedDigest is the digest of a replica.
type NamedDigest struct {
	Worker string `json:"worker"`
	WorkerDigest
}

// mostPartitions is how many partitions are shown of a topic.
const mostPartitions = 256

// operations answers GET /v1/operations.
func (c *Console) operations(w http.ResponseWriter, r *http.Request) {
	if !c.checked(w, queryOf(r)) {
		return
	}
	out := Operations{Partitions: []Partition{}, Dead: []DeadReason{}, Checkpoints: []Checkpoint{}, Digests: []NamedDigest{}, Configuration: []InForce{}}
	t := c.options.Topics
	c.addPartitions(r.Context(), &out, "training", t.Training, c.trainingAt)
	c.addPartitions(r.Context(), &out, "documents", t.Documents, c.documentsAt())
	for _, topic := range t.Labels {
		c.addPartitions(r.Context(), &out, "labels", topic, c.labelsAt)
	}
	c.addPartitions(r.Context(), &out, "model", t.Model, c.modelAt)
	c.addPartitions(r.Context(), &out, "dead_letters", t.Dead, nil)
	for i := range out.Partitions {
		if p := &out.Partitions[i]; p.Use == "dead_letters" {
			out.DeadTotal += p.End - p.Start
		}
	}
	if letters, err := c.readDead(r.Context()); err == nil {
		out.Dead = reasonsOf(letters)
	}
	workers := c.workers.all()
	own := c.ownDigest()
	out.Digests = append(out.Digests, NamedDigest{thisConsole, *own})
	for _, x := range workers {
		if x.Digest != nil {
			out.Digests = append(out.Digests, NamedDigest{x.Name, *x.Digest})
		}
		if x.Up {
			out.Checkpoints = append(out.Checkpoints, checkpointOf(&x))
		}
		if x.says != nil {
			out.Configuration = append(out.Configuration, InForce{x.Name, x.Role, x.says.Settings})
			out.own(&x)
		}
	}
	out.Configuration = append(out.Configuration, InForce{thisConsole, "console", c.settings()})
	out.Agree = agree(own, workers)
	c.answer(w, out)
}

// thisConsole is the name of this process among the workers.
const thisConsole = "this console"

// own notes which partitions a worker reads. Where the workers of two groups read the same ones, both are named.
func (o *Operations) own(w *Worker) {
	join := func(to **string, name string) {
		if *to != nil && **to != name {
			name = **to + ", " + name
		}
		*to = &name
	}
	for i := range o.Partitions {
		if p := &o.Partitions[i]; p.Topic == w.says.Topic && slices.Contains(w.says.Partitions, p.Partition) {
			join(&p.Owner, w.Name)
			join(&p.Group, w.says.Group)
		}
	}
}

// addPartitions adds the partitions of a topic that is there. at sets what is known of one.
func (c *Console) addPartitions(ctx context.Context, out *Operations, use, topic string, at func(p *Partition)) {
	info, exists, err := c.client.FindTopic(ctx, topic)
	if err != nil || !exists {
		return
	}
	for i := range min(info.Partitions, mostPartitions) {
		p := Partition{Use: use, Topic: topic, Partition: i}
		if p.Start, p.End, err = c.client.Offsets(ctx, topic, i); err != nil {
			continue
		}
		if at != nil {
			at(&p)
		}
		if p.At != nil {
			lag := max(0, p.End-max(p.Start, *p.At))
			p.Lag = &lag
		}
		out.Partitions = append(out.Partitions, p)
	}
}

func (c *Console) trainingAt(p *Partition) {
	c.replica.Read(func(s *fold.State) {
		progress, known := s.Progress(fold.Source{Topic: p.Topic, Partition: int32(p.Partition)})
		if !known {
			return
		}
		generation := int64(progress.Generation)
		p.At, p.Skipped, p.Generation = &progress.Watermark, &progress.Skipped, &generation
	})
}

func (c *Console) documentsAt() func(p *Partition) {
	seen := c.meter.allSeen()
	return func(p *Partition) {
		if at, known := seen[wire.Ref{Topic: p.Topic, Partition: p.Partition}]; known {
			p.At = &at
		}
	}
}

func (c *Console) labelsAt(p *Partition) {
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	if behind, known := c.meter.behind[wire.Ref{Topic: p.Topic, Partition: p.Partition}]; known {
		at := p.End - behind
		p.At = &at
	}
}

func (c *Console) modelAt(p *Partition) {
	c.replica.Read(func(s *fold.State) {
		at := s.Next()
		p.At = &at
	})
}

// settings returns the settings of this console.
func (c *Console) settings() []config.Setting {
	o := &c.options
	return []config.Setting{
		{Name: "brokers", Value: strings.Join(o.Kafka.Brokers, ",")}, {Name: "model-topic", Value: o.Topics.Model}, {Name: "training-topic", Value: o.Topics.Training},
		{Name: "documents-topic", Value: o.Topics.Documents}, {Name: "labels-topic", Value: strings.Join(o.Topics.Labels, ",")}, {Name: "dead-letter-topic", Value: o.Topics.Dead},
		{Name: "workers", Value: c.workers.names()}, {Name: "keep", Value: strconv.Itoa(o.Keep), Usual: o.Keep == UsualKeep}, {Name: "read-only", Value: strconv.FormatBool(o.ReadOnly), Usual: !o.ReadOnly},
	}
}

func (ws *workers) names() string {
	var names []string
	for _, w := range ws.all() {
		names = append(names, w.URL)
	}
	return strings.Join(names, ",")
}

// checkpointOf returns what a worker says of its model file.
func checkpointOf(w *Worker) Checkpoint {
	c := Checkpoint{Worker: w.Name, Role: w.Role}
	if w.says == nil {
		return c
	}
	c.File, c.FileBytes = &w.says.File, w.says.FileBytes
	if last := w.says.Checkpoint; last != nil {
		c.AgeSeconds, c.Rows, c.Seconds = &last.AgeSeconds, &last.Rows, &last.Seconds
	}
	return c
}
