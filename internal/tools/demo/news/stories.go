package news

import (
	_ "embed"
	"strings"
)

// The words and the templates of the stories.
//
//go:embed stories.txt
var storiesText string

var (
	sections = readSections(storiesText)

	sharedWords     = readWords(sections["shared words"])
	sharedHeadlines = sections["shared headlines"]
	sharedSentences = sections["shared sentences"]

	topics = [...]topic{readTopic(Election, Sports), readTopic(Sports, Election)}
)

// readSections returns the lines of each section. A line that begins with a space is joined to the
// one before it.
func readSections(text string) map[string][]string {
	all := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		begun, isName := strings.CutPrefix(line, "== ")
		lines := all[name]
		switch {
		case isName:
			name = begun
		case line == "", line[0] == '#':
		case line[0] == ' ':
			lines[len(lines)-1] += line[1:]
		default:
			all[name] = append(lines, line)
		}
	}
	return all
}

// readWords returns lists of words by their names, from lines like "name: one | two".
func readWords(lines []string) map[string][]string {
	all := map[string][]string{}
	for _, line := range lines {
		name, words, _ := strings.Cut(line, ": ")
		all[name] = strings.Split(words, " | ")
	}
	return all
}

// readTopic returns one kind of news.
func readTopic(label, other string) topic {
	return topic{
		label: label, words: readWords(sections[label+" words"]), foreign: readWords(sections[other+" words"]),
		headlines: sections[label+" headlines"], crossHeadlines: sections[label+" cross headlines"],
		sentences: sections[label+" sentences"], crossSentences: sections[label+" cross sentences"],
	}
}
