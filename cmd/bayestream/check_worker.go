package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/cli"
)

// checkedWorker is what check prints of a worker's configuration.
type checkedWorker struct {
	Worker   string            `json:"worker"` // ingest or classify
	Config   string            `json:"config"` // file
	Settings map[string]string `json:"settings"`
	Order    []string          `json:"-"`
	Spec     string            `json:"spec,omitempty"` // YAML, of the spec that the configuration names
	Counting string            `json:"counting,omitempty"`
	Scoring  string            `json:"scoring,omitempty"`
}

// checkWorker reads the configuration of a worker as the worker would, the environment included.
func (f *checkFlags) checkWorker(p cli.Process) error {
	var c *checkedWorker
	var err error
	if f.Ingest != "" {
		c, err = checkIngest(p, f.Ingest)
	} else {
		c, err = checkClassify(p, f.Classify)
	}
	if err != nil {
		return err
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(c)
	}
	out := &printer{w: p.Stdout}
	out.f("# %s is valid; %s would run with\n", c.Config, c.Worker)
	for _, name := range c.Order {
		out.f("%s: %s\n", name, c.Settings[name])
	}
	if c.Spec != "" {
		out.f("\n# and write this spec to a model log without one\n")
		out.lines(c.Spec)
		out.f("\n# counting %s\n# scoring  %s\n", c.Counting, c.Scoring)
	}
	return out.err
}

func checkIngest(p cli.Process, file string) (*checkedWorker, error) {
	settings, err := config.Parse[config.Ingest](program+" ingest", []string{"--config=" + file}, p.LookupEnv)
	if err != nil {
		return nil, err
	}
	c := newCheckedWorker("ingest", file, settings.LogValue())
	spec, err := ingest.Spec(settings)
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", file, err))
	}
	if spec != nil {
		counting, scoring := spec.Counting(), spec.Scoring()
		c.Spec, c.Counting, c.Scoring = string(spec.YAML()), hex.EncodeToString(counting[:]), hex.EncodeToString(scoring[:])
	}
	return c, nil
}

func checkClassify(p cli.Process, file string) (*checkedWorker, error) {
	settings, err := config.Parse[config.Classify](program+" classify", []string{"--config=" + file}, p.LookupEnv)
	if err != nil {
		return nil, err
	}
	return newCheckedWorker("classify", file, settings.LogValue()), nil
}

func newCheckedWorker(worker, file string, settings slog.Value) *checkedWorker {
	c := &checkedWorker{Worker: worker, Config: file, Settings: map[string]string{}}
	for _, s := range settings.Group() {
		c.Settings[s.Key] = s.Value.String()
		c.Order = append(c.Order, s.Key)
	}
	return c
}
