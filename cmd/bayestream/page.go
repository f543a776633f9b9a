package main

import (
	"fmt"
	"strings"

	"bayestream/internal/shell/config"
)

const about = "Bayestream labels messages as they flow through Kafka. It learns from the messages that carry a " +
	"label, one at a time, and gives every other message a label, its log posterior, and the words that decided. The " +
	"model consists of counts: it can explain each decision, unlearn a document exactly, and is the same on every " +
	"machine to the last bit."

const exits = `"bayestream VERB --help" explains a verb and its flags. Verbs that print results take --json; verbs that read files take - or none for standard input, and unpack compressed files (gzip, zstd, xz, bzip2, zip) by themselves. Data go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or input.`

const besides = `"bayestream --version" prints the version and the revision of the tokenizer. "bayestream --completion=bash", or zsh or fish, writes a script with which the tab key completes verbs, flags, values and files. "bayestream --man=FOLDER" writes manual pages.`

// The first page has two columns: the verb and its summary.
const (
	pageWidth  = 80
	pageColumn = "             "
)

// firstPage returns the page of the toolbox itself.
func firstPage() string {
	var b strings.Builder
	b.WriteString("Usage: bayestream VERB [flags]\n\n" + config.Wrap(about, "", pageWidth))
	for _, group := range groups {
		b.WriteString("\n" + group + "\n")
		for _, v := range verbsOf(group) {
			text := config.Wrap(v.summary, pageColumn, pageWidth)
			fmt.Fprintf(&b, "  %-*s%s", len(pageColumn)-2, v.name, text[len(pageColumn):])
			fmt.Fprintf(&b, "%s$ %s\n", pageColumn, v.example)
		}
	}
	return b.String() + "\n" + config.Wrap(exits, "", pageWidth) + "\n" + config.Wrap(besides, "", pageWidth)
}
