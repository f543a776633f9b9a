package model

import "bayestream/internal/race"

// kept are curves of documents, from which their confidences follow once it is known which temper is the best.
type kept struct {
	curves []keptCurve
	nodes  []node // of all of them, one after the other
}

// keptCurve is what one candidate made of one document.
type keptCurve struct {
	known     int // tokens
	candidate int
	right     bool
	end       int // of its nodes
}

// add keeps the curve of a document with so many known tokens.
func (k *kept) add(l *lossCurve, known, candidate int, right bool) {
	k.nodes = append(k.nodes, l.nodes[:l.depth+1]...)
	k.curves = append(k.curves, keptCurve{known, candidate, right, len(k.nodes)})
}

// KeepConfidences has Add and AddHeldOut leave the confidences of decisions out of the sums until AddConfidences is called. In a cross-validation
// the tempers are known only when all parts have been scored, and a calibration of confidences under the tempers of some parts would correct what
// that of all has corrected already.
func (r *RaceScorer) KeepConfidences() { r.later = &kept{} }

// AddConfidences adds to sums the confidences that were kept, under the tempers of a state.
func (r *RaceScorer) AddConfidences(sums *race.Sums, state *race.State) {
	curves := r.later.curves
	if state.Sums().Scored < race.Enough { // they do not tell which temper is the best
		curves = nil
	}
	var l lossCurve
	begin := 0
	known := -1
	for _, c := range curves {
		if c.known != known { // the candidates of a document stand together
			known = c.known
			l.setLength(known)
		}
		l.nodes = r.later.nodes[begin:c.end]
		sums.By[c.candidate].Confidence.Add(l.confidence(state.Temper(c.candidate)), c.right)
		begin = c.end
	}
	r.later = &kept{}
}
