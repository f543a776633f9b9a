//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"bayestream/test/chaos/recount"

	"github.com/twmb/franz-go/pkg/kgo"
)

// patience is how long the workers may take to work off what is left when the faults have ended.
const patience = 3 * time.Minute

// settle stops the traffic and waits until every record was counted by all and every document has
// its decision.
func (w *world) settle(ctx context.Context) error {
	w.result.Training, w.result.Documents = w.traffic.stop()
	if err := w.allCounted(ctx, patience); err != nil {
		return err
	}
	documents, err := w.client.Read(ctx, w.names.documents, partitions)
	if err != nil {
		return err
	}
	bad := map[string]string{}
	recount.BadDocuments(documents, bad)
	want := -len(bad)
	for _, partition := range documents {
		want += len(partition)
	}
	return w.decided(ctx, want)
}

// allCounted waits until every worker has counted the training topic.
func (w *world) allCounted(ctx context.Context, patience time.Duration) error {
	ends, err := w.ends(ctx, w.names.training)
	if err != nil {
		return err
	}
	for _, one := range w.workers {
		what := one.name + " has counted everything"
		if err := w.until(ctx, patience, what, func() (bool, string) { return w.hasCounted(ctx, one, ends) }); err != nil {
			return err
		}
	}
	return nil
}

// decided waits until so many documents have a decision.
func (w *world) decided(ctx context.Context, want int) error {
	return w.until(ctx, patience, "every document has a decision", func() (bool, string) {
		n := w.labels.Distinct()
		return n >= want, fmt.Sprintf("%d of %d", n, want)
	})
}

func (w *world) hasCounted(ctx context.Context, one *worker, ends []int64) (bool, string) {
	if alive, err := one.Running(); !alive {
		return false, fmt.Sprintf("it has ended: %v", err)
	}
	metrics, err := one.metrics(ctx)
	if err != nil {
		return false, err.Error()
	}
	for p, end := range ends {
		if at := watermark(metrics, w.names.training, p); at != end {
			return false, fmt.Sprintf("partition %d: counted up to %d of %d", p, at, end)
		}
	}
	return true, ""
}

// recount counts the topics again.
func (w *world) recount(ctx context.Context) (*recount.Count, [][]*kgo.Record, error) {
	training, err := w.client.Read(ctx, w.names.training, partitions)
	if err != nil {
		return nil, nil, err
	}
	documents, err := w.client.Read(ctx, w.names.documents, partitions)
	if err != nil {
		return nil, nil, err
	}
	count := recount.New(ledger, w.names.documents, documents)
	for _, records := range training {
		if err := count.Partition(records); err != nil {
			return nil, nil, err
		}
	}
	return count, documents, nil
}

// verify recounts the topics and compares all that the workers hold and wrote. It ends the workers.
func (w *world) verify(ctx context.Context) error {
	count, documents, err := w.recount(ctx)
	if err != nil {
		return err
	}
	w.result.Count(count.Replaced, count.Forgotten, count.Evicted)
	if err := w.verifyModels(ctx, count); err != nil {
		return err
	}
	return w.verifyOutput(ctx, documents, count.Dead)
}

// askExactly notes whether both classify say that a decision comes once.
func (w *world) askExactly(ctx context.Context) error {
	w.exactly = true
	for _, one := range w.workers[2:] {
		metrics, err := one.metrics(ctx)
		if err != nil {
			return fmt.Errorf("%w: the metrics of %s: %w", errImpatient, one.name, err)
		}
		w.exactly = w.exactly && metrics["bayestream_exactly_once"] == 1
	}
	return nil
}

// verifyModels compares the snapshot of each worker, and its file after an orderly end, with the
// recount.
func (w *world) verifyModels(ctx context.Context, count *recount.Count) error {
	want, err := count.Counts()
	if err != nil {
		return err
	}
	w.result.Integers += len(want)
	if err := w.askExactly(ctx); err != nil {
		return err
	}
	for _, one := range w.workers {
		metrics, err := one.metrics(ctx)
		if err != nil {
			return fmt.Errorf("%w: the metrics of %s: %w", errImpatient, one.name, err)
		}
		if n := int(metrics["bayestream_ledger_documents"]); one.role == "ingest" && n != count.Ledgered {
			w.wrong("%s has %d documents in its ledgers, want %d", one.name, n, count.Ledgered)
		}
		w.compare(one.name+", running", one.snapshot(), want)
	}
	for _, one := range w.workers {
		if err := one.End(syscall.SIGTERM, 30*time.Second); err != nil {
			w.wrong("%s did not end in order: %v", one.name, err)
		}
		w.compare(one.name+", its file", one.state(), want)
		if err := w.verifyFile(ctx, one); err != nil {
			w.wrong("verify of %s: %v", one.name, err)
		}
	}
	return nil
}

// verifyFile compares the file of a worker that has ended with the log.
func (w *world) verifyFile(ctx context.Context, one *worker) error {
	cmd := exec.CommandContext(ctx, w.tool(), "verify", "--model", one.state(), "--brokers",
		strings.Join(w.cluster.Addresses, ","), "--model-topic", w.names.model)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

func (w *world) tool() string { return filepath.Join(w.bin, "bayestream") }

// compare exports a model and compares it with the recount.
func (w *world) compare(what, model string, want recount.Counts) {
	differences, err := w.differences(model, want)
	if err != nil {
		w.wrong("%s: %v", what, err)
	}
	for _, difference := range differences {
		w.wrong("%s differs from the recount: %s", what, difference)
	}
}

func (w *world) differences(model string, want recount.Counts) ([]string, error) {
	out, err := w.export(model)
	if err != nil {
		return nil, err
	}
	got, err := recount.Exported(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	return recount.Differences(got, want), nil
}

// verifyOutput checks the decisions and the dead letters.
func (w *world) verifyOutput(ctx context.Context, documents [][]*kgo.Record, dead map[string]string) error {
	recount.BadDocuments(documents, dead)
	labels, err := w.client.Read(ctx, w.names.labels, partitions)
	if err != nil {
		return err
	}
	letters, err := w.client.Read(ctx, w.names.dead, partitions)
	if err != nil {
		return err
	}
	var out recount.Output
	out.Labels(documents, labels)
	out.Dead(letters, dead)
	for _, wrong := range out.Wrong {
		w.wrong("%s", wrong)
	}
	w.result.Decisions += out.Decisions
	w.result.DecisionsTwice += out.Duplicates
	w.result.DeadLetters += out.DeadLetters
	w.result.DeadLettersTwice += out.DuplicateDeadLetter
	if w.exactly && out.Duplicates > 0 {
		w.wrong("%d decisions are there twice, for readers of committed records", out.Duplicates)
	}
	if out.DisOrder > 0 {
		w.wrong("%d decisions came behind one of a later document", out.DisOrder)
	}
	return nil
}

// stderr returns the error of a command with what it said.
func stderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}
