package main

import (
	"context"
	"log/slog"

	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/cli"
)

var (
	classifyVerb = workerVerb("classify", classify.Run)
	ingestVerb   = workerVerb("ingest", ingest.Run)
)

// workerVerb returns the verb that runs a worker.
func workerVerb[T cli.Settings](name string, run func(context.Context, T, *slog.Logger) error) verb {
	c := config.WorkerCommand[T](program + " " + name)
	return verb{
		name: name, summary: c.Summary, example: c.Examples[0].Type, run: cli.Worker(c.Name, run),
		outline: func() config.Outline { return c.Outline(new(T)) },
	}
}
