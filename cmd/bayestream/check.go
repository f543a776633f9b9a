package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

type checkFlags struct {
	Spec     string           `type:"existingfile" placeholder:"FILE" help:"Spec to check (YAML), as a flag. Default: the spec of --model."`
	Model    config.FileOrURL `complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker, to test with the spec."`
	Tests    string           `type:"existingfile" placeholder:"FILE" help:"YAML file with documents and the labels that --model must give them: tests: [{text: ..., label: ...}]. Default: sms.tests.yaml beside the spec sms.yaml, if it exists."`
	Ingest   string           `type:"existingfile" placeholder:"FILE" help:"Check this configuration of an ingest worker instead, and the spec that it names."`
	Classify string           `type:"existingfile" placeholder:"FILE" help:"Check this configuration of a classify worker instead."`
	JSON     bool             `name:"json" help:"Write the result as one JSON object."`
	keyFlags `embed:""`

	File string `arg:"" optional:"" name:"spec.yaml" type:"existingfile" complete:"file" help:"Spec to check (YAML)."`
}

var checkVerb = verbOf[checkFlags](config.Command{
	Name:    "check",
	Summary: "Check a spec or a worker's configuration, and test a model with labelled documents.",
	About: "Checks a spec and prints it in full, defaults included, with both fingerprints. Specs with one " +
		"counting fingerprint can share counts; the scoring fingerprint tells how they decide. With --model it " +
		"checks that the spec can be used with the counts of the model, and that the model gives each document of " +
		"the tests its label; otherwise the exit code is 1. The tests are in --tests, else in sms.tests.yaml " +
		"beside sms.yaml. With --ingest or --classify it checks the configuration of a worker as the worker reads " +
		"it, with the environment, and prints every setting.",
	Examples: []config.Example{
		{What: "Is it right, and what are the defaults?", Type: "bayestream check sms.yaml"},
		{What: "Does the model still know what it must? (tests in sms.tests.yaml)",
			Type: "bayestream check --model=sms.db sms.yaml"},
		{What: "What another alpha would do to the same counts",
			Type: "bayestream check --spec=sharper.yaml --model=sms.db --tests=sms.tests.yaml"},
		{What: "Before a worker is started", Type: "bayestream check --ingest=ingest.yaml"},
	},
})

func (f checkFlags) Validate() error {
	var found config.Problems
	worker := f.Ingest != "" || f.Classify != ""
	hasOthers := f.Spec != "" || f.File != "" || f.Model != "" || f.Tests != ""
	found.If(worker && (f.Ingest != "" && f.Classify != "" || hasOthers),
		"--ingest and --classify exclude each other and all other flags but --json")
	found.If(f.Spec != "" && f.File != "", "want --spec or the file, not both")
	found.If(!worker && f.Spec == "" && f.File == "" && f.Model == "",
		"want a spec, --model, or the configuration of a worker")
	found.If(f.Tests != "" && f.Model == "", "--tests needs --model")
	return errors.Join(found...)
}

type checked struct {
	checkedSpec

	Model     config.FileOrURL `json:"model,omitempty"`
	TestsFile string           `json:"tests_file,omitempty"`
	Tests     int              `json:"tests"` // that were run; 0 without a model
	Read      int              `json:"tests_read"`
	Failures  []failedTest     `json:"failures"`
}

// checkedSpec is a spec in full.
type checkedSpec struct {
	Spec     string `json:"spec"` // YAML
	Counting string `json:"counting"`
	Scoring  string `json:"scoring"`
}

func newCheckedSpec(s *spec.Spec) checkedSpec {
	counting, scoring := s.Counting(), s.Scoring()
	return checkedSpec{string(s.YAML()), hex.EncodeToString(counting[:]), hex.EncodeToString(scoring[:])}
}

func (c *checkedSpec) write(out *printer) {
	out.lines(c.Spec)
	out.f("\n# counting %s\n# scoring  %s\n", c.Counting, c.Scoring)
}

// failedTest is a document that got another label than it must.
type failedTest struct {
	Line      int64   `json:"line"`
	ID        string  `json:"id"`
	Want      string  `json:"want"`
	Label     string  `json:"label"`
	Posterior float64 `json:"posterior"`
}

func (f *checkFlags) run(ctx context.Context, p cli.Process) error {
	if f.Ingest != "" || f.Classify != "" {
		return f.checkWorker(p)
	}
	if f.File != "" {
		f.Spec = f.File
	}
	s, state, err := f.load(ctx)
	if err != nil {
		return inputError(err)
	}
	if state != nil {
		reportUnmet(p, s, labelsOf(state.Model()))
	}
	c := &checked{checkedSpec: newCheckedSpec(s), Model: f.Model, TestsFile: f.testsFile(), Failures: []failedTest{}}
	if c.TestsFile != "" {
		if state != nil {
			if err := f.unlock(state); err != nil {
				return err
			}
		}
		if err := c.test(s, state); err != nil {
			return inputError(err)
		}
	}
	err = result(p, f.JSON, c, c.write)
	if n := len(c.Failures); err == nil && n > 0 {
		err = fmt.Errorf("%d of %d documents in %s got another label", n, c.Tests, c.TestsFile)
	}
	return err
}

// testsFile returns the file of the tests, or "".
func (f *checkFlags) testsFile() string {
	if f.Tests != "" || f.Spec == "" {
		return f.Tests
	}
	ext := filepath.Ext(f.Spec)
	beside := strings.TrimSuffix(f.Spec, ext) + ".tests" + ext
	if _, err := os.Stat(beside); err != nil {
		return ""
	}
	return beside
}

// load returns the spec, and the model with that spec if one is named.
func (f *checkFlags) load(ctx context.Context) (s *spec.Spec, state *fold.State, err error) {
	if f.Model != "" {
		if state, err = modelfile.Load(ctx, f.Model.Reveal()); err != nil {
			return nil, nil, err
		}
		if f.Spec == "" {
			return state.Model().Spec(), state, nil
		}
	}
	s, err = (&shortFlags{}).spec(f.Spec)
	if err != nil || state == nil {
		return s, nil, err
	}
	if s.HashesTerms() {
		if s, err = f.keyed(s); err != nil {
			return nil, nil, err
		}
	}
	if diff := s.CountingDifference(state.Model().Spec()); diff != "" {
		return nil, nil, cli.WrongInput(fmt.Errorf("%s cannot be used with the counts of %s: %s", f.Spec, f.Model, diff))
	}
	state.Rescore(s)
	return s, state, nil
}

// test reads the documents, labels them if there is a model, and collects those that get another
// label.
func (c *checked) test(s *spec.Spec, state *fold.State) error {
	cases, err := dataset.Cases(s, c.TestsFile)
	if err != nil {
		return err
	}
	c.Read = len(cases)
	if state == nil {
		return nil
	}
	lane, err := model.NewLane(state.Spec())
	if err != nil {
		return err
	}
	for i := range cases {
		rec := &cases[i]
		d := lane.Decide(state.Model(), state.Next()-1, &rec.Input, rec.ID, model.Options{Evidence: -1})
		c.Tests++
		if d.Label != rec.Label {
			c.Failures = append(c.Failures,
				failedTest{Line: rec.Line, ID: rec.ID, Want: rec.Label, Label: d.Label, Posterior: d.Confidence()})
		}
	}
	return nil
}

func (c *checked) write(out *printer) {
	c.checkedSpec.write(out)
	if c.Model != "" {
		out.f("# it can be used with the counts of %s\n", c.Model)
	}
	if c.Model == "" && c.Read > 0 {
		out.f("# %s has %d tests, which are valid; --model runs them\n", c.TestsFile, c.Read)
	}
	if c.Tests > 0 {
		out.f("# %d of %d tests passed\n", c.Tests-len(c.Failures), c.Tests)
	}
	for _, t := range c.Failures {
		out.f("# line %d: %s is %s (%.4f), want %s\n", t.Line, t.ID, t.Label, t.Posterior, t.Want)
	}
}

// checkedWorker is what check prints of a worker's configuration.
type checkedWorker struct {
	Worker   string            `json:"worker"` // ingest or classify
	Config   string            `json:"config"` // file
	Settings map[string]string `json:"settings"`
	Order    []string          `json:"-"`

	*checkedSpec // that the configuration names; nil: none
}

// checkWorker reads the configuration of a worker as the worker would, the environment included.
func (f *checkFlags) checkWorker(p cli.Process) error {
	c := &checkedWorker{Worker: "classify", Config: f.Classify, Settings: map[string]string{}}
	var err error
	if f.Ingest != "" {
		c.Worker, c.Config = "ingest", f.Ingest
		err = c.ingest(p)
	} else {
		_, err = readSettings[config.Classify](c, p)
	}
	if err != nil {
		return err
	}
	return result(p, f.JSON, c, func(out *printer) {
		out.f("# %s is valid; %s would run with\n", c.Config, c.Worker)
		for _, name := range c.Order {
			out.f("%s: %s\n", name, c.Settings[name])
		}
		if c.checkedSpec != nil {
			out.f("\n# and write this spec to a model log without one\n")
			c.write(out)
		}
	})
}

// ingest reads the configuration of ingest, and the spec that it names.
func (c *checkedWorker) ingest(p cli.Process) error {
	settings, err := readSettings[config.Ingest](c, p)
	if err != nil {
		return err
	}
	s, err := ingest.Spec(settings)
	if err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w", c.Config, err))
	}
	if s != nil {
		c.checkedSpec = new(newCheckedSpec(s))
	}
	return nil
}

// readSettings reads the file of a worker.
func readSettings[T config.Ingest | config.Classify](c *checkedWorker, p cli.Process) (settings T, err error) {
	settings, err = config.Parse[T](program+" "+c.Worker, []string{"--config=" + c.Config}, p.LookupEnv)
	for _, s := range config.InForce(settings) {
		c.Settings[s.Name] = s.Value
		c.Order = append(c.Order, s.Name)
	}
	return settings, err
}
