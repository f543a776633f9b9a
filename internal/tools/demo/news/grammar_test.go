package news

import (
	"regexp"
	"strings"
	"testing"
)

var slotPattern = regexp.MustCompile(`\{([^{}]*)\}`)

// slots returns the names of the slots of a template.
func slots(template string) []string {
	var names []string
	for _, match := range slotPattern.FindAllStringSubmatch(template, -1) {
		names = append(names, strings.TrimPrefix(match[1], "a:"))
	}
	return names
}

// templates returns all that a topic can begin a sentence with.
func (t *topic) templates() []string {
	var all []string
	for _, list := range [][]string{
		t.headlines, t.crossHeadlines, t.sentences, t.crossSentences, sharedHeadlines, sharedSentences,
	} {
		all = append(all, list...)
	}
	return all
}

// Every slot reachable from a template must lead to words, in finitely many
// steps: the panic in story.words is out of reach.
func TestEverySlotLeadsToWords(t *testing.T) {
	for i := range topics {
		s := &story{topic: &topics[i]}
		for _, template := range topics[i].templates() {
			follow(t, s, template, nil)
		}
	}
}

// follow fails on an unknown slot and on a slot that comes back to itself.
func follow(t *testing.T, s *story, template string, path []string) {
	t.Helper()
	if strings.Count(template, "{") != len(slots(template)) || strings.Count(template, "}") != len(slots(template)) {
		t.Fatalf("unbalanced braces in %q", template)
	}
	for _, name := range slots(template) {
		if list, fixed := cast[name]; fixed {
			name = list
		}
		for _, above := range path {
			if above == name {
				t.Fatalf("slot %q comes back to itself through %v", name, path)
			}
		}
		if s.topic.words[name] == nil && sharedWords[name] == nil && s.topic.foreign[name] == nil {
			t.Fatalf("%s: %q asks for the word list %q, which does not exist", s.topic.label, template, name)
		}
		for _, entry := range s.words(name) {
			follow(t, s, entry, append(path[:len(path):len(path)], name))
		}
	}
}

func TestEveryListIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, list := range cast {
		used[list] = true
	}
	for i := range topics {
		for _, template := range topics[i].templates() {
			for _, name := range slots(template) {
				used[name] = true
			}
		}
	}
	lists := []map[string][]string{sharedWords, topics[0].words, topics[1].words}
	for _, byName := range lists {
		for _, entries := range byName {
			for _, entry := range entries {
				for _, name := range slots(entry) {
					used[name] = true
				}
			}
		}
	}
	for _, byName := range lists {
		for name := range byName {
			if !used[name] {
				t.Errorf("nothing asks for the word list %q", name)
			}
		}
	}
}

// A template that stands in two lists would be said by one kind in the name of
// the other.
func TestNoTemplateTwice(t *testing.T) {
	seen := map[string]bool{}
	lists := [][]string{sharedHeadlines, sharedSentences}
	for _, t := range topics {
		lists = append(lists, t.headlines, t.crossHeadlines, t.sentences, t.crossSentences)
	}
	for _, list := range lists {
		for _, template := range list {
			if seen[template] {
				t.Errorf("template %q stands twice", template)
			}
			seen[template] = true
		}
	}
	if len(seen) < 500 {
		t.Errorf("%d templates, want at least 500", len(seen))
	}
}

func TestPlansAddUp(t *testing.T) {
	total := 0
	for _, p := range plans {
		total += p.weight
		if p.first.own+p.first.cross != 100 {
			t.Errorf("plan %+v: the sentence under a shared headline may be a shared one; want own + cross = 100", p)
		}
	}
	if total != 100 {
		t.Errorf("weights of the plans add up to %d, want 100", total)
	}
}

func TestIndefiniteArticle(t *testing.T) {
	for word, want := range map[string]string{
		"upset": "an ", "win": "a ", "offside": "an ", "unicycle race": "a ", "one-handed save": "a ", "Olympic berth": "an ",
	} {
		if got := indefinite(word); got != want {
			t.Errorf("indefinite(%q) = %q, want %q", word, got, want)
		}
	}
}
