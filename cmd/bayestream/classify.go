package main

import (
	"bayestream/internal/classify"
	"bayestream/internal/cli"
	"bayestream/internal/config"
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
