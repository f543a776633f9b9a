package prequential

import (
	"cmp"
	"maps"
	"slices"

	"bayestream/internal/tools/lab/evaluate"
)

// Comparison is what the scores of two models say, of the records that both have scored.
type Comparison struct {
	Documents int64      `json:"documents"`
	Old       Mean       `json:"old"`
	New       Mean       `json:"new"`
	Accuracy  Difference `json:"accuracy_difference"` // of the new one less the old one
	LogLoss   Difference `json:"log_loss_difference"`
	OnlyOld   int64      `json:"only_old_right"`
	OnlyNew   int64      `json:"only_new_right"`

	// Records that the old ingest learned and the new one did not, by the reason of the new one.
	Refused map[string]int64 `json:"refused_by_new"`
	// Records that an ingest learned, and that the settings of the comparison do not read; Example is
	// why.
	Unread  int64  `json:"unread"`
	Example string `json:"unread_example,omitempty"`
}

// Mean is the accuracy and the mean log loss of a model.
type Mean struct {
	Accuracy evaluate.Number `json:"accuracy"`
	LogLoss  evaluate.Number `json:"log_loss"`
}

// Difference is a difference and its 95 % confidence interval.
type Difference struct {
	Mean evaluate.Number `json:"mean"`
	Low  evaluate.Number `json:"low"`
	High evaluate.Number `json:"high"`
}

// Compare compares the scores of the model in use with those of the new one.
func Compare(before, after *Scores) *Comparison {
	c := &Comparison{Refused: map[string]int64{}, Unread: max(before.Unread, after.Unread)}
	if example := cmp.Or(before.Example, after.Example); example != nil {
		c.Example = example.Error()
	}
	var oldRight, newRight int64
	var oldLoss, newLoss, apart []float64
	for _, at := range ordered(before.ByPlace) {
		a := before.ByPlace[at]
		b, both := after.ByPlace[at]
		if reason, skipped := after.Skipped[at]; skipped {
			c.Refused[reason]++
		}
		if !both {
			continue
		}
		switch {
		case a.Correct && !b.Correct:
			c.OnlyOld++
		case b.Correct && !a.Correct:
			c.OnlyNew++
		}
		c.Documents++
		oldRight += one(a.Correct)
		newRight += one(b.Correct)
		oldLoss = append(oldLoss, a.LogLoss)
		newLoss = append(newLoss, b.LogLoss)
		apart = append(apart, b.LogLoss-a.LogLoss)
	}
	n := float64(c.Documents)
	c.Old = Mean{evaluate.Number(float64(oldRight) / n), evaluate.Summarise(oldLoss).Mean}
	c.New = Mean{evaluate.Number(float64(newRight) / n), evaluate.Summarise(newLoss).Mean}
	c.Accuracy = difference(evaluate.PairedDifference(c.OnlyOld, c.OnlyNew, c.Documents))
	c.LogLoss = difference(evaluate.MeanInterval(apart))
	return c
}

func difference(mean, low, high float64) Difference {
	return Difference{evaluate.Number(mean), evaluate.Number(low), evaluate.Number(high)}
}

// ordered returns the places in order: a sum of fractions depends on it in the last digit.
func ordered(scores map[Place]Score) []Place {
	return slices.SortedFunc(maps.Keys(scores), func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
