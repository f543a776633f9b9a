package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/dataset"
	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/offline"
)

func init() {
	register(verb{
		name: "check", group: "Try it on files", place: 8,
		summary: "Check a spec, show it in full, and test a model with documents whose label is known.",
		example: "bayestream check --spec=sms.yaml",
		run:     runCheck,
		outline: outline[checkFlags](&checkCommand),
	})
}

// checkFlags are the flags of the verb check.
type checkFlags struct {
	Spec  string `type:"existingfile" placeholder:"FILE" help:"Spec to check (YAML). Without it: that of --model."`
	Model string `complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker, to compare the spec with and to test."`
	Tests string `type:"existingfile" placeholder:"FILE" help:"YAML file with documents and the labels that --model must give them: tests: [{text: ..., label: ...}]."`
	JSON  bool   `name:"json" help:"Write what was found as one JSON object."`
}

var checkCommand = config.Command{
	Name: program + " check",
	About: "Checks a spec and prints it in full, defaults included, with both fingerprints: specs of one counting fingerprint can share counts, and the scoring " +
		"fingerprint says how they decide. With --model it says whether the spec can be used on those counts. With --tests the model, under the spec, must " +
		"give each document its label; the exit code is 1 where it does not.",
	Examples: []config.Example{
		{What: "Is it right, and what are the defaults?", Type: "bayestream check --spec=sms.yaml"},
		{What: "Does the model still know what it must?", Type: "bayestream check --model=sms.db --tests=sms.tests.yaml"},
		{What: "What another alpha would do to the same counts", Type: "bayestream check --spec=sharper.yaml --model=sms.db --tests=sms.tests.yaml"},
	},
}

// Validate says all that is wrong with the flags.
func (f checkFlags) Validate() error {
	var found []error
	if f.Spec == "" && f.Model == "" {
		found = append(found, errors.New("want --spec, --model or both"))
	}
	if f.Tests != "" && f.Model == "" {
		found = append(found, errors.New("--tests: want --model too: a spec alone has learned nothing"))
	}
	return errors.Join(found...)
}

// checked is what check prints.
type checked struct {
	Spec     string       `json:"spec"` // YAML
	Counting string       `json:"counting"`
	Scoring  string       `json:"scoring"`
	Model    string       `json:"model,omitempty"`
	Tests    int          `json:"tests"`
	Failures []failedTest `json:"failures"`
}

// failedTest is a document that did not get its label.
type failedTest struct {
	Line      int64   `json:"line"`
	ID        string  `json:"id"`
	Want      string  `json:"want"`
	Label     string  `json:"label"`
	Posterior float64 `json:"posterior"`
}

func runCheck(ctx context.Context, p cli.Process) error {
	var f checkFlags
	if err := checkCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	spec, state, err := f.load(ctx)
	if err != nil {
		return inputError(err)
	}
	counting, scoring := spec.Counting(), spec.Scoring()
	c := &checked{
		Spec: string(spec.YAML()), Counting: hex.EncodeToString(counting[:]), Scoring: hex.EncodeToString(scoring[:]),
		Model: f.Model, Failures: []failedTest{},
	}
	if f.Tests != "" {
		if err := c.test(f.Tests, state); err != nil {
			return inputError(err)
		}
	}
	if f.JSON {
		err = json.NewEncoder(p.Stdout).Encode(c)
	} else {
		err = c.write(p)
	}
	if n := len(c.Failures); err == nil && n > 0 {
		err = fmt.Errorf("%d of %d documents in %s did not get their label", n, c.Tests, f.Tests)
	}
	return err
}

// load returns the spec, and the model under it if one is asked for.
func (f *checkFlags) load(ctx context.Context) (*model.Spec, *fold.State, error) {
	if f.Model == "" {
		spec, err := (&shortFlags{}).spec(f.Spec)
		return spec, nil, err
	}
	state, err := offline.Load(ctx, f.Model)
	if err != nil || f.Spec == "" {
		if err == nil {
			return state.Model().Spec(), state, nil
		}
		return nil, nil, err
	}
	spec, err := (&shortFlags{}).spec(f.Spec)
	if err != nil {
		return nil, nil, err
	}
	if diff := spec.CountingDifference(state.Model().Spec()); diff != "" {
		return nil, nil, cli.WrongInput(fmt.Errorf("%s cannot be used on the counts of %s: %s", f.Spec, f.Model, diff))
	}
	state.Rescore(spec)
	return spec, state, nil
}

// test labels the documents and keeps those that get another label.
func (c *checked) test(file string, state *fold.State) error {
	cases, err := dataset.Cases(state.Model().Spec(), file)
	if err != nil {
		return err
	}
	predictor, err := offline.NewPredictor(state, model.Options{Evidence: -1})
	if err != nil {
		return err
	}
	for i := range cases {
		rec := &cases[i]
		d, err := predictor.Decide(rec)
		if err != nil {
			return err
		}
		c.Tests++
		if d.Label != rec.Label {
			c.Failures = append(c.Failures, failedTest{Line: rec.Line, ID: rec.ID, Want: rec.Label, Label: d.Label, Posterior: posterior(d)})
		}
	}
	return nil
}

func (c *checked) write(p cli.Process) error {
	out := &printer{w: p.Stdout}
	out.f("%s\n# counting %s\n# scoring  %s\n", c.Spec, c.Counting, c.Scoring)
	if c.Model != "" {
		out.f("# it can be used on the counts of %s\n", c.Model)
	}
	if c.Tests > 0 {
		out.f("# %d of %d tests passed\n", c.Tests-len(c.Failures), c.Tests)
	}
	for _, t := range c.Failures {
		out.f("# line %d: %s is %s (%s), want %s\n", t.Line, t.ID, t.Label, short(t.Posterior), t.Want)
	}
	return out.err
}
