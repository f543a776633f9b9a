package worker

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/httpapi"
)

// Which labels that are no class of the model are asked about.
const (
	AskAny    = iota // all: a person types it
	AskNearly        // those that are spelt nearly like a class: a program sends what a person typed elsewhere
	AskAlike         // those that look like a class: a whole record may bring a new class
)

// shownNeighbours is how many classes a question names.
const shownNeighbours = 3

// CheckLabel asks about a label that is no class of the model: a misspelt one would become a class
// in silence. A model without classes knows no better. The error is a *httpapi.RefusedError.
func CheckLabel(s *fold.State, label string, ask int) error {
	if label == "" || s.Model() == nil || s.Spec().Names(s.Spec().Class(label)) {
		return nil
	}
	names := s.Model().ClassNames()
	if len(names) == 0 || slices.Contains(names, s.Spec().Class(label)) {
		return nil
	}
	near := spelling.Neighbours(label, names)
	if ask == AskAlike {
		near = spelling.Alike(label, names)
	}
	if len(near) == 0 && ask != AskAny {
		return nil
	}
	if near == nil && ask == AskAny { // a person may see a guess
		if guess := spelling.Nearest(label, names); guess != "" {
			near = []string{guess}
		}
	}
	var meant []string
	for _, name := range near[:min(len(near), shownNeighbours)] {
		meant = append(meant, strconv.Quote(name))
	}
	did := ""
	if len(meant) > 0 {
		did = "; did you mean " + strings.Join(meant, " or ") + "?"
	}
	return httpapi.Refusef(http.StatusConflict, "new_label", "no document has the label %q yet%s", label, did)
}
