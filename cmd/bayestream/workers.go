package main

import (
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/cli"
)

var classifyVerb = verb{
	name:    "classify",
	summary: "Label the records of another topic with what was learned.",
	example: "bayestream classify --create-topics",
	run:     cli.Worker(program+" classify", classify.Run),
	outline: func() config.Outline { return config.WorkerOutline[config.Classify](program + " classify") },
}

var ingestVerb = verb{
	name:    "ingest",
	summary: "Learn from the labelled records of a topic.",
	example: "bayestream ingest --create-topics --spec=sms.yaml",
	run:     cli.Worker(program+" ingest", ingest.Run),
	outline: func() config.Outline { return config.WorkerOutline[config.Ingest](program + " ingest") },
}
