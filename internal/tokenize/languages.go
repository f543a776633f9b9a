package tokenize

import (
	"maps"
	"slices"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/turkish"
	"github.com/kljensen/snowball"
)

// rules return a lower-cased word without its ending, by the Snowball rules of each language. A
// model keeps the stems it has counted, so the library of a language never changes without a new
// [Revision].
var rules = map[string]func(word string) string{
	"arabic":     generated(arabic.Stem),
	"danish":     generated(danish.Stem),
	"dutch":      generated(dutch.Stem),
	"english":    written("english"),
	"finnish":    generated(finnish.Stem),
	"french":     written("french"),
	"german":     generated(german.Stem),
	"hungarian":  written("hungarian"),
	"italian":    generated(italian.Stem),
	"norwegian":  written("norwegian"),
	"portuguese": generated(portuguese.Stem),
	"romanian":   generated(romanian.Stem),
	"russian":    generated(russian.Stem), // the rules of kljensen/snowball differ from the vocabulary of Snowball
	"spanish":    written("spanish"),
	"swedish":    written("swedish"),
	"turkish":    generated(turkish.Stem),
}

// languages returns the languages whose words can be stemmed.
func languages() []string { return slices.Sorted(maps.Keys(rules)) }

// generated returns the rules of a program that the Snowball compiler has made.
func generated(stem func(*snowballstem.Env) bool) func(string) string {
	return func(word string) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

// written returns the rules that kljensen/snowball has for a language; "" where it fails.
func written(language string) func(string) string {
	const stemStopWords = true // stop words are those of the options, not those of the library
	return func(word string) string {
		stem, err := snowball.Stem(word, language, stemStopWords)
		if err != nil {
			return ""
		}
		return stem
	}
}
