package news

import "math/rand/v2"

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

func newStory(random *rand.Rand, topic *topic) *story {
	return &story{random: random, topic: topic, cast: map[string]string{}, used: map[string]bool{}}
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
