package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/modelfile"
)

type verifyFlags struct {
	Model config.FileOrURL `required:"" complete:"file" placeholder:"M.db|URL" help:"Model file to check, or the snapshot of a running worker: http://HOST:PORT/v1/snapshot."`
	JSON  bool             `name:"json" help:"Write the result as one JSON object."`

	brokerFlags `embed:""`
}

var verifyVerb = verbOf[verifyFlags](config.Command{
	Name:    "verify",
	Summary: "Verify a model file, by itself and against the model log.",
	Offline: true,
	About: "Verifies a model file: the structure of the file, the checksum of every row, the numbers of rows, and " +
		"the sums of the counts. With --brokers it also folds the model log up to the offset of the file, and " +
		"compares every count, the position of every source and the ledgers, which must be equal. Of a running " +
		"worker it takes the snapshot. The exit code is 1 if anything differs.",
	Examples: []config.Example{
		{What: "A model file by itself", Type: "bayestream verify --model=sms.db"},
		{What: "The file of a worker, against the log", Type: "bayestream verify --model=bayestream-ingest.db " +
			"--brokers=127.0.0.1:9092"},
	},
})

func (f verifyFlags) Validate() error { return errors.Join(f.Problems()...) }

type verification struct {
	Model     config.FileOrURL `json:"model"`
	Documents int64            `json:"documents"`
	Classes   int              `json:"classes"`
	Offset    *int64           `json:"offset"`         // of the model log; null: a file that never followed one
	Log       *string          `json:"log"`            // topic that it was compared with; null: none
	Records   int64            `json:"records_of_log"` // that were folded for that
	Counts    string           `json:"digest_of_counts"`
	Ledgers   *string          `json:"digest_of_ledgers"` // null: the file has none
	Seconds   float64          `json:"seconds"`
}

func (f *verifyFlags) run(ctx context.Context, p cli.Process) error {
	start := time.Now()
	state, err := f.load(ctx)
	if err != nil {
		return err
	}
	digest := httpapi.NewDigest(state)
	v := &verification{Model: f.Model, Documents: state.Model().Classes().Total(),
		Classes: len(state.Model().Classes().Live()), Counts: digest.Counts, Ledgers: digest.Ledger}
	if n := state.Next() - 1; n >= 0 {
		v.Offset = &n
	}
	if f.Named {
		if err := f.compare(ctx, p, state); err != nil {
			return err
		}
		v.Log, v.Records = &f.ModelTopic, state.Next()
	}
	v.Seconds = time.Since(start).Seconds()
	return result(p, f.JSON, v, func(out *printer) {
		out.f("%s is whole: %s in %s\n", f.Model, counted(v.Documents, "document"), counted(v.Classes, "class"))
		out.f("digest of the counts %s\n", v.Counts)
		if v.Ledgers != nil {
			out.f("digest of the ledgers %s\n", *v.Ledgers)
		}
		if v.Log != nil {
			out.f("it equals the first %d records of the model log %s, folded again\n", v.Records, *v.Log)
		}
	})
}

// load verifies the model file, or a copy of the snapshot, and returns its state.
func (f *verifyFlags) load(ctx context.Context) (*fold.State, error) {
	name := f.Model.Reveal()
	if store.IsURL(name) {
		return modelfile.Load(ctx, name) // a copy is verified as it is made
	}
	if err := store.CheckModel(name); err != nil {
		return nil, inputError(err)
	}
	if err := store.Verify(name); err != nil {
		return nil, missing(err)
	}
	state, err := modelfile.Load(ctx, name)
	return state, inputError(err)
}

func (f *verifyFlags) compare(ctx context.Context, p cli.Process, state *fold.State) error {
	if state.Next() == 0 {
		return cli.WrongInput(fmt.Errorf("%s never followed a model log: it was trained on files", f.Model))
	}
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	return behindCut(modellog.Compare(ctx, client, f.ModelTopic, state), "verify --brokers",
		"leave --brokers out to verify the file by itself, and compare GET /v1/digest of workers at the same offset")
}
