// Package prose finds the sentences of the project's documents.
package prose

import (
	"regexp"
	"strings"
)

// Most is the number of words that a sentence may have.
const Most = 35

// IsDocument reports whether a file, by its path in the module, is a document of the project.
func IsDocument(path string) bool {
	return strings.HasSuffix(path, ".md") && !strings.Contains(path, "testdata/")
}

// What is no prose of a document, what begins a paragraph of its own, and what ends a sentence.
var (
	code  = regexp.MustCompile("(?s)```.*?```")
	begin = regexp.MustCompile(`^\s*([-*#>]|\d+\.|\|)`)
	end   = regexp.MustCompile(`[.:;?!]["')*]*\s+|\s*\|\s*`)
)

// Long returns the sentences of a document that have more words than Most.
func Long(text string) []string {
	var long []string
	for _, s := range sentences(text) {
		if len(strings.Fields(s)) > Most {
			long = append(long, s)
		}
	}
	return long
}

// sentences returns the sentences of a document. A row of a table, an item of a list and a heading
// begin and end one.
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
