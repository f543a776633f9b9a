// Package news writes an endless stream of short news texts about elections
// and about sport, each with its label, for the demo and for tests.
//
// Every text is built from sentence templates and word lists in this package.
// The two kinds share people, places and much vocabulary (race, run, win,
// campaign, coach, party, defense, poll, state, field). Some sport stories use
// the words of politics and some election stories those of sport, so that a
// classifier has to learn many words, and a few texts stay ambiguous for it.
//
// The labels are always right. Living politicians appear by name in neutral
// statements only; all other people, and all clubs, are invented.
//
// The stream is a pure function of the seed.
package news

import (
	_ "embed"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// The labels of the corpus.
const (
	Election = "election"
	Sports   = "sports"
)

// Item is one labelled news text.
type Item struct {
	ID    string // unique for the seed and the place in the stream: news-SEED-N
	Label string // Election or Sports
	Text  string // a headline and one to three sentences
}

// stream separates this generator's random sequence from other uses of the seed.
const stream = 0x6e657773

// Generator writes items one after the other. It is not safe for concurrent use.
type Generator struct {
	seed   uint64
	number uint64
	random *rand.Rand
}

// New returns a generator whose items depend on the seed alone.
func New(seed uint64) *Generator {
	return &Generator{seed: seed, random: rand.New(rand.NewPCG(seed, stream))}
}

// Next returns the next item. The stream has no end, and each label is drawn
// with probability one half.
func (g *Generator) Next() Item {
	topic := &topics[g.random.IntN(len(topics))]
	g.number++
	s := &story{random: g.random, topic: topic, cast: map[string]string{}, used: map[string]bool{}}
	return Item{
		ID:    "news-" + strconv.FormatUint(g.seed, 10) + "-" + strconv.FormatUint(g.number, 10),
		Label: topic.label,
		Text:  s.write(),
	}
}

// topic holds the templates and the word lists of one kind of news.
type topic struct {
	label          string
	words          map[string][]string // its own slots
	foreign        map[string][]string // the other kind's slots, for stories that cross over
	headlines      []string
	crossHeadlines []string
	sentences      []string
	crossSentences []string
}

// chances are the probabilities, in percent, of a template of the kind's own
// and of one in the words of the other kind. The rest to 100 is that of the
// templates both kinds share.
type chances struct{ own, cross int }

// plan holds the chances of the parts of a story.
type plan struct {
	weight   int // how often the plan is followed, in percent
	headline chances
	first    chances // of the first sentence under a shared headline: they make 100
	others   chances // of every other sentence
}

// plans make the corpus as hard as it is. A plain story is easy; a faint one
// has a single telling sentence among shared ones; a crossing one has mostly
// the other kind's words.
var plans = [...]plan{
	{weight: 58, headline: chances{own: 75}, first: chances{own: 100}, others: chances{own: 50, cross: 5}},
	{weight: 25, headline: chances{own: 5}, first: chances{own: 90, cross: 10}, others: chances{own: 10, cross: 5}},
	{weight: 17, headline: chances{cross: 75}, first: chances{cross: 60, own: 40}, others: chances{cross: 20, own: 20}},
}

// story is one text in the making. Its people and places are chosen once, so
// that all its sentences speak of the same ones.
type story struct {
	random *rand.Rand
	topic  *topic
	cast   map[string]string
	used   map[string]bool // templates, so that none occurs twice
}

// write returns the headline and the sentences as one line of text. After a
// shared headline the first sentence is of one kind only, so that a reader can
// always tell the label.
func (s *story) write() string {
	p := s.plan()
	headline, shared := s.template(p.headline, s.topic.headlines, s.topic.crossHeadlines, sharedHeadlines)
	text := s.sentence(nil, headline)
	if text[len(text)-1] != '?' {
		text = append(text, '.')
	}
	for i := range 1 + s.random.IntN(3) {
		chances := p.others
		if i == 0 && shared {
			chances = p.first
		}
		sentence, _ := s.template(chances, s.topic.sentences, s.topic.crossSentences, sharedSentences)
		text = append(text, ' ')
		text = s.sentence(text, sentence)
	}
	return string(text)
}

// plan draws one of the plans by their weights.
func (s *story) plan() plan {
	n := s.random.IntN(100)
	for _, p := range plans {
		n -= p.weight
		if n < 0 {
			return p
		}
	}
	return plans[len(plans)-1]
}

// template draws a template that this story has not used yet, and reports
// whether it is a shared one.
func (s *story) template(chances chances, own, cross, shared []string) (template string, isShared bool) {
	from := shared
	switch n := s.random.IntN(100); {
	case n < chances.own:
		from = own
	case n < chances.own+chances.cross:
		from = cross
	default:
		isShared = true
	}
	for {
		t := from[s.random.IntN(len(from))]
		if !s.used[t] {
			s.used[t] = true
			return t, isShared
		}
	}
}

// cast names the slots that are filled once for a whole story, each with the
// word list it is filled from.
var cast = map[string]string{
	"Hero": "surname", "Rival": "surname", "Other": "surname", "Place": "place", "Club": "club", "Foe": "club",
}

// sentence appends the template with its slots filled and its first letter
// in upper case.
func (s *story) sentence(dst []byte, template string) []byte {
	start := len(dst)
	dst = s.expand(dst, template)
	for i := start; i < len(dst); i++ {
		if c := dst[i]; 'a' <= c && c <= 'z' {
			dst[i] = c - 'a' + 'A'
		}
		if dst[i] != '"' { // a quotation begins with its first word
			break
		}
	}
	return dst
}

// expand appends the template with each {slot} replaced by a word of the
// slot's list, which may contain slots itself. {a:slot} puts the article
// before the word.
func (s *story) expand(dst []byte, template string) []byte {
	for {
		before, rest, found := strings.Cut(template, "{")
		dst = append(dst, before...)
		if !found {
			return dst
		}
		slot, after, _ := strings.Cut(rest, "}")
		name, article := strings.CutPrefix(slot, "a:")
		filled := s.fill(name)
		if article {
			dst = append(dst, indefinite(filled)...)
		}
		dst = append(dst, filled...)
		template = after
	}
}

func (s *story) fill(name string) string {
	list, fixed := cast[name]
	if !fixed {
		return s.draw(name)
	}
	if s.cast[name] == "" {
		s.cast[name] = s.newName(list)
	}
	return s.cast[name]
}

// newName draws a name that the story does not use yet.
func (s *story) newName(list string) string {
	for {
		name := s.draw(list)
		if !slices.Contains(slices.Collect(maps.Values(s.cast)), name) {
			return name
		}
	}
}

// draw returns one entry of a word list, its own slots filled.
func (s *story) draw(list string) string {
	words := s.words(list)
	return string(s.expand(nil, words[s.random.IntN(len(words))]))
}

// words finds a list: first among those of the topic, then among the shared
// ones, then among those of the other topic.
func (s *story) words(list string) []string {
	for _, lists := range [...]map[string][]string{s.topic.words, sharedWords, s.topic.foreign} {
		if words := lists[list]; words != nil {
			return words
		}
	}
	panic("news: no word list " + list) // a misspelt slot in this package; the tests look at every one
}

// indefinite returns the indefinite article and a space for the word after it.
func indefinite(word string) string {
	if strings.IndexByte("aeiouAEIOU", word[0]) >= 0 && !strings.HasPrefix(word, "uni") && !strings.HasPrefix(word,
		"one") {
		return "an "
	}
	return "a "
}

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

func readTopic(label, other string) topic {
	return topic{
		label: label, words: readWords(sections[label+" words"]), foreign: readWords(sections[other+" words"]),
		headlines: sections[label+" headlines"], crossHeadlines: sections[label+" cross headlines"],
		sentences: sections[label+" sentences"], crossSentences: sections[label+" cross sentences"],
	}
}
