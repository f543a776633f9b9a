package wire

import (
	"maps"
	"math"
	"slices"

	"github.com/tidwall/gjson"
)

// BodyPrior returns the "prior" of an HTTP body that Decoder.Body has read: what is believed of the
// classes before this document, in place of the model's prior; the posterior of an earlier step, say.
// It need not sum to 1. Nil: there is none. The error is a *Reject.
func BodyPrior(body []byte) (map[string]float64, error) {
	v := gjson.GetBytes(body, "prior")
	if !v.Exists() || v.Type == gjson.Null {
		return nil, nil
	}
	if !v.IsObject() {
		return nil, Rejectf(BadPrior, "field \"prior\" is %s; want an object like {\"spam\": 0.2, \"ham\": 0.8}", clip(v.Raw, maxShown))
	}
	prior := map[string]float64{}
	var bad error
	v.ForEach(func(class, p gjson.Result) bool {
		if p.Type != gjson.Number || !(p.Num > 0) || math.IsInf(p.Num, 0) {
			bad = Rejectf(BadPrior, "the prior of class %s is %s; want a number above 0", show(class.Str), clip(p.Raw, maxShown))
			return false
		}
		prior[class.Str] = p.Num
		return true
	})
	if bad != nil {
		return nil, bad
	}
	if len(prior) == 0 {
		return nil, Rejectf(BadPrior, "field \"prior\" names no class")
	}
	return prior, nil
}

// CheckPrior refuses a prior of a class that the model does not have: a name that is misspelt would change
// the others. The error is a *Reject.
func CheckPrior(prior map[string]float64, classes []string) error {
	for _, class := range slices.Sorted(maps.Keys(prior)) {
		if slices.Contains(classes, class) {
			continue
		}
		if len(classes) > maxListed {
			return Rejectf(BadPrior, "the model has no class %s; it has %d, like %q", show(class), len(classes), classes[:maxListed])
		}
		return Rejectf(BadPrior, "the model has no class %s; it has %q", show(class), classes)
	}
	return nil
}

// maxListed is how many classes a sentence names.
const maxListed = 20
