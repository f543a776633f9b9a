//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"bayestream/bench/labelled"
)

// corpus is a labelled set: one file, which is shuffled and split, or two files as its authors
// split it.
type corpus struct {
	name        string
	about       string
	learn, test string // files; both empty: the project's own news
}

var corpora = []corpus{
	{name: "news", about: "50,000 stories of the project's own generator, 2 classes"},
	{name: "sms", about: "UCI SMS Spam Collection, 2 classes", learn: "sms_spam.jsonl.gz"},
	{name: "ag", about: "AG News, its test half, 4 classes", learn: "ag_news.test.jsonl.gz"},
	{name: "reuters", about: "Reuters-21578, ModApte, one label, 59 classes",
		learn: "reuters21578_modapte_single.train.jsonl.gz", test: "reuters21578_modapte_single.test.jsonl.gz"},
}

// ownNews is how many stories the project's own set has.
const ownNews = 50_000

// Four fifths of a file are learned.
const parts, learned = 5, 4

func (c *corpus) paths(folder string) (learn, test string) {
	return filepath.Join(folder, c.name+".learn.jsonl"), filepath.Join(folder, c.name+".test.jsonl")
}

// missing returns a file of the set that does not exist, "" if all do.
func (c *corpus) missing(data string) string { return labelled.Missing(data, c.learn, c.test) }

// cut splits the set and writes two files of JSON Lines to the folder.
func (c *corpus) cut(data, folder string) error {
	learn, test, err := c.items(data)
	if err != nil {
		return err
	}
	if c.test == "" {
		learn, test = split(learn)
	}
	toLearn, toTest := c.paths(folder)
	return errors.Join(write(toLearn, learn), write(toTest, test))
}

// items reads the set; test is empty if the set is one file.
func (c *corpus) items(data string) (learn, test []labelled.Item, err error) {
	learn, err = labelled.Set(data, ownNews, c.learn)
	if err != nil || c.test == "" {
		return learn, nil, err
	}
	test, err = labelled.Read(labelled.Find(data, c.test))
	return learn, test, err
}

// split shuffles items, with a fixed seed, and divides them.
func split(items []labelled.Item) (learn, test []labelled.Item) {
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	at := len(items) * learned / parts
	return items[:at], items[at:]
}

func write(path string, items []labelled.Item) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	var line []byte
	for _, x := range items {
		line = append(labelled.AppendTraining(line[:0], x.ID, x.Label, x.Text), '\n')
		_, _ = w.Write(line) // Flush returns the error
	}
	return errors.Join(w.Flush(), f.Close())
}

// held is the part of a set that is in memory while the peers run. It has no texts, so that the
// process stays small: see cutElsewhere.
type held struct {
	learnBytes int
	testBytes  []int // by text
	labels     []string
}

func hold(learn, test string) (*held, error) {
	h := &held{}
	err := labelled.Each(learn, func(x *labelled.Item) { h.learnBytes += len(x.Text) })
	if err != nil {
		return nil, err
	}
	err = labelled.Each(test, func(x *labelled.Item) {
		h.testBytes = append(h.testBytes, len(x.Text))
		h.labels = append(h.labels, x.Label)
	})
	return h, err
}

// bytes returns the length of the first n texts that are labelled.
func (h *held) bytes(n int) (sum int) {
	for _, b := range h.testBytes[:min(n, len(h.testBytes))] {
		sum += b
	}
	return sum
}

// right returns the share of labels that are right.
func (h *held) right(labels []string) (float64, error) {
	if len(labels) != len(h.labels) {
		return 0, fmt.Errorf("%d labels for %d texts", len(labels), len(h.labels))
	}
	n := 0
	for i, l := range labels {
		if l == h.labels[i] {
			n++
		}
	}
	return float64(n) / float64(len(labels)), nil
}

// lines returns the lines of a file.
func lines(path string) (out []string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for l := range bytes.Lines(b) {
		out = append(out, string(bytes.TrimRight(l, "\n")))
	}
	return out, nil
}
