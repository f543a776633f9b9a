package main

import (
	"strings"

	"bayestream/test/size/prose"
)

func printWords() error {
	words, long, n := 0, 0, 0
	err := files(prose.IsDocument, func(_, text string) error {
		n++
		words += len(strings.Fields(text))
		long += len(prose.Long(text))
		return nil
	})
	row("documents", n)
	row("words of documents", words)
	row("sentences over 35 words", long)
	return err
}
