package recount

import (
	"hash/crc32"
	"slices"
)

// void is a control that takes the records [from, to) out of the log, as if they had never been there.
type void struct{ at, from, to int64 }

// voidsOf returns the voids that are in force: those that name records of the log, and are not taken out themselves by one
// behind them.
func voidsOf(log []*Entry) []void {
	var voids []void
	for at := len(log) - 1; at >= 0; at-- {
		v := log[at].record.GetControl().GetVoid()
		if v == nil || !v.GetRecount() || v.GetFrom() >= v.GetTo() || v.GetTo() > int64(at) || covered(voids, int64(at)) {
			continue
		}
		if log[v.GetFrom()].sum == v.GetFirstCrc() && log[v.GetTo()-1].sum == v.GetLastCrc() {
			voids = append(voids, void{int64(at), v.GetFrom(), v.GetTo()})
		}
	}
	return voids
}

func sum(value []byte) uint32 { return crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)) }

func covered(voids []void, at int64) bool {
	return slices.ContainsFunc(voids, func(v void) bool { return v.from <= at && at < v.to })
}

func isIn(voids []void, at int64) bool {
	return slices.ContainsFunc(voids, func(v void) bool { return v.at == at })
}
