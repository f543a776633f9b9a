package console

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"bayestream/internal/bow"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

// Bounds on what is shown of a message.
const (
	mostSteps = 200   // of a waterfall; the others are in the rest
	mostTerms = 2000  // of a text
	mostRunes = 32768 // of a segment
)

// contrast says which classes a waterfall compares: by default the label and the runner-up.
type contrast struct{ class, against string }

// look returns a document as the model of the state sees it.
func (l *lens) look(state *fold.State, in *model.Input, id string, pair contrast) *viewJSON {
	x := l.lanes.Get().(*model.Lane)
	defer l.lanes.Put(x)
	m := state.Model()
	first := x.Decide(m, state.Next()-1, in, id, model.Options{})
	d := compared(x, pair)
	x.Extractor.SetWords(&d, in)
	v := &viewJSON{Decision: decisionOf(first, id), Numbers: numbersOf(m, in, &d),
		Values: valuesOf(m, &x.Features, &d), Flip: flipOf(&d)}
	if pair != (contrast{}) {
		v.Compared = decisionOf(&d, id)
	}
	l.text(v, x, in, &d)
	return v
}

// decisionOf returns a copy of a decision with as much evidence as is shown. The others are in the
// rest.
func decisionOf(d *model.Decision, id string) *wire.Decision {
	short := *d
	short.Evidence = d.Evidence[:min(len(d.Evidence), mostSteps)]
	for i := len(short.Evidence); i < len(d.Evidence); i++ {
		short.Rest += d.Evidence[i].Weight
	}
	return &wire.Decision{ID: id, Decision: *short.Clone()}
}

// judge passes on the decision of the state on a document.
func (l *lens) judge(state *fold.State, in *model.Input, id string, evidence int, then func(*model.Decision)) {
	x := l.lanes.Get().(*model.Lane)
	defer l.lanes.Put(x)
	then(x.Decide(state.Model(), state.Next()-1, in, id, model.Options{Evidence: evidence}))
}

// compared returns the decision with the evidence of the classes that are asked for.
func compared(x *model.Lane, want contrast) model.Decision {
	d := x.Decision
	if want == (contrast{}) || !d.HasMargin {
		return d
	}
	class, against := cmp.Or(want.class, d.Label), cmp.Or(want.against, d.RunnerUp)
	if class == against && want.against == "" {
		against = d.Label
	}
	if other, ok := x.Scorer.Contrast(&d, &x.Features, class, against, model.Options{}); ok {
		return other
	}
	return d
}

// flipOf returns the fewest terms without which the runner-up would win; nil if all of them are not
// enough. The weights of the terms add up, so that the largest come first.
func flipOf(d *model.Decision) *flipJSON {
	if !d.HasMargin || math.IsInf(d.Margin, 0) || d.Margin < 0 {
		return nil
	}
	f := &flipJSON{Label: d.RunnerUp, Margin: d.Margin}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		if e.Term == "" || !(e.Weight > 0) {
			continue
		}
		f.Without = append(f.Without, e.Word())
		f.Words += e.Count
		f.Margin -= e.Weight
		if f.Margin < 0 {
			f.Margin = -f.Margin
			return f
		}
	}
	return nil
}

// lens is how records are read and scored under a spec. Any number of goroutines may use it.
type lens struct {
	spec    *spec.Spec
	decoder *wire.Decoder
	hashed  bool      // the terms have a key, which the console lacks
	lanes   sync.Pool // of *model.Lane
}

// errNoSpec says that nothing is known of how records are read.
var errNoSpec = fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)

// lens returns the one of the spec in force.
func (c *Console) lens() (*lens, error) {
	var s *spec.Spec
	c.replica.Read(func(state *fold.State) { s = state.Spec() })
	if s == nil {
		return nil, errNoSpec
	}
	if l := c.looks.Load(); l != nil && l.spec == s {
		return l, nil
	}
	l, err := c.newLens(s)
	if err == nil {
		c.looks.Store(l)
	}
	return l, err
}

func (c *Console) newLens(s *spec.Spec) (*lens, error) {
	l := &lens{spec: s, decoder: wire.NewDecoder(wire.SchemaOf(s))}
	keyed, err := s.WithKey(c.options.Key)
	if errors.As(err, new(*spec.KeyError)) {
		l.hashed = true
		return l, nil
	}
	if err == nil {
		_, err = model.NewLane(keyed)
	}
	if err != nil {
		return nil, err
	}
	l.lanes.New = func() any {
		lane, err := model.NewLane(keyed)
		if err != nil {
			panic(err) // it was made before
		}
		return lane
	}
	return l, nil
}

// text sets the terms of a view, and the text in pieces with the terms that stand there.
func (l *lens) text(v *viewJSON, x *model.Lane, in *model.Input, d *model.Decision) {
	weights := make(map[uint32]float64, len(d.Evidence))
	for i := range d.Evidence {
		if d.Evidence[i].Term != "" {
			weights[d.Evidence[i].Number] = d.Evidence[i].Weight
		}
	}
	all := allTerms(&x.Features.Bag, weights)
	x.Extractor.SetWords(&all, in)
	x.Extractor.SetSpans(&all, in)
	v.Terms = make([]termJSON, 0, len(all.Evidence))
	for i := range all.Evidence {
		e := &all.Evidence[i]
		t := termJSON{Term: strings.Clone(e.Term), As: texts(slices.Clone(e.As)), Count: e.Count}
		if w, known := weights[e.Number]; known {
			t.Known = true
			t.Weight = finite(w)
			t.Plain = finite(w / d.Temper)
		}
		v.Terms = append(v.Terms, t)
	}
	v.Segments = l.segments(&all, in)
}

// segments returns the parts of a text in pieces.
func (l *lens) segments(d *model.Decision, in *model.Input) []segmentJSON {
	out := []segmentJSON{}
	for i, s := range in.Segments {
		if s.Text != nil { // else a field that the document does not have
			out = append(out, segmentOf(d, i, s.Lines, l.segmentName(i, len(in.Segments), s.Mark)))
		}
	}
	return out
}

// allTerms returns a decision whose evidence is all terms of the document, the unknown ones last.
func allTerms(bag *bow.Bag, weights map[uint32]float64) (d model.Decision) {
	for i := range bag.Len() {
		d.Evidence = append(d.Evidence, model.Evidence{Term: bag.Name(i), Number: bag.Number(i), Count: int(bag.Count(i))})
	}
	size := func(e model.Evidence) float64 {
		w, known := weights[e.Number]
		if !known {
			return -1
		}
		return max(w, -w)
	}
	slices.SortStableFunc(d.Evidence, func(a, b model.Evidence) int { return cmp.Compare(size(b), size(a)) })
	d.Evidence = d.Evidence[:min(len(d.Evidence), mostTerms)]
	return d
}

// segmentName returns what a part of the text is called.
func (l *lens) segmentName(i, n int, mark string) string {
	if fields := l.spec.TextFields(); len(fields) == n && l.spec.IsJSON() {
		return fields[i]
	}
	return cmp.Or(strings.TrimSuffix(mark, ":"), "text")
}

// place is where a term is in a segment, in characters.
type place struct{ start, end, term int }

// segmentOf cuts a segment into pieces at the ends of the terms.
func segmentOf(d *model.Decision, i int, lines bool, name string) segmentJSON {
	s := segmentJSON{Name: name, Mark: d.Segments[i].Mark, Lines: lines, Pieces: []pieceJSON{}}
	runes := []rune(string(d.Segments[i].Text))
	if len(runes) > mostRunes {
		s.Cut = len(string(runes[mostRunes:]))
		runes = runes[:mostRunes]
	}
	var places []place
	cuts := []int{0, len(runes)}
	for t := range d.Evidence {
		for _, span := range d.Evidence[t].Spans {
			if span.Segment == i && span.Start < len(runes) {
				p := place{span.Start, min(span.End, len(runes)), t}
				places = append(places, p)
				cuts = append(cuts, p.start, p.end)
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.term, b.term))
	})
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var open []place
	for k := 0; k+1 < len(cuts); k++ {
		open = slices.DeleteFunc(open, func(p place) bool { return p.end <= cuts[k] })
		for len(places) > 0 && places[0].start <= cuts[k] {
			open = append(open, places[0])
			places = places[1:]
		}
		piece := pieceJSON{Text: string(runes[cuts[k]:cuts[k+1]]), Terms: []int{}}
		for _, p := range open {
			piece.Terms = append(piece.Terms, p.term)
		}
		s.Pieces = append(s.Pieces, piece)
	}
	return s
}
