package main

import (
	"bayestream/internal/classify"
	"bayestream/internal/cli"
)

func init() {
	register(verb{
		name:    "classify",
		group:   "Run it on Kafka",
		place:   2,
		summary: "Label the records of another topic with what was learned.",
		example: "bayestream classify --create-topics",
		run:     cli.Worker(program+" classify", classify.Run),
	})
}
