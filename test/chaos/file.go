//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

const (
	pageBytes   = 4096
	sectorBytes = 512
)

// files damages copies of the model file of an ingest worker, with a ledger that is full. Each is
// refused, or gives the same export byte for byte.
func (s *suite) files(ctx context.Context, left plan) (*results.Result, error) {
	return s.in(ctx, "file", kafka.Options{}, func(w *world) error { return w.damageFiles(ctx, left) })
}

// victim is the file that is damaged, what it exports, and how to damage it.
type victim struct {
	bytes  []byte
	export []byte
	before []byte // what the checkpoint before exports
	cuts   int    // so far
}

func (w *world) damageFiles(ctx context.Context, left plan) error {
	v, err := w.makeFile(ctx)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(w.seed, 300))
	type job struct {
		kind string
		file []byte
	}
	jobs := make(chan job)
	var all sync.WaitGroup
	for i := range 2 {
		path := filepath.Join(w.dir, fmt.Sprintf("damaged-%d.db", i))
		all.Go(func() {
			for j := range jobs {
				w.tryFile(ctx, v, path, j.kind, j.file)
			}
		})
	}
	deadline := time.Now().Add(8 * time.Minute)
	for _, kind := range draw(left, 1<<20, w.seed) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			break
		}
		jobs <- job{kind, v.damage(kind, rng)}
		w.result.Faults[kind]++
	}
	close(jobs)
	all.Wait()
	return nil //nolint:nilerr // a run that was ended early says what it has done
}

// makeFile lets a worker learn for a while and returns its file.
func (w *world) makeFile(ctx context.Context) (v *victim, err error) {
	v = &victim{}
	if err := w.hire(); err != nil {
		return v, err
	}
	w.workers = w.workers[:1]
	if err := w.startAll(ctx); err != nil {
		return v, err
	}
	t := startTraffic(w.client, w.names.training, w.names.documents, 2000, w.seed)
	time.Sleep(5 * time.Second)
	t.stop()
	if err := w.allCounted(ctx, patience); err != nil {
		return v, err
	}
	if err := w.workers[0].End(syscall.SIGTERM, 30*time.Second); err != nil {
		return v, err
	}
	if v.bytes, err = os.ReadFile(w.workers[0].state()); err != nil {
		return v, err
	}
	w.result.Most["pages of the file"] = len(v.bytes) / pageBytes
	if v.export, err = w.export(w.workers[0].state()); err != nil {
		return v, err
	}
	return v, w.findBefore(v)
}

// findBefore exports the checkpoint before: the one in force when the newer of the two meta pages
// cannot be read, as after a crash. A worker folds the rest of the log on it.
func (w *world) findBefore(v *victim) error {
	path := filepath.Join(w.dir, "before.db")
	for page := range 2 {
		b := bytes.Clone(v.bytes)
		clear(b[page*pageBytes : (page+1)*pageBytes])
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
		export, err := w.export(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(export, v.export) {
			v.before = export
		}
	}
	return nil
}

// damage returns a copy of the file with a fault. Cuts go through all pages in turn.
func (v *victim) damage(kind string, rng *rand.Rand) []byte {
	switch kind {
	case "cut at a page":
		page := v.cuts % (len(v.bytes) / pageBytes)
		v.cuts++
		return v.bytes[:page*pageBytes]
	case "sector zeroed":
		b := bytes.Clone(v.bytes)
		at := rng.IntN(len(b)/sectorBytes) * sectorBytes
		clear(b[at : at+sectorBytes])
		return b
	}
	b := bytes.Clone(v.bytes)
	b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
	return b
}

// tryFile exports a damaged file.
func (w *world) tryFile(ctx context.Context, v *victim, path, kind string, file []byte) {
	if err := os.WriteFile(path, file, 0o600); err != nil {
		w.wrong("write %s: %v", path, err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, w.tool(), "export", "--model", path)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	outcome := ""
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		w.wrong("%s: export hangs", kind)
	case strings.Contains(said.String(), "goroutine ") || strings.Contains(said.String(), "panic"):
		w.wrong("%s: export panics: %s", kind, said.Bytes())
	case errors.As(err, &exit) && exit.ExitCode() > 0 && strings.HasPrefix(said.String(), "bayestream: "):
		outcome = "refused"
	case err == nil && bytes.Equal(out.Bytes(), v.export):
		outcome = "harmless"
	case err == nil && v.before != nil && bytes.Equal(out.Bytes(), v.before):
		outcome = "the checkpoint before, by a damaged meta page"
	default:
		w.wrong("%s: export gives something else: %v", kind, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if outcome != "" {
		w.result.Outcomes[outcome]++
		return
	}
	kept := filepath.Join(w.dir, fmt.Sprintf("wrong-%d.db", len(w.result.Wrong)))
	_ = os.WriteFile(kept, file, 0o600) // the seed makes it again
}
