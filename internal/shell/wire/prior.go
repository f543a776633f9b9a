package wire

import (
	"maps"
	"slices"
	"strconv"

	"bayestream/internal/shell/wire/jsonread"
)

// BodyPrior returns the "prior" of an HTTP body that Decoder.Body has accepted as JSON:
// probabilities of the classes before this document, which replace the model's prior, such as the
// posterior of an earlier step. They need not sum to 1. Nil means that the body has none. The error
// is a *Reject.
func BodyPrior(body []byte) (map[string]float64, error) {
	var field jsonread.Value
	var r jsonread.Reader
	for r.Reset(body); field.IsMissing() && r.Next(); {
		if string(r.Name()) == "prior" {
			field = r.Value()
		}
	}
	if field.IsAbsent() {
		return nil, nil
	}
	if !field.IsObject() {
		return nil, Rejectf(BadPrior, "field \"prior\" is %s; want an object like {\"spam\": 0.2, \"ham\": 0.8}",
			shown(field))
	}
	prior := map[string]float64{}
	for r.Reset(field); r.Next(); {
		p, err := strconv.ParseFloat(string(r.Value()), 64)
		if err != nil || !(p > 0) {
			return nil, Rejectf(BadPrior, "the prior of class %s is %s; want a number above 0", show(r.Name()), shown(r.Value()))
		}
		if _, again := prior[string(r.Name())]; !again {
			prior[string(r.Name())] = p
		}
	}
	if len(prior) == 0 {
		return nil, Rejectf(BadPrior, "field \"prior\" names no class")
	}
	return prior, nil
}

// CheckPrior refuses a prior of a class that the model does not have, because a misspelt name would
// change the posterior of the others. The error is a *Reject.
func CheckPrior(prior map[string]float64, classes []string) error {
	for _, class := range slices.Sorted(maps.Keys(prior)) {
		if slices.Contains(classes, class) {
			continue
		}
		if len(classes) > maxListed {
			return Rejectf(BadPrior, "the model has no class %s; it has %d, like %q", show(class), len(classes),
				classes[:maxListed])
		}
		return Rejectf(BadPrior, "the model has no class %s; it has %q", show(class), classes)
	}
	return nil
}

// maxListed is how many classes a sentence names.
const maxListed = 20
