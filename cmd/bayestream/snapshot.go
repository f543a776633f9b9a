package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name: "snapshot", group: "Keep it", place: 6,
		summary: "Put a verified snapshot of a model where new workers find it.",
		example: "bayestream snapshot --model=http://ingest:7431/v1/snapshot --to=snapshots",
		run:     cli.Watched(runSnapshot),
		outline: outline[snapshotFlags](&snapshotCommand),
	})
}

// snapshotFlags are the flags of the verb snapshot.
type snapshotFlags struct {
	Model config.FileOrURL `required:"" complete:"file" placeholder:"M.db|URL" help:"Snapshot of a running ingest, http://HOST:PORT/v1/snapshot, or a model file that no worker uses."`
	To    config.FileOrURL `required:"" complete:"file" placeholder:"DIR|URL" help:"Folder, which is made if it does not exist, or the URL that takes the file with PUT. It is what --bootstrap of the workers names."`
	Keep  int              `default:"3" placeholder:"N" help:"Snapshots that stay in the folder, the newest ones."`
	JSON  bool             `name:"json" help:"Write the result as one JSON object."`
}

var snapshotCommand = config.Command{
	Name: program + " snapshot",
	About: "Takes a snapshot of a model that ingest has learned, verifies all of it, and puts it where workers with --bootstrap find it: into a folder, under a name with " +
		"its offset in the model log, or to an HTTP URL. New workers, and workers that were away for long, then need only the records of the model log from that offset " +
		"on: those before it may be deleted (docs/operations.md says how).",
	Examples: []config.Example{
		{What: "A running worker, into a folder", Type: "bayestream snapshot --model=http://ingest:7431/v1/snapshot --to=snapshots"},
	},
}

// Validate returns what is wrong with the flags.
func (f snapshotFlags) Validate() error {
	if f.Keep < 1 {
		return fmt.Errorf("--keep: %d: want at least 1", f.Keep)
	}
	return nil
}

// snapshotTaken is the output of snapshot.
type snapshotTaken struct {
	From   config.FileOrURL `json:"from"`
	To     config.FileOrURL `json:"to"`
	Next   int64            `json:"next"` // offset of the model log that is folded after it
	Counts string           `json:"digest_of_counts"`
}

func runSnapshot(ctx context.Context, p cli.Process) error {
	var f snapshotFlags
	if err := snapshotCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	folder := f.To.Reveal()
	if store.IsURL(f.To.Reveal()) {
		folder = os.TempDir()
	} else if err := os.MkdirAll(folder, 0o700); err != nil {
		return cli.WrongInput(fmt.Errorf("the folder of the snapshots: %w", err))
	}
	scratch, err := os.MkdirTemp(folder, ".incoming-")
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	done, err := f.put(ctx, filepath.Join(scratch, "model.db"))
	if err := errors.Join(err, os.RemoveAll(scratch)); err != nil {
		return inputError(err)
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(done)
	}
	out := &printer{w: p.Stdout}
	out.f("%s is a verified snapshot of %s\n", done.To, done.From)
	out.f("records of the model log before offset %d are not needed to start from it\n", done.Next)
	return out.err
}

// put fetches the snapshot to a path and puts it to its place.
func (f *snapshotFlags) put(ctx context.Context, path string) (*snapshotTaken, error) {
	state, err := store.Fetch(ctx, f.Model.Reveal(), path, nil)
	if err != nil {
		return nil, err
	}
	if err := canStart(state); err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", f.Model, err))
	}
	counts, _ := state.Digests()
	done := &snapshotTaken{From: f.Model, To: f.To, Next: state.Next(), Counts: counts.String()}
	if store.IsURL(f.To.Reveal()) {
		return done, store.Upload(ctx, f.To.Reveal(), path)
	}
	place, err := store.Shelf(f.To.Reveal()).Put(path, state.Next(), f.Keep)
	done.To = config.FileOrURL(place)
	var other *store.OtherLogError
	if errors.As(err, &other) {
		err = cli.WrongInput(err)
	}
	return done, err
}

// canStart reports whether every worker can start from a state.
func canStart(s *fold.State) error {
	switch {
	case s.Model() == nil || s.Next() == 0:
		return errors.New("the model never followed a model log")
	case !s.KeepsLedger():
		return errors.New("it has no ledgers, which ingest needs: take the snapshot of an ingest worker")
	}
	return nil
}
