package console

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/httpapi"
)

// qualityJSON is how good the decisions were.
type qualityJSON struct {
	Scored      []scoredJSON      `json:"scored"`
	Decisions   int               `json:"decisions"`
	Joined      int               `json:"joined"`
	Accuracy    *float64          `json:"accuracy"`
	MacroF1     *float64          `json:"macro_f1"`
	LogLoss     *float64          `json:"log_loss"`
	Unscored    int               `json:"unscored"`
	ECE         *float64          `json:"ece"`
	Series      []qualityTimeJSON `json:"series"`
	Confusion   confusionJSON     `json:"confusion"`
	Reliability []reliabilityJSON `json:"reliability"`
	Coverage    []coverageJSON    `json:"coverage"`
	Race        *raceJSON         `json:"race"`
	Drift       *httpapi.Drift    `json:"drift"`
	Teachers    []teacherJSON     `json:"teachers"`
}

// scoredJSON is how good the decisions were on records of the stream, before they were learned.
type scoredJSON struct {
	Newest   int64    `json:"newest"` // about so many of the newest; 0: all
	Records  int64    `json:"records"`
	Accuracy float64  `json:"accuracy"`
	LogLoss  float64  `json:"log_loss"`
	ECE      *float64 `json:"ece"` // nil: it is kept of the window of 1,000 alone
}

// teacherJSON is what became of the labels that a name has said.
type teacherJSON struct {
	By        string `json:"by"`
	Labels    int64  `json:"labels"`
	Agreed    int64  `json:"agreed"`    // that somebody else has said then, too
	Corrected int64  `json:"corrected"` // that somebody else has changed
}

// teachersOf returns those who said the most labels first.
func teachersOf(t fold.Teachers) []teacherJSON {
	out := []teacherJSON{}
	for name, n := range t {
		out = append(out, teacherJSON{name, n.Labels, n.Agreed, n.Corrected})
	}
	slices.SortFunc(out, func(a, b teacherJSON) int {
		return cmp.Or(cmp.Compare(b.Labels, a.Labels), cmp.Compare(a.By, b.By))
	})
	return out
}

// scoredOf returns the windows of the stream that have records.
func scoredOf(p *race.Prequential) []scoredJSON {
	out := []scoredJSON{}
	if p == nil || p.Scored == 0 {
		return out
	}
	add := func(newest, records, errors, loss int64) *scoredJSON {
		out = append(out, scoredJSON{Newest: newest, Records: records, Accuracy: 1 - float64(errors)/float64(records),
			LogLoss: float64(loss) / race.Unit / float64(records)})
		return &out[len(out)-1]
	}
	last := &race.Block{}
	for i := len(p.Window) - 1; i >= 0 && last.Scored < fewNewest; i-- {
		last.Scored += p.Window[i].Scored
		last.Decided.Errors += p.Window[i].Decided.Errors
		last.Decided.Loss += p.Window[i].Decided.Loss
	}
	add(fewNewest, last.Scored, last.Decided.Errors, last.Decided.Loss)
	whole := p.Newest()
	add(manyNewest, whole.Scored, whole.Decided.Errors, whole.Decided.Loss).ECE =
		finite(httpapi.Miscalibration(&whole.Decided.Confidence))
	add(0, p.Scored, p.Errors, p.Loss)
	return out
}

type qualityTimeJSON struct {
	Time     time.Time `json:"time"`
	Joined   int       `json:"joined"`
	Accuracy float64   `json:"accuracy"`
	MacroF1  float64   `json:"macro_f1"`
	LogLoss  *float64  `json:"log_loss"`
}

type confusionJSON struct {
	Classes []string   `json:"classes"`
	Cells   []cellJSON `json:"cells"`
}

type cellJSON struct {
	Truth     string   `json:"truth"`
	Label     string   `json:"label"`
	Count     int      `json:"count"`
	Documents []string `json:"documents"`
}

// reliabilityJSON is how often the decisions of a confidence were right.
type reliabilityJSON struct {
	Low        float64  `json:"low"`
	High       float64  `json:"high"`
	Count      int      `json:"count"`
	Confidence *float64 `json:"confidence"`
	Accuracy   *float64 `json:"accuracy"`
}

// coverageJSON is what is left if a person takes what is less sure.
type coverageJSON struct {
	Threshold float64  `json:"threshold"`
	Coverage  float64  `json:"coverage"`
	Accuracy  *float64 `json:"accuracy"`
}

// joined is a decision whose label came later.
type joined struct {
	time         time.Time
	place        string
	truth, label string
	confidence   float64
	loss         *float64 // -ln of the posterior of the truth, at most maxLoss; nil if the decision does not say it
}

const (
	fewNewest  = 100
	manyNewest = 1000
	bins       = 10
	ofCell     = 20
	leastPoint = 10    // decisions of a point
	maxLoss    = 34.54 // -ln 1e-15, as in the metrics of ingest
)

// joinedOf returns the decision with its truth; false: none came, or nothing was decided because
// nothing was learned.
func joinedOf(e *entry) (joined, bool) {
	if e.Truth == nil || e.Label == nil {
		return joined{}, false
	}
	j := joined{time: e.Time, place: e.Place, truth: *e.Truth, label: *e.Label}
	if e.Confidence != nil {
		j.confidence = *e.Confidence
	}
	if p, known := e.posteriorOf(j.truth); known {
		j.loss = new(min(maxLoss, max(0, -math.Log(p))))
	}
	return j, true
}

// posteriorOf returns the posterior of a class. It is not known of a class that may be one of those
// that the decision, or the console, has left out.
func (e *entry) posteriorOf(class string) (p float64, known bool) {
	p, known = e.Posterior[class]
	switch {
	case known:
		return p, true
	case e.Confidence != nil && class == *e.Label:
		return *e.Confidence, true
	case e.Confidence != nil && len(e.Posterior) == 0: // a decision in headers has the confidence alone
		return 1 - *e.Confidence, true
	}
	return 0, e.isWhole // 0 of a class that the model did not know
}

// joinedNow returns the decisions whose label came, oldest first, and how many decisions are
// remembered.
func (c *Console) joinedNow() (list []joined, all int) {
	m := c.memory
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, e := range m.entries {
		if j, ok := joinedOf(e); ok {
			list = append(list, j)
		}
	}
	return list, len(m.entries)
}

// quality answers GET /v1/quality.
func (c *Console) quality(_ *http.Request, q *query) (any, error) {
	points := int(q.integer("points", 120, 10, 500))
	if err := q.check(); err != nil {
		return nil, err
	}
	list, all := c.joinedNow()
	out := judgeAll(list, points)
	out.Decisions = all
	out.Race = c.trend.race()
	c.replica.Read(func(s *fold.State) {
		out.Drift = httpapi.NewDrift(s)
		out.Scored = scoredOf(s.Prequential())
		out.Teachers = teachersOf(s.Teachers())
	})
	return out, nil
}

// judgeAll judges decisions, with curves of so many points.
func judgeAll(list []joined, points int) qualityJSON {
	q := qualityJSON{Scored: []scoredJSON{}, Joined: len(list), Series: []qualityTimeJSON{}, Coverage: []coverageJSON{}}
	q.Confusion = confusionOf(list)
	q.Reliability, q.ECE = reliabilityOf(list)
	if len(list) == 0 {
		return q
	}
	whole, scored := scoreOf(list)
	q.Accuracy, q.MacroF1, q.LogLoss = &whole.Accuracy, &whole.MacroF1, whole.LogLoss
	q.Unscored = len(list) - scored
	each := max(leastPoint, (len(list)+points-1)/points)
	for at := 0; at < len(list); at += each {
		part, _ := scoreOf(list[at:min(at+each, len(list))])
		q.Series = append(q.Series, part)
	}
	q.Coverage = coverageOf(list)
	return q
}

// scoreOf returns the figures of some decisions, and how many of them have a log loss.
func scoreOf(list []joined) (s qualityTimeJSON, scored int) {
	s = qualityTimeJSON{Time: list[len(list)-1].time.UTC(), Joined: len(list)}
	type hits struct{ truth, label, both int }
	by := map[string]*hits{}
	of := func(name string) *hits {
		if by[name] == nil {
			by[name] = &hits{}
		}
		return by[name]
	}
	loss := 0.0
	for _, j := range list {
		if j.loss != nil {
			loss += *j.loss
			scored++
		}
		of(j.truth).truth++
		of(j.label).label++
		if j.truth == j.label {
			s.Accuracy++
			of(j.truth).both++
		}
	}
	n := 0
	for _, h := range by {
		if h.truth > 0 {
			s.MacroF1 += 2 * float64(h.both) / float64(h.truth+h.label)
			n++
		}
	}
	s.MacroF1 /= float64(n)
	s.Accuracy /= float64(len(list))
	s.LogLoss = finite(loss / float64(scored)) // nil without one
	return s, scored
}

// confusionOf counts decisions by truth and label.
func confusionOf(list []joined) confusionJSON {
	out := confusionJSON{Classes: []string{}, Cells: []cellJSON{}}
	at := map[[2]string]int{}
	for _, j := range slices.Backward(list) {
		key := [2]string{j.truth, j.label}
		i, known := at[key]
		if !known {
			i = len(out.Cells)
			at[key] = i
			out.Cells = append(out.Cells, cellJSON{Truth: j.truth, Label: j.label})
		}
		cell := &out.Cells[i]
		cell.Count++
		if len(cell.Documents) < ofCell {
			cell.Documents = append(cell.Documents, j.place)
		}
		for _, name := range key {
			if !slices.Contains(out.Classes, name) {
				out.Classes = append(out.Classes, name)
			}
		}
	}
	slices.Sort(out.Classes)
	slices.SortFunc(out.Cells,
		func(a, b cellJSON) int { return cmp.Or(cmp.Compare(a.Truth, b.Truth), cmp.Compare(a.Label, b.Label)) })
	return out
}

// reliabilityOf returns how confidence and accuracy compare, and the mean difference by bin.
func reliabilityOf(list []joined) ([]reliabilityJSON, *float64) {
	var count, right [bins]int
	var sure [bins]float64
	for _, j := range list {
		i := max(0, min(bins-1, int(math.Ceil(j.confidence*bins))-1))
		count[i]++
		sure[i] += j.confidence
		if j.label == j.truth {
			right[i]++
		}
	}
	out := []reliabilityJSON{}
	ece := 0.0
	for i := range bins {
		r := reliabilityJSON{Low: float64(i) / bins, High: float64(i+1) / bins, Count: count[i]}
		if count[i] > 0 {
			r.Confidence = finite(sure[i] / float64(count[i]))
			r.Accuracy = finite(float64(right[i]) / float64(count[i]))
			ece += math.Abs(sure[i] - float64(right[i]))
		}
		out = append(out, r)
	}
	return out, finite(ece / float64(len(list))) // nil without decisions
}

// coverageOf returns what share of the decisions is above a threshold, and how much of it is right.
func coverageOf(list []joined) []coverageJSON {
	out := []coverageJSON{}
	for _, threshold := range []float64{0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995,
		0.999} {
		above, right := 0, 0
		for _, j := range list {
			if j.confidence >= threshold {
				above++
				if j.label == j.truth {
					right++
				}
			}
		}
		c := coverageJSON{Threshold: threshold, Coverage: float64(above) / float64(len(list))}
		if above > 0 {
			c.Accuracy = finite(float64(right) / float64(above))
		}
		out = append(out, c)
	}
	return out
}
