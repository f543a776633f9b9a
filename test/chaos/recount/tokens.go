package recount

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// between stands between two texts that are tokenized in one go. No text of the suite has it.
const between = "zqbetweenzq"

// batchBytes keeps a batch of texts below the limit of the verb.
const batchBytes = 800_000

// tokenize returns the terms of each text, as "bayestream tokenize" shows them.
func tokenize(path string, texts []string) (map[string][]string, error) {
	terms := make(map[string][]string, len(texts))
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && size < batchBytes {
			size += len(texts[n]) + len(between) + 2
			n++
		}
		if err := tokenizeBatch(path, texts[:n], terms); err != nil {
			return nil, err
		}
		texts = texts[n:]
	}
	return terms, nil
}

func tokenizeBatch(path string, texts []string, terms map[string][]string) error {
	cmd := exec.Command(path, "tokenize", "--json", "-")
	cmd.Stdin = strings.NewReader(strings.Join(texts, "\n"+between+"\n"))
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return fmt.Errorf("tokenize: %w", err)
	}
	var shown struct {
		Steps []struct {
			Items []string `json:"items"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(out, &shown); err != nil {
		return fmt.Errorf("tokenize: %w", err)
	}
	i := 0
	var current []string
	for _, term := range append(shown.Steps[len(shown.Steps)-1].Items, between) {
		if term != between {
			current = append(current, term)
			continue
		}
		if i == len(texts) {
			return errors.New("tokenize: a text has the word that separates texts")
		}
		terms[texts[i]] = current
		current = nil
		i++
	}
	if i != len(texts) {
		return fmt.Errorf("tokenize: %d texts came back of %d", i, len(texts))
	}
	return nil
}
