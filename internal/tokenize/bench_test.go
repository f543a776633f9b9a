package tokenize_test

import (
	"encoding/json"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tokenize"
)

// BenchmarkScan reports the speed on text that is here. It is warm: every word has been met before.
func BenchmarkScan(b *testing.B) {
	english, mixed := lines(b, "testdata/english.txt"), lines(b, "testdata/mixed.txt")
	with := func(change func(o *tokenize.Options)) tokenize.Options {
		o := tokenize.DefaultOptions()
		change(&o)
		return o
	}
	for _, c := range []struct {
		name    string
		texts   [][]byte
		options tokenize.Options
	}{
		{"english", english, tokenize.DefaultOptions()},
		{"english/nostem", english, with(func(o *tokenize.Options) { o.Stem = false })},
		{"english/bigrams", english, with(func(o *tokenize.Options) { o.NGrams = 2 })},
		{"english/chars", english, with(func(o *tokenize.Options) { o.CharMin, o.CharMax = 3, 5 })},
		{"english/html", english, with(func(o *tokenize.Options) { o.HTML = true })},
		{"mixed", mixed, tokenize.DefaultOptions()},
		{"mixed/chars", mixed, with(func(o *tokenize.Options) { o.CharMin, o.CharMax = 3, 5 })},
	} {
		b.Run(c.name, func(b *testing.B) { scanAll(b, c.texts, c.options) })
	}
}

// BenchmarkCorpus reports the speed on a real set, with its vocabulary and its long tail. "cold"
// has a new scanner each time.
func BenchmarkCorpus(b *testing.B) {
	benchmarkCorpus(b, "sms_spam", modeltest.Data(b, "sms_spam.jsonl.gz"))
}

func benchmarkCorpus(b *testing.B, name, path string) {
	texts := corpus(b, path)
	b.Run(name, func(b *testing.B) { scanAll(b, texts, tokenize.DefaultOptions()) })
	b.Run(name+"/nostem", func(b *testing.B) {
		o := tokenize.DefaultOptions()
		o.Stem = false
		scanAll(b, texts, o)
	})
	b.Run(name+"/cold", func(b *testing.B) {
		b.SetBytes(size(texts))
		for b.Loop() {
			scan(newScanner(b, tokenize.DefaultOptions()), texts)
		}
	})
}

func scanAll(b *testing.B, texts [][]byte, o tokenize.Options) {
	s := newScanner(b, o)
	scan(s, texts)
	b.SetBytes(size(texts))
	b.ReportAllocs()
	for b.Loop() {
		scan(s, texts)
	}
}

func scan(s *tokenize.Scanner, texts [][]byte) (total int) {
	for _, text := range texts {
		s.Scan(text, "", func(term []byte) { total += len(term) })
	}
	return total
}

func newScanner(b *testing.B, o tokenize.Options) *tokenize.Scanner {
	b.Helper()
	t, err := tokenize.New(o)
	if err != nil {
		b.Fatal(err)
	}
	return t.NewScanner()
}

func size(texts [][]byte) (n int64) {
	for _, text := range texts {
		n += int64(len(text))
	}
	return n
}

func lines(b *testing.B, name string) (texts [][]byte) {
	b.Helper()
	file := filetest.Read(b, name)
	for line := range strings.Lines(string(file)) {
		texts = append(texts, []byte(line))
	}
	return texts
}

// corpus reads at most 4 MB of the texts of a data set.
func corpus(b *testing.B, path string) (texts [][]byte) {
	b.Helper()
	rows := json.NewDecoder(modeltest.Open(b, path))
	for total := 0; rows.More() && total < 4<<20; total += len(texts[len(texts)-1]) {
		var row struct{ Text string }
		if err := rows.Decode(&row); err != nil {
			b.Fatal(err)
		}
		texts = append(texts, []byte(row.Text))
	}
	return texts
}
