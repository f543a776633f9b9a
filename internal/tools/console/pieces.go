package console

import (
	"cmp"
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
)

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
	v.Segments = []segmentJSON{}
	for i := range all.Segments {
		if in.Segments[i].Text == nil {
			continue // a field that the document does not have
		}
		v.Segments = append(v.Segments,
			segmentOf(&all, i, in.Segments[i].Lines, l.segmentName(i, len(in.Segments), in.Segments[i].Mark)))
	}
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
	slices.SortFunc(places, func(a,
		b place) int {
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
