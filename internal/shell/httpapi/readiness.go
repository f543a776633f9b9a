package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Readiness is the answer of GET /readyz.
type Readiness struct {
	Ready  bool    `json:"ready"`
	Checks []Check `json:"checks"`
}

// Check is a condition of readiness. Detail is a sentence, whether it holds or not.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Facts determine the readiness of a worker. Partitions are not among them: a worker without
// partitions is on standby and ready.
type Facts struct {
	RoundTrip time.Time         // last answer of a broker; zero: none
	Folded    time.Time         // last answer of the model log; zero: none
	Behind    int64             // records of the model log that were not folded then; -1: unknown
	Serving   bool              // topics are checked and a spec is in force
	Store     bool              // the model file is open
	Trouble   map[string]string // problems by part of the work
}

const (
	// maxSilence is the largest age of the last answer of a broker. An idle worker sends several
	// requests a minute.
	maxSilence = 15 * time.Second
	// maxBehind is the largest number of missing records of the model log. While ingest appends, a few
	// are always missing; a worker that starts, or cannot keep up, is thousands behind.
	maxBehind = 100
)

// Readiness returns the checks at the time now. A worker is ready when all hold.
func (f Facts) Readiness(now time.Time) Readiness {
	r := Readiness{Ready: true}
	r.add("start", f.Serving, either(f.Serving, "the topics are checked and a spec is in force",
		"the worker is still starting: it checks topics, reads the model log, or waits for a spec in it"))
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
		r.add("fold", false, "the end of the model log is not known yet")
	case f.Behind > maxBehind:
		r.add("fold", false, fmt.Sprintf("%d records of the model log are not folded yet, at most %d may be", f.Behind,
			maxBehind))
	default:
		r.add("fold", true, fmt.Sprintf("%d records behind the model log", f.Behind))
	}
}

func recent(at, now time.Time) bool { return !at.IsZero() && now.Sub(at) < maxSilence }

func answered(who string, at, now time.Time) string {
	if at.IsZero() {
		return who + " has not answered yet"
	}
	return fmt.Sprintf("%s answered %v ago, at most %v are allowed", who, max(0, now.Sub(at)).Round(time.Millisecond),
		maxSilence)
}

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}
