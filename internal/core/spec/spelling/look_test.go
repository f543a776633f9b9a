package spelling_test

import (
	"slices"
	"testing"

	"bayestream/internal/core/spec/spelling"
)

// TestNeighbours names the labels of one look, else the one that is spelt nearly so.
func TestNeighbours(t *testing.T) {
	names := []string{"Spam", "spam", "exchange_rate", "card arrival", "Caf\u00e9", "ham", "level 1"}
	for name, want := range map[string][]string{
		"SPAM": {"Spam", "spam"}, "spam": {"Spam"}, " spam": {"Spam", "spam"}, "card  Arrival": {"card arrival"},
		"cafe\u0301": {"Caf\u00e9"}, "exchnage_rate": {"exchange_rate"}, "Exchange_rat": {"exchange_rate"},
		"water": nil, "hat": nil, "hamm": {"ham"}, "hm": nil, "harm": {"ham"}, "hams": {"ham"}, "hamlet": nil, "b": nil, "level 2": nil, "lebel 1": {"level 1"}, "": nil, "ham": nil,
	} {
		if got := spelling.Neighbours(name, names); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
