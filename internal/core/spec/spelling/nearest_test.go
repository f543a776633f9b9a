package spelling_test

import (
	"testing"

	"bayestream/internal/core/spec/spelling"
)

func TestNearest(t *testing.T) {
	names := []string{"drain", "group", "training-topic", "http", "log", "tls"}
	for misspelt, want := range map[string]string{
		"drian": "drain", "grop": "group", "training_topic": "training-topic", "htpp": "http", "train": "drain",
		"trainin": "training-topic", "x": "", "": "", "zzzzzz": "", "lgo": "log", "cost": "",
		"taining-topci": "training-topic", "ttls": "tls",
	} {
		if got := spelling.Nearest(misspelt, names); got != want {
			t.Errorf("%q: got %q, want %q", misspelt, got, want)
		}
	}
}
