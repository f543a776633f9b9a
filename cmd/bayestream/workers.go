package main

import (
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
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

func init() {
	register(verb{
		name:    "ingest",
		group:   "Run it on Kafka",
		place:   1,
		summary: "Learn from the labelled records of a topic.",
		example: "bayestream ingest --create-topics --spec=sms.yaml",
		run:     cli.Worker(program+" ingest", ingest.Run),
		outline: func() config.Outline { return config.WorkerOutline[config.Ingest](program + " ingest") },
	})
}
