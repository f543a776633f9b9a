package evaluate

// tracePoints is how many points the trace of a Tracker has at most.
const tracePoints = 512

// Tracker follows the scores of a stream: each document is answered before it is learned, so that
// no score is of a document the model knew, and none is set aside for testing (the prequential way,
// Dawid 1984; Gama, Sebastiao and Rodrigues 2013). It reports the stream from its start and its
// last documents alone, where a model that no longer fits shows first.
//
// Memory is bounded by the window, the trace and the number of classes. What leaves the window is
// taken out of integer sums, so the window's scores are those of its documents to the last digit,
// however long the stream.
type Tracker struct {
	classes classes
	all     agreement
	recent  agreement
	room    int     // of the window
	window  []event // a ring once it is full
	oldest  int
	trace   []Progress
	step    int64 // documents between two points of the trace
}

// event is what the window keeps of a document.
type event struct {
	truth, label int32 // label -1: none
	loss         total
}

// Point is the scores of some documents.
type Point struct {
	N        int64  `json:"n"`
	Accuracy Number `json:"accuracy"`
	LogLoss  Number `json:"log_loss"`
	Kappa    Number `json:"kappa"` // Cohen's: accuracy beyond what always guessing by frequency would give
}

// Progress is where a stream is: all documents so far, and those in the window.
type Progress struct {
	Point
	Window Point `json:"window"`
}

// NewTracker returns a tracker of no documents, with a sliding window of so many.
func NewTracker(window int) *Tracker { return &Tracker{room: window, step: 1} }

// Add scores the next document. The error says why the outcome cannot be scored; nothing has
// changed then.
func (t *Tracker) Add(o *Outcome) error {
	if err := o.check(); err != nil {
		return err
	}
	e := event{truth: int32(t.classes.id(o.Truth)), label: -1, loss: fixed(o.Loss())}
	if o.Label != "" {
		e.label = int32(t.classes.id(o.Label))
	}
	t.all.add(e, len(t.classes.names))
	t.recent.add(e, len(t.classes.names))
	if len(t.window) < t.room {
		t.window = append(t.window, e)
	} else {
		t.recent.remove(t.window[t.oldest])
		t.window[t.oldest] = e
		t.oldest = (t.oldest + 1) % t.room
	}
	if t.all.n%t.step == 0 {
		t.mark()
	}
	return nil
}

// mark adds a point to the trace; a full one keeps every second point from then on.
func (t *Tracker) mark() {
	t.trace = append(t.trace, t.Progress())
	if len(t.trace) < tracePoints {
		return
	}
	t.step *= 2
	kept := t.trace[:0]
	for _, p := range t.trace {
		if p.N%t.step == 0 {
			kept = append(kept, p)
		}
	}
	t.trace = kept
}

// Progress returns where the stream is.
func (t *Tracker) Progress() Progress { return Progress{t.all.point(), t.recent.point()} }

// Trace returns how the stream went: evenly spaced points from the start, and the last document.
func (t *Tracker) Trace() []Progress {
	out := append([]Progress(nil), t.trace...)
	if t.all.n > 0 && (len(out) == 0 || out[len(out)-1].N != t.all.n) {
		out = append(out, t.Progress())
	}
	return out
}

// agreement is what accuracy, log loss and kappa need.
type agreement struct {
	n, hits          int64
	loss             total
	truth, predicted []int64 // by class
}

func (a *agreement) add(e event, classes int) {
	for len(a.truth) < classes {
		a.truth, a.predicted = append(a.truth, 0), append(a.predicted, 0)
	}
	a.count(e, 1)
	a.loss.add(e.loss)
}

func (a *agreement) remove(e event) {
	a.count(e, -1)
	a.loss.subtract(e.loss)
}

func (a *agreement) count(e event, n int64) {
	a.n += n
	a.truth[e.truth] += n
	if e.label >= 0 {
		a.predicted[e.label] += n
	}
	if e.label == e.truth {
		a.hits += n
	}
}

func (a *agreement) point() Point {
	return Point{
		N: a.n, Accuracy: Number(float64(a.hits) / float64(a.n)), LogLoss: Number(a.loss.mean(a.n)),
		Kappa: Number(kappa(a.n, a.hits, dot(a.truth, a.predicted))),
	}
}
