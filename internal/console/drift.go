package console

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Drift is what changed in the stream.
type Drift struct {
	Alarms []Alarm `json:"alarms"`
}

// Alarm says that a figure got worse, and which words moved.
type Alarm struct {
	Time    time.Time   `json:"time"`
	Measure string      `json:"measure"`
	Before  float64     `json:"before"`
	After   float64     `json:"after"`
	Words   []MovedWord `json:"words"`
}

// MovedWord is a word whose share of the documents of a class changed.
type MovedWord struct {
	Term   string  `json:"term"`
	Class  string  `json:"class"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

const (
	driftWindow = 200  // decisions
	driftErrors = 4    // standard errors that the loss must grow by
	driftLeast  = 0.05 // nats that it must grow by
	mostAlarms  = 20
	mostMoved   = 8
)

// driftOf compares the log loss of each window with that of all before it since the last alarm; nil: too little is known.
func driftOf(list []joined) *Drift {
	if len(list) < 2*driftWindow {
		return nil
	}
	out := &Drift{Alarms: []Alarm{}}
	begin := 0
	for at := driftWindow; at+driftWindow <= len(list); at += driftWindow {
		if at <= begin {
			continue
		}
		before, spread := lossOf(list[begin:at])
		after, _ := lossOf(list[at : at+driftWindow])
		if after-before < max(driftLeast, driftErrors*spread/math.Sqrt(driftWindow)) {
			continue
		}
		out.Alarms = append(out.Alarms, Alarm{
			Time: list[at+driftWindow-1].time.UTC(), Measure: "log_loss", Before: before, After: after, Words: moved(list[begin:at], list[at:at+driftWindow]),
		})
		begin = at
	}
	if n := len(out.Alarms); n > mostAlarms {
		out.Alarms = out.Alarms[n-mostAlarms:]
	}
	return out
}

// lossOf returns the mean of the log loss and its standard deviation.
func lossOf(list []joined) (mean, deviation float64) {
	for _, j := range list {
		mean += j.loss
	}
	mean /= float64(len(list))
	for _, j := range list {
		deviation += (j.loss - mean) * (j.loss - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(list)))
}

// moved returns the words whose share changed most, of those that said most about the documents.
func moved(before, after []joined) []MovedWord {
	type key struct{ term, class string }
	count := func(list []joined) (map[key]float64, map[string]float64) {
		words, classes := map[key]float64{}, map[string]float64{}
		for _, j := range list {
			classes[j.truth]++
			for _, term := range j.terms {
				words[key{term, j.truth}]++
			}
		}
		return words, classes
	}
	was, wasOf := count(before)
	is, isOf := count(after)
	out := []MovedWord{}
	add := func(k key) {
		w := MovedWord{Term: k.term, Class: k.class, Before: was[k] / max(1, wasOf[k.class]), After: is[k] / max(1, isOf[k.class])}
		out = append(out, w)
	}
	for k := range is {
		add(k)
	}
	for k := range was {
		if _, both := is[k]; !both {
			add(k)
		}
	}
	slices.SortFunc(out, func(a, b MovedWord) int {
		return cmp.Or(cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before)), cmp.Compare(a.Term, b.Term), cmp.Compare(a.Class, b.Class))
	})
	return out[:min(len(out), mostMoved)]
}
