package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/exchange"
	"bayestream/internal/tools/lab/modelfile"
)

type exportFlags struct {
	Model  config.FileOrURL `required:"" complete:"file" placeholder:"M.db|URL" help:"Model file, or the snapshot of a running worker: http://HOST:PORT/v1/snapshot."`
	Format string           `enum:"json,sklearn,clickhouse" default:"json" placeholder:"FORMAT" help:"json: one line per count, the format of import; sklearn: the arrays of scikit-learn's MultinomialNB, ComplementNB or BernoulliNB; clickhouse: tables and a dictionary in SQL."`
	Name   string           `placeholder:"NAME" help:"With --format=clickhouse: prefix of the table names. Default: the name of the model."`
	JSON   bool             `name:"json" help:"Same as --format=json."`
}

var exportVerb = verbOf[exportFlags](config.Command{
	Name:    "export",
	Summary: "Export the counts of a model for other programs.",
	About: "Writes the counts of a model to standard output. Equal models give equal bytes. The json format holds " +
		"all counts and the sums of the race, so that import restores the same model. sklearn and clickhouse hold " +
		"the counts of the words, and how the leader of the race scores them.",
	Examples: []config.Example{
		{What: "All counts, to keep or to add to others", Type: "bayestream export --model=sms.db | gzip > sms.counts.gz"},
		{What: "For scikit-learn", Type: "bayestream export --model=sms.db --format=sklearn > sms.json"},
		{What: "For ClickHouse", Type: "bayestream export --model=sms.db --format=clickhouse | " +
			"clickhouse-client --multiquery"},
	},
}, cli.Watched)

func (f exportFlags) Validate() error {
	if f.JSON && f.Format != "json" {
		return fmt.Errorf("--json and --format=%s: want one of them", f.Format)
	}
	if f.Name != "" && f.Format != "clickhouse" {
		return errors.New("--name is for --format=clickhouse")
	}
	return nil
}

func (f *exportFlags) run(ctx context.Context, p cli.Process) error {
	state, err := modelfile.Load(ctx, f.Model.Reveal())
	if err != nil {
		return inputError(err)
	}
	out := bufio.NewWriterSize(p.Stdout, 1<<16)
	switch m := state.Model(); f.Format {
	case "sklearn":
		if err = cli.WrongInput(exchange.WriteArrays(ctx, out, m)); err == nil {
			reportSecond(p, m)
		}
	case "clickhouse":
		f.Name = cmp.Or(f.Name, m.Spec().Name)
		err = cli.WrongInput(exchange.WriteSQL(ctx, out, m, f.Name))
	default:
		err = exchange.WriteLines(ctx, out, m, state.Scores())
	}
	return errors.Join(err, out.Flush())
}

// reportSecond says which documents are decided by something else than what the arrays hold.
func reportSecond(p cli.Process, m *model.Model) {
	lead, second := m.Deciding()
	if lead.Likelihood == second.Likelihood {
		return
	}
	fmt.Fprintf(p.Stderr, "the arrays decide by %s with alpha %v; documents without a known word the model decides by "+
		"%s with alpha %v\n", lead.Likelihood, lead.Alpha, second.Likelihood, second.Alpha)
}
