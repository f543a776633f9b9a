package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

//go:embed consumer.py
var consumer string

// pythonConsumer returns the work of a consumer with scikit-learn, in the Python of --python.
func (b *bench) pythonConsumer(python, documents string, bytes, n int) work {
	return work{Name: fmt.Sprintf("scikit-learn consumer %d bytes", bytes), Bytes: bytes, messages: n, foreign: true,
		start: func(ctx context.Context) (running, error) {
			to, err := b.newTopic(ctx, "python")
			if err != nil {
				return running{}, err
			}
			run := func(ctx context.Context) error {
				c := exec.CommandContext(ctx, python, "-c", consumer, strings.Join(b.brokers, ","), b.taught, documents, to, to)
				c.Stderr = os.Stderr
				if err := c.Run(); err != nil && ctx.Err() == nil {
					return fmt.Errorf("%s, which needs confluent-kafka and scikit-learn: %w", python, err)
				}
				return ctx.Err()
			}
			return background(ctx, run, func(ctx context.Context) (int, error) { return b.written(ctx, to) }), nil
		}}
}
