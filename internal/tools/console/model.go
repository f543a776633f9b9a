package console

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/worker"
)

// modelJSON is the model as the replica of the console has it.
type modelJSON struct {
	httpapi.Model

	Behind   int64       `json:"behind"`
	Blocks   []blockJSON `json:"blocks"`
	Race     *raceJSON   `json:"race"`
	Window   *windowJSON `json:"window"`
	Problems []string    `json:"problems"`
	Size     []sizeJSON  `json:"size"`
}

// blockJSON is a part of the spec that votes.
type blockJSON struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Fields []string `json:"fields"`
	Detail string   `json:"detail"`
}

type sizeJSON struct {
	Time       time.Time `json:"time"`
	Documents  int64     `json:"documents"`
	Vocabulary int       `json:"vocabulary"`
}

// model answers GET /v1/model.
func (c *Console) model(*http.Request) (any, error) {
	out := modelJSON{Problems: []string{}, Size: c.trend.sizes(), Race: c.trend.race()}
	_, out.Behind = c.replica.Freshness()
	out.Behind = max(0, out.Behind)
	err := errNoSpec
	c.replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			return
		}
		err = nil
		out.Model = *httpapi.NewModel(s)
		out.Window = windowOf(s, out.Model.Window)
		out.Blocks = blocksOf(s.Model())
		out.Problems = append(out.Problems, s.Model().Problems()...)
	})
	return out, err
}

// blocksOf returns the parts of a spec that vote.
func blocksOf(m *model.Model) []blockJSON {
	s := m.Spec()
	out := []blockJSON{}
	if s.Text != nil {
		b := blockJSON{"text", s.Text.Likelihood, texts(s.TextFields()), fmt.Sprintf("alpha %v", s.Text.Alpha)}
		if s.Race != nil {
			b.Kind, b.Detail = "race", fmt.Sprintf("%d candidates", len(s.Race.Candidates))
		}
		out = append(out, b)
	}
	for i := range s.Numbers {
		out = append(out, blockJSON{m.NumbersName(i), s.Numbers[i].Likelihood, s.Numbers[i].Fields, ""})
	}
	for _, i := range s.ShownTables() {
		b := blockJSON{Name: m.ValuesName(i), Kind: "categorical"}
		switch c, h := s.ValueTable(i); {
		case c != nil:
			b.Fields, b.Detail = []string{c.Field}, fmt.Sprintf("alpha %v", c.Alpha)
		case h != nil:
			b.Kind, b.Fields, b.Detail = "histogram", []string{h.Field}, fmt.Sprintf("%d bins from %v to %v", h.Bins, h.From,
				h.To)
		default:
			b.Fields, b.Detail = texts(s.TextFields()), tableField(s, i)
		}
		out = append(out, b)
	}
	return out
}

// Bounds on what is kept through time.
const (
	mostSizes   = 200
	mostFollow  = 200 // terms whose counts are kept
	mostCounted = 120 // points of each
)

// trend is how the model changed, as this console saw it.
type trend struct {
	mu    sync.Mutex
	size  []sizeJSON
	terms worker.Newest[string, *termTrend]
	raced raceTrend
}

func newTrend() *trend { return &trend{terms: worker.Newest[string, *termTrend]{Most: mostFollow}} }

// termTrend are the counts of a term through time, by class.
type termTrend []termPoint

type termPoint struct {
	at     time.Time
	offset int64
	counts map[string]int64
}

// note adds a point if the model has changed.
func (t *trend) note(now time.Time, replica *modellog.Replica) {
	t.mu.Lock()
	defer t.mu.Unlock()
	replica.Read(func(s *fold.State) {
		m := s.Model()
		if m == nil {
			return
		}
		t.raced.note(now, s)
		p := sizeJSON{Time: now.UTC(), Documents: m.Classes().Total()}
		if m.Text() != nil {
			p.Vocabulary = m.Text().Vocabulary()
		}
		if n := len(t.size); n == 0 || t.size[n-1].Documents != p.Documents || t.size[n-1].Vocabulary != p.Vocabulary {
			t.size = thin(append(t.size, p), mostSizes)
		}
		for term, x := range t.terms.All {
			x.note(now, s, m, term)
		}
	})
}

// note adds a point if the counts of a term have changed.
func (x *termTrend) note(now time.Time, s *fold.State, m *model.Model, term string) {
	p := termPoint{now.UTC(), s.Next() - 1, map[string]int64{}}
	same := len(*x) > 0
	for _, n := range countsOf(m.Classes(), m.Text(), []byte(term)) {
		p.counts[n.Class] = n.Count
		same = same && (*x)[len(*x)-1].counts[n.Class] == n.Count
	}
	if !same {
		*x = thin(append(*x, p), mostCounted)
	}
}

// thin leaves out every second of the older points when there are too many.
func thin[T any](points []T, most int) []T {
	if len(points) <= most {
		return points
	}
	out := points[:0]
	for i, p := range points {
		if i%2 == 0 || i == len(points)-1 {
			out = append(out, p)
		}
	}
	return out
}

func (t *trend) sizes() []sizeJSON {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]sizeJSON{}, t.size...)
}

// follow returns the points of a term, and keeps its counts from now on.
func (t *trend) follow(now time.Time, replica *modellog.Replica, term string) []termPoint {
	t.mu.Lock()
	defer t.mu.Unlock()
	x, known := t.terms.Get(term)
	if !known {
		x = &termTrend{}
	}
	t.terms.Put(term, x)
	replica.Read(func(s *fold.State) {
		if m := s.Model(); m != nil && m.Text() != nil {
			x.note(now, s, m, term)
		}
	})
	return slices.Clone(*x)
}

// noClass refuses a class that has no documents.
func noClass(name string) error {
	return httpapi.Refusef(http.StatusNotFound, "no_class", "no class %q has documents", name)
}

// errNoText refuses a call about words where the model reads no text.
var errNoText = httpapi.Refusef(http.StatusNotFound, "no_text", "the model reads no text, so it has no words")

// windowJSON is what stays counted of the stream.
type windowJSON struct {
	httpapi.ModelWindow

	Inside     int                   `json:"inside"` // documents
	Partitions []windowPartitionJSON `json:"partitions"`
}

// windowPartitionJSON is what the window holds of a partition. The times are null where the window
// counts documents.
type windowPartitionJSON struct {
	Topic     string     `json:"topic"`
	Partition int        `json:"partition"`
	Inside    int        `json:"inside"`
	Oldest    *time.Time `json:"oldest"`
	Newest    *time.Time `json:"newest"`
}

// windowOf returns what the window of a state with ledgers holds; says is nil if its spec has none.
func windowOf(s *fold.State, says *httpapi.ModelWindow) *windowJSON {
	if says == nil {
		return nil
	}
	out := &windowJSON{ModelWindow: *says, Partitions: []windowPartitionJSON{}}
	for _, src := range s.Sources() {
		ledger := s.Ledger(src)
		p := windowPartitionJSON{Topic: src.Topic, Partition: int(src.Partition), Inside: ledger.Inside()}
		if s.Spec().Limits.Window.Records == 0 && p.Inside > 0 {
			progress, _ := s.Progress(src)
			p.Oldest = new(time.UnixMilli(ledger.Oldest(fold.BeforeAll, 1)[0].Time).UTC())
			p.Newest = new(time.UnixMilli(progress.Newest).UTC())
		}
		out.Inside += p.Inside
		out.Partitions = append(out.Partitions, p)
	}
	return out
}

// raceJSON is how the candidates of a spec do.
type raceJSON struct {
	Leader     string              `json:"leader"`
	Candidates []raceCandidateJSON `json:"candidates"`
	Series     []raceTimeJSON      `json:"series"`
}

type raceCandidateJSON struct {
	Name      string   `json:"name"`
	Errors    int64    `json:"errors"`
	Cost      float64  `json:"cost,omitzero"` // of the decisions by the losses of the spec; absent where it names none
	LogLoss   *float64 `json:"log_loss"`
	Documents int64    `json:"documents"`
}

type raceTimeJSON struct {
	Time    time.Time  `json:"time"`
	LogLoss []*float64 `json:"log_loss"`
}

const mostRaced = 200 // points

// raceTrend is how the candidates of a race did, as this console saw it.
type raceTrend struct {
	table  *race.Table // the newest; nil: no candidates race
	scored int64       // of the last point
	series []raceTimeJSON
}

// note adds a point if records were scored since the last one. Another list of candidates starts
// the trend over.
func (x *raceTrend) note(now time.Time, s *fold.State) {
	t := s.Race().Table()
	if t == nil || !slices.Equal(namesOf(t), namesOf(x.table)) {
		*x = raceTrend{}
	}
	x.table = t
	if t == nil || t.Scored == 0 || t.Scored == x.scored {
		return
	}
	x.scored = t.Scored
	p := raceTimeJSON{Time: now.UTC(), LogLoss: []*float64{}}
	for i := range t.Candidates {
		p.LogLoss = append(p.LogLoss, finite(t.Candidates[i].Loss))
	}
	x.series = thin(append(x.series, p), mostRaced)
}

// namesOf returns the candidates of a race.
func namesOf(t *race.Table) (names []string) {
	if t == nil {
		return nil
	}
	for i := range t.Candidates {
		name := t.Candidates[i].Candidate
		if t.Candidates[i].Shadow {
			name += " (shadow)"
		}
		names = append(names, name)
	}
	return names
}

// race returns how the candidates of the spec do; nil: it names none.
func (t *trend) race() *raceJSON {
	t.mu.Lock()
	defer t.mu.Unlock()
	table := t.raced.table
	if table == nil {
		return nil
	}
	out := &raceJSON{Leader: table.Leader.Candidate, Candidates: []raceCandidateJSON{},
		Series: append([]raceTimeJSON{}, t.raced.series...)}
	for i, name := range namesOf(table) {
		c := raceCandidateJSON{Name: name, Errors: table.Candidates[i].Errors, Cost: table.Candidates[i].Cost,
			Documents: table.Scored}
		if table.Scored > 0 {
			c.LogLoss = finite(table.Candidates[i].Loss)
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}
