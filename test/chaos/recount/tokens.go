package recount

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// tokenize returns the terms of each text, as "bayestream predict --steps" shows them.
func tokenize(path string, texts []string) (map[string][]string, error) {
	var lines bytes.Buffer
	for _, text := range texts {
		if err := json.NewEncoder(&lines).Encode(map[string]string{"text": text}); err != nil {
			return nil, fmt.Errorf("tokenize: %w", err)
		}
	}
	cmd := exec.Command(path, "predict", "--steps", "--json", "-")
	cmd.Stdin = &lines
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("tokenize: %w", err)
	}
	terms := make(map[string][]string, len(texts))
	shown := json.NewDecoder(bytes.NewReader(out))
	for i, text := range texts {
		var document struct {
			Steps []struct {
				Items []string `json:"items"`
			} `json:"steps"`
		}
		if err := shown.Decode(&document); err != nil {
			return nil, fmt.Errorf("tokenize: %d texts came back of %d: %w", i, len(texts), err)
		}
		if n := len(document.Steps); n > 0 {
			terms[text] = document.Steps[n-1].Items
		}
	}
	return terms, nil
}
