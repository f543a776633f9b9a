package codec

import (
	"errors"
	"maps"
	"slices"

	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog/logpb"
)

// talliesProto returns the protobuf form of tallies, by ascending class.
func talliesProto(t race.Tallies) (p []*logpb.Tally) {
	for _, class := range slices.Sorted(maps.Keys(t)) {
		p = append(p, tallyProto(class, t[class]))
	}
	return p
}

func tallyProto(class string, n race.Tally) *logpb.Tally {
	return &logpb.Tally{Class: class, Records: n.Records, Right: n.Right, Decided: n.Decided}
}

// readTallies reads the protobuf form of tallies, without checking the numbers.
func readTallies(p []*logpb.Tally) (race.Tallies, error) {
	t := race.Tallies{}
	for i, n := range p {
		if i > 0 && p[i-1].GetClass() >= n.GetClass() {
			return nil, errors.New("the classes of scores are out of order")
		}
		t[n.GetClass()] = readTally(n)
	}
	return t, nil
}

func readTally(p *logpb.Tally) race.Tally {
	return race.Tally{Records: p.GetRecords(), Right: p.GetRight(), Decided: p.GetDecided()}
}
