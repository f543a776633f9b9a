package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Readiness says whether a worker does its work, and if not why.
type Readiness struct {
	Ready  bool    `json:"ready"`
	Checks []Check `json:"checks"`
}

// Check is one thing that must hold. Detail is a sentence for whoever looks, whether it holds or not.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Facts are what readiness is computed from. Partitions are not among them: a worker to which the
// group gave none stands by, and is ready.
type Facts struct {
	RoundTrip time.Time         // a broker answered anything; zero: none has
	Folded    time.Time         // the model log answered; zero: it has not
	Behind    int64             // records of the model log that were not folded then; -1: not known
	Serving   bool              // the start is over: topics are checked and a spec is in force
	Store     bool              // the model file is open
	Trouble   map[string]string // what is wrong, by part of the work
}

const (
	// maxSilence is how old the last answer of a broker may be. A worker that has nothing to do asks
	// several times a minute.
	maxSilence = 15 * time.Second
	// maxBehind is how many records of the model log may be missing. While ingest appends, one or
	// another always is; a worker that starts, or cannot keep up, has thousands before it.
	maxBehind = 100
)

// Readiness returns the checks at the time now. A worker is ready when all hold.
func (f Facts) Readiness(now time.Time) Readiness {
	r := Readiness{Ready: true}
	r.add("start", f.Serving, either(f.Serving, "the topics are checked and a spec is in force", "the worker is still starting: it checks topics, reads the model log, or waits for a spec in it"))
	r.add("broker", recent(f.RoundTrip, now), answered("a broker", f.RoundTrip, now))
	r.addFold(f, now)
	r.add("store", f.Store, either(f.Store, "the model file is open", "the model file is not open: the log says why"))
	for _, part := range slices.Sorted(maps.Keys(f.Trouble)) {
		r.add(part, false, f.Trouble[part])
	}
	return r
}

func (r *Readiness) add(name string, ok bool, detail string) {
	r.Checks = append(r.Checks, Check{Name: name, OK: ok, Detail: detail})
	r.Ready = r.Ready && ok
}

func (r *Readiness) addFold(f Facts, now time.Time) {
	switch {
	case !recent(f.Folded, now):
		r.add("fold", false, answered("the model log", f.Folded, now))
	case f.Behind < 0:
		r.add("fold", false, "it is not known yet where the model log ends")
	case f.Behind > maxBehind:
		r.add("fold", false, fmt.Sprintf("%d records of the model log are not folded yet, at most %d may be", f.Behind, maxBehind))
	default:
		r.add("fold", true, fmt.Sprintf("%d records behind the model log", f.Behind))
	}
}

func recent(at, now time.Time) bool { return !at.IsZero() && now.Sub(at) < maxSilence }

func answered(who string, at, now time.Time) string {
	if at.IsZero() {
		return who + " has not answered yet"
	}
	return fmt.Sprintf("%s answered %v ago, at most %v are allowed", who, max(0, now.Sub(at)).Round(time.Millisecond), maxSilence)
}

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}
