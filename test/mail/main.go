// Mail prints what is read of mails, for compare.py and browser.py: each mail of standard input,
// its length in a line before it, becomes a line of JSON with the text of each mark. With the
// argument terms each text becomes a line with its terms.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"bayestream/internal/shell/wire/mail"
	"bayestream/internal/tokenize"
)

func main() {
	log.SetFlags(0)
	read := read
	if len(os.Args) > 1 && os.Args[1] == "terms" {
		read = terms()
	}
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		var size int
		if _, err := fmt.Fscanf(in, "%d\n", &size); err != nil {
			return // the end
		}
		value := make([]byte, size)
		if _, err := io.ReadFull(in, value); err != nil {
			log.Fatal("mail: read a mail: ", err)
		}
		if err := out.Encode(read(value)); err != nil {
			log.Fatal("mail: write the texts of a mail: ", err)
		}
	}
}

// read returns the texts of a mail by their marks, nil if it is none.
func read(value []byte) any {
	segments, _, ok := mail.AppendSegments(nil, mail.WithoutEnvelope(value))
	if !ok {
		return nil
	}
	texts := map[string]string{}
	for _, s := range segments {
		texts[s.Mark] += string(s.Text) + "\n"
	}
	return texts
}

// terms returns the function that returns the terms of a text, without stems.
func terms() func(text []byte) any {
	t, err := tokenize.New(tokenize.Options{Language: "none", NGrams: 1, TermBytes: 1024})
	if err != nil {
		log.Fatal("mail: ", err)
	}
	scanner := t.NewScanner()
	return func(text []byte) any {
		found := []string{}
		scanner.Scan(text, "", func(term []byte) { found = append(found, string(term)) })
		return found
	}
}
