package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/modelfile"
)

// folder reports whether the copy goes into a folder of snapshots.
func (f *copyFlags) folder() bool {
	info, err := os.Stat(f.To.Reveal())
	return err == nil && info.IsDir() || strings.HasSuffix(f.To.Reveal(), string(filepath.Separator)) &&
		!store.IsURL(f.To.Reveal())
}

// elsewhere reports whether the copy goes to a topic or a URL.
func (f *copyFlags) elsewhere() bool {
	_, topic := topicIn(f.To)
	return topic || store.IsURL(f.To.Reveal())
}

// isFree returns an error if the file exists, or its folder does not, before long work.
func (f *copyFlags) isFree() error {
	to := f.To.Reveal()
	if f.elsewhere() {
		return nil
	}
	if _, err := os.Lstat(to); err == nil && !f.folder() {
		return cli.WrongInput(&modelfile.ExistsError{Path: to})
	}
	return hasFolder(filepath.Join(f.scratch(), filepath.Base(to)))
}

// scratch returns where the copy is made before it gets its name: on the file system of its place.
// A folder that does not exist is made last, so that a copy that fails leaves none.
func (f *copyFlags) scratch() string {
	switch {
	case f.elsewhere():
		return os.TempDir()
	case !f.folder():
		return filepath.Dir(f.To.Reveal())
	}
	place := filepath.Clean(f.To.Reveal())
	for {
		if _, err := os.Lstat(place); err == nil || filepath.Dir(place) == place {
			return place
		}
		place = filepath.Dir(place)
	}
}

func (f *copyFlags) put(ctx context.Context, state *fold.State, path string) error {
	url := store.IsURL(f.To.Reveal())
	if url || f.folder() {
		if err := canStart(state); err != nil {
			return cli.WrongInput(fmt.Errorf("%s: %w", f.From, err))
		}
	}
	switch {
	case url:
		return store.Upload(ctx, f.To.Reveal(), path)
	case f.folder():
		place, err := store.Shelf(f.To.Reveal()).Put(path, state.Next(), f.Keep)
		f.To = config.FileOrURL(place)
		return err
	}
	return f.name(ctx, path)
}

// name gives the model file at path its name, compressed if the name says so.
func (f *copyFlags) name(ctx context.Context, path string) (err error) {
	to := f.To.Reveal()
	if strings.HasSuffix(to, ".gz") {
		if path, err = modelfile.Pack(ctx, path); err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}
	err = store.Place(path, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &modelfile.ExistsError{Path: to}
	case err != nil:
		return fmt.Errorf("copy: %w", err)
	}
	return nil
}

// canStart reports whether every worker can start from a state.
func canStart(s *fold.State) error {
	switch {
	case s.Next() == 0:
		return errors.New("the model never followed a model topic, so no worker can start from it")
	case !s.KeepsLedger():
		return errors.New("it has no ledgers, which ingest needs: copy the model of an ingest worker")
	}
	return nil
}

// emptyLog creates a model topic if it is missing. It refuses one with records.
func emptyLog(ctx context.Context, p cli.Process, client *stream.Client, topic string) error {
	created, err := worker.CreateLog(ctx, client, topic)
	if err != nil {
		return err
	}
	if created {
		fmt.Fprintf(p.Stderr, "topic %s created\n", topic)
	}
	info, err := client.Topic(ctx, topic)
	if err != nil {
		return err
	}
	if info.Partitions != 1 {
		return cli.WrongInput(fmt.Errorf("topic %q has %d partitions: a model topic has one", topic, info.Partitions))
	}
	_, end, err := client.Offsets(ctx, topic, 0)
	if err == nil && end > 0 {
		err = cli.WrongInput(fmt.Errorf("topic %s has records, which are not overwritten: choose another name; import "+
			"--brokers adds counts to a model", topic))
	}
	return err
}

// fill appends the counts of a model to a model topic.
func (f *copyFlags) fill(ctx context.Context, p cli.Process, state *fold.State, topic string) error {
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := emptyLog(ctx, p, client, topic); err != nil {
		return err
	}
	if state.Next() > 0 {
		fmt.Fprintf(p.Stderr, "warning: %s gets the counts without the positions and ledgers of %s: an ingest that follows "+
			"it counts its training topic from --from on\n", topic, f.From)
	}
	_, err = appendCounts(ctx, client, topic, state)
	return err
}
