package prequential

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bayestream/internal/tools/lab/evaluate"
)

// Comparison is what the scores of two models say, of the records that both have scored.
type Comparison struct {
	Documents int64             `json:"documents"`
	Old       Mean              `json:"old"`
	New       Mean              `json:"new"`
	Accuracy  evaluate.Interval `json:"accuracy_difference"` // of the new one less the old one
	LogLoss   evaluate.Interval `json:"log_loss_difference"`
	OnlyOld   int64             `json:"only_old_right"`
	OnlyNew   int64             `json:"only_new_right"`

	// Records that the old ingest learned and the new one did not, by the reason of the new one.
	Refused map[string]int64 `json:"refused_by_new"`
	// Records that an ingest learned, and that the spec in its log does not read; Example is
	// why.
	Unread  int64  `json:"unread"`
	Example string `json:"unread_example,omitempty"`
}

// Mean is the accuracy and the mean log loss of a model.
type Mean struct {
	Accuracy evaluate.Number `json:"accuracy"`
	LogLoss  evaluate.Number `json:"log_loss"`
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
	c.Accuracy = evaluate.PairedDifference(c.OnlyOld, c.OnlyNew, c.Documents)
	c.LogLoss = evaluate.MeanInterval(apart)
	return c
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

// Verdict says whether to cut over, and why.
type Verdict struct {
	CutOver bool     `json:"cut_over"`
	Why     []string `json:"why"` // sentences: what speaks against it; if nothing does, what speaks for it
}

// Rules are what a verdict asks for.
type Rules struct {
	Margin    float64 // loss of accuracy that is accepted
	Documents int64   // that both models must have scored, at least
}

// late is how many records the new model may be behind the old one: both learn while they are
// compared.
const late = 100

// Judge says whether the model of a new log can take the place of that of the old one: it has
// counted what the old one has, its ingest reads the same records, and the accuracy is not lower by
// more than a margin, as far as the interval of the difference can tell (a test of
// non-inferiority).
func Judge(before, after *Log, scored *Comparison, rules Rules) Verdict {
	var against []string
	if n := behind(before, after); n > late {
		against = append(against, fmt.Sprintf("the new model has %d records to count before it is where the old one is", n))
	}
	if scored.Unread > 0 {
		against = append(against, fmt.Sprintf("%d records that ingest learned cannot be read by the spec in its log "+
			"(%s): is it the training topic that was counted?", scored.Unread, scored.Example))
	}
	if len(scored.Refused) > 0 {
		against = append(against, refused(scored.Refused)+": give the new spec the records block of the old one, and "+
			"its ingest the same --ref-topics")
	}
	a := scored.Accuracy
	switch {
	case scored.Documents < rules.Documents:
		against = append(against, fmt.Sprintf("%d documents were scored by both models; at least %d are needed to tell "+
			"them apart", scored.Documents, rules.Documents))
	case float64(a.High) < -rules.Margin:
		against = append(against, fmt.Sprintf("the new model is worse by more than %.4f", rules.Margin))
	case float64(a.Low) < -rules.Margin:
		against = append(against, fmt.Sprintf("the new model may be worse by more than %.4f: the interval of the "+
			"difference begins at %+.4f; more documents make it narrower", rules.Margin, float64(a.Low)))
	}
	if len(against) > 0 {
		return Verdict{Why: against}
	}
	return Verdict{CutOver: true, Why: []string{
		fmt.Sprintf("the new model has counted what the old one has, and its accuracy is not lower by more than %.4f: the "+
			"interval of the difference begins at %+.4f", rules.Margin, float64(a.Low)),
	}}
}

// behind returns how many offsets the new model has to count before it is where the old one is.
func behind(before, after *Log) (n int64) {
	counted := after.Watermarks()
	for partition, end := range before.Watermarks() {
		n += max(0, end-counted[partition])
	}
	return n
}

// refused says how many records the new ingest did not learn, by reason.
func refused(by map[string]int64) string {
	var all int64
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(by)) {
		all += by[reason]
		reasons = append(reasons, fmt.Sprintf("%s %d", reason, by[reason]))
	}
	return fmt.Sprintf("the new ingest did not learn %d records that the old one learned (%s)", all,
		strings.Join(reasons, ", "))
}

// Missing lists what the counts of the old log hold and those of the new one cannot: sources that
// it has not read, and records before the offset where it began.
func Missing(before, after *Log) (found []string) {
	for _, src := range before.State.Sources() {
		a, _ := before.State.Progress(src)
		b, counted := after.State.Progress(src)
		switch {
		case !counted && src.IsImport():
			found = append(found, "a model that was imported from a file: "+src.Topic)
		case !counted:
			found = append(found, fmt.Sprintf("%s/%d", src.Topic, src.Partition))
		case b.Begin > a.Begin:
			found = append(found, fmt.Sprintf("%s/%d from offset %d to %d", src.Topic, src.Partition, a.Begin, b.Begin-1))
		}
	}
	return found
}
