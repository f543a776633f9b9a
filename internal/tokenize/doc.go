// Package tokenize turns bytes into the terms that are counted.
//
// One way leads from a text to its terms, the same for learning and for labelling:
//
//	bytes       as they are; with Options.HTML what a reader would see of them
//	normal form valid UTF-8, NFKC, lower-cased, without hidden characters
//	words       segments of UAX #29 with a letter, a digit or an emoji in them
//	classes     URLs, mail addresses and long numbers become one term each
//	stop words  removed
//	stems       endings removed by the Snowball rules of the language
//	n-grams     of words, or of the characters of words
//	terms       with their mark, cut to the longest length
//
// [Scanner.Steps] shows each stage for one text, docs/tokenizer.md explains them to users, and
// testdata/golden.txt has the terms of many texts.
//
// # Terms
//
// A word is a term, stemmed when it is of letters alone. Words keep what UAX #29 leaves inside them
// ("don't", "u.s", "snake_case", "4th"), except the colon, which ends a word here: so no word looks
// like a term with a mark. Class terms are in angle brackets, which are in no word either:
//
//	<url>      a URL; the next term is its host without www., port and path: "example.com"
//	<mail>     a mail address; the next term is its domain
//	<num:5>    a number of five digits, whatever is between them, and so on to <num:19>
//	<num:20+>  a longer one
//
// Numbers of up to four digits stay as they are, because years, prices and times of day are words
// of their subject. Longer ones rarely occur twice, but their length says something: <num:5> is a
// short code for text messages, <num:11> a phone number. A URL has a scheme (http, https, ftp) or
// starts with www.; a host alone ("example.com") is a word already, and the same term as that host
// in a URL. An emoji is a term, with the joiners, skin tones and tags that belong to it. All other
// symbols make no terms, unless Punctuation is set.
//
// # Scripts without spaces
//
// UAX #29 has no dictionary: each ideograph, each Hiragana and each Thai letter is a word by
// itself, runs of Katakana and words of Hangul stay together. For such text set NGrams to 2 or
// more, or CharMin and CharMax: character n-grams take words that touch as one run.
//
// # Guarantees
//
//   - No text (of up to 4 GiB) makes Scan panic or takes more than linear time.
//   - Terms depend on the text, the mark and the options alone: not on texts before, nor on the
//     machine. What depends on the versions of Go, x/text and uax29 is pinned by TestGolden; see
//     [Revision].
//   - A Scanner allocates nothing once its memory fits the texts and it has met their words: stems
//     of new words allocate. HTML allocates a tokenizer for each text.
//   - Adding a character of no width anywhere in a word changes nothing, nor does another way to
//     write the same characters: case, composition, full-width or mathematical letters, typographic
//     quotes.
//
// # Caveats
//
//   - The language comes from the options; it is not detected. English rules change few
//     words of other scripts.
//   - Letters that only look alike, as in "pаypal" with a Cyrillic а, stay different letters.
//   - Zero-width joiners and non-joiners are removed, although some scripts (Persian, Sinhala)
//     spell with them: the same word with and without becomes one.
package tokenize
