package main

import (
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name:    "classify",
		group:   "Run it on Kafka",
		place:   2,
		summary: "Label the records of another topic with what was learned.",
		example: "bayestream classify --create-topics",
		run:     cli.Worker(program+" classify", classify.Run),
		outline: func() config.Outline { return config.WorkerOutline[config.Classify](program + " classify") },
	})
}
