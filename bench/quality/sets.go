package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayestream/bench/labelled"
)

// set is a labelled set of files of JSON Lines, and how it is divided.
type set struct {
	name, title string
	files       []string
	test        string // a file that is always tested; "": a part of the files is
	preset      string // that is made for such texts; "": none was chosen on them
	unspaced    bool   // its words are not apart
	folds       int    // tests of disjoint parts, at most; 0: a random fifth each
	stream      bool   // each document is tested, then learned, in the order of the file
}

var sets = []set{
	{name: "sms", title: "SMS spam", files: []string{"sms_spam.jsonl.gz"}, preset: "sms"},
	{name: "youtube", title: "YouTube comments", files: []string{"youtube_spam.jsonl.gz"}, preset: "comments"},
	{name: "bbc", title: "BBC news", files: []string{"bbc_news.jsonl.gz"}, preset: "topics"},
	{name: "ag", title: "AG News, test half", files: []string{"ag_news.test.jsonl.gz"}, preset: "topics"},
	{name: "reuters", title: "Reuters-21578, random split", files: []string{trainReuters, testReuters}, preset: "topics"},
	{name: "modapte", title: "Reuters-21578, ModApte", files: []string{trainReuters}, test: testReuters, preset: "topics"},
	{name: "imdb", title: "IMDb reviews, train half", files: []string{"imdb.train.jsonl.gz"}, preset: "reviews",
		folds: parts},
	{name: "mail", title: "SpamAssassin, a half, as a stream", files: []string{"spamassassin_half.jsonl.gz"},
		preset: "mail", stream: true},
	// These had no part in the choice of presets.
	{name: "trec6", title: "questions, coarse", files: ofBoth("trec6")},
	{name: "trec50", title: "questions, fine", files: ofBoth("trec50")},
	{name: "banking77", title: "requests to a bank", files: ofBoth("banking77")},
	{name: "thuc10", title: "Chinese titles", files: ofBoth("thuc10"), unspaced: true},
	{name: "gnad1k", title: "German news", files: ofBoth("gnad1k")},
	{name: "tweets", title: "tweets, emotions", files: ofBoth("tw-emotion")},
}

// ofBoth returns the files of a set that is published in two parts.
func ofBoth(name string) []string { return []string{name + ".train.jsonl.gz", name + ".test.jsonl.gz"} }

const (
	trainReuters = "reuters21578_modapte_single.train.jsonl.gz"
	testReuters  = "reuters21578_modapte_single.test.jsonl.gz"
)

// parts is into how many parts a set is divided; one of them is tested.
const parts = 5

func setNames() (names []string) {
	for i := range sets {
		names = append(names, sets[i].name)
	}
	return names
}

// splits returns how often the set is divided, if seeds ways are wanted.
func (s *set) splits(seeds int) int {
	switch {
	case s.stream, s.test != "":
		return 1
	case s.folds > 0:
		return min(seeds, s.folds)
	}
	return seeds
}

// missing returns a file of the set that does not exist, "" if all do.
func (s *set) missing(data string) string {
	return labelled.Missing(data, append(slices.Clone(s.files), s.test)...)
}

// division is one way to divide a set, as files.
type division struct {
	learn, test string
	stream      string // instead of both
	oneClass    int    // documents of the stream that are decided before two classes are known
	scores      string // where a classifier writes what it decided
}

// lines returns the lines of all files of the set but that which is only tested.
func (s *set) lines(o *options) (all []string, err error) {
	for _, name := range s.files {
		lines, err := readLines(labelled.Find(o.data, name))
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// divide writes the files of one division.
func (s *set) divide(o *options, seed int) (*division, error) {
	d := &division{scores: filepath.Join(o.work, "scores.jsonl")}
	all, err := s.lines(o)
	if err != nil {
		return nil, err
	}
	if s.stream {
		d.stream = filepath.Join(o.work, "stream.jsonl")
		if d.oneClass, err = oneClass(all); err != nil {
			return nil, err
		}
		return d, writeLines(d.stream, all)
	}
	d.learn, d.test = filepath.Join(o.work, "learn.jsonl"), filepath.Join(o.work, "test.jsonl")
	learn, test := all, []string(nil)
	if s.test == "" {
		learn, test = split(all, seed, s.folds > 0)
	} else {
		if test, err = readLines(labelled.Find(o.data, s.test)); err != nil {
			return nil, err
		}
	}
	return d, errors.Join(writeLines(d.learn, learn), writeLines(d.test, test))
}

// oneClass returns how many lines of a stream are decided before there are two classes to choose
// from.
func oneClass(lines []string) (n int, err error) {
	var first string
	for i, line := range lines {
		var d struct {
			Label string `json:"label"`
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return 0, fmt.Errorf("line %d: %w", i+1, err)
		}
		if i == 0 {
			first = d.Label
		} else if d.Label != first {
			return i + 1, nil
		}
	}
	return len(lines), nil
}

// split divides lines at random, by the seed; as folds they are in one order, and the seed is the
// number of the fold.
func split(all []string, seed int, folds bool) (learn, test []string) {
	order, part := seed, 0
	if folds {
		order, part = 1, seed-1
	}
	for i, line := range shuffle(all, order) {
		if i%parts == part {
			test = append(test, line)
		} else {
			learn = append(learn, line)
		}
	}
	return learn, test
}

// shuffle returns lines in an order of their own for each seed.
func shuffle(all []string, seed int) []string {
	shuffled := slices.Clone(all)
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled
}

// readLines returns the lines of a file, compressed by gzip or not.
func readLines(path string) (lines []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func writeLines(path string, lines []string) error {
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
