package main

import (
	"regexp"
	"strings"
)

// most is the number of words that a sentence may have.
const most = 35

func isDocument(path string) bool {
	return strings.HasSuffix(path, ".md") && !strings.Contains(path, "testdata/")
}

func printWords() error {
	words, long, n := 0, 0, 0
	err := files(isDocument, func(_, text string) error {
		n++
		words += len(strings.Fields(text))
		for _, s := range sentences(text) {
			if len(strings.Fields(s)) > most {
				long++
			}
		}
		return nil
	})
	row("documents", n)
	row("words of documents", words)
	row("sentences over 35 words", long)
	return err
}

// What is no prose of a document, what begins a paragraph of its own, and what ends a sentence.
var (
	code  = regexp.MustCompile("(?s)```.*?```")
	begin = regexp.MustCompile(`^\s*([-*#>]|\d+\.|\|)`)
	end   = regexp.MustCompile(`[.:;?!]["')*]*\s+|\s*\|\s*`)
)

// sentences returns the sentences of a document. A row of a table, an item of a list and a heading begin and end one.
func sentences(text string) []string {
	var paragraphs []string
	var open []string
	flush := func() {
		paragraphs = append(paragraphs, strings.Join(open, " "))
		open = nil
	}
	for line := range strings.Lines(code.ReplaceAllString(text, "\n\n")) {
		if strings.TrimSpace(line) == "" || begin.MatchString(line) {
			flush()
		}
		open = append(open, strings.TrimSpace(line))
	}
	flush()
	var all []string
	for _, p := range paragraphs {
		all = append(all, end.Split(p, -1)...)
	}
	return all
}
