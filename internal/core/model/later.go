package model

import "bayestream/internal/core/race"

// kept are curves of documents, from which their confidences follow once it is known which temper is the best. They are in blocks, because one
// slice that grows would be copied again and again.
type kept []keptBlock

type keptBlock struct {
	curves []keptCurve
	nodes  []node // of all of them, one after the other
}

// keptCurve is what one candidate made of one document.
type keptCurve struct {
	known     int32 // tokens
	candidate int16
	right     bool
	end       int32 // of its nodes
}

// keptNodes is how many nodes a block has room for: 200 kB.
const keptNodes = 1 << 13

// add keeps the curve of a document with so many known tokens.
func (k *kept) add(l *lossCurve, known, candidate int, right bool) {
	nodes := l.nodes[:l.depth+1]
	last := len(*k) - 1
	if last < 0 || len((*k)[last].nodes)+len(nodes) > keptNodes {
		*k = append(*k, keptBlock{nodes: make([]node, 0, max(keptNodes, len(nodes)))})
		last++
	}
	b := &(*k)[last]
	b.nodes = append(b.nodes, nodes...)
	b.curves = append(b.curves, keptCurve{int32(known), int16(candidate), right, int32(len(b.nodes))})
}

// KeepConfidences has Add and AddHeldOut leave the confidences of decisions out of the sums until AddConfidences is called. In a cross-validation
// the tempers are known only when all parts have been scored, and a calibration of confidences under the tempers of some parts would correct what
// that of all has corrected already.
func (r *RaceScorer) KeepConfidences() { r.later = &kept{} }

// AddConfidences adds to sums the confidences that were kept, under the tempers of a state.
func (r *RaceScorer) AddConfidences(sums *race.Sums, state *race.State) {
	if state.Sums().Scored >= race.Enough { // else they do not tell which temper is the best
		var l lossCurve
		for i := range *r.later {
			(*r.later)[i].addConfidences(&l, sums, state)
		}
	}
	r.later = &kept{}
}

func (b *keptBlock) addConfidences(l *lossCurve, sums *race.Sums, state *race.State) {
	begin := int32(0)
	known := int32(-1)
	for _, c := range b.curves {
		if c.known != known { // the candidates of a document stand together
			known = c.known
			l.setLength(int(known))
		}
		l.nodes = b.nodes[begin:c.end]
		candidate := int(c.candidate)
		sums.By[candidate].Confidence.Add(l.confidence(state.Temper(candidate)), c.right)
		begin = c.end
	}
}
