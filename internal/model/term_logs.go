package model

import (
	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// rowModel is an event model in which the score of a text is a sum over its tokens.
type rowModel interface {
	// Row sets dst, by class number, to what one occurrence of the term of a row adds to the score.
	Row(dst []float64, t *counts.Table, row int)
}

// With more classes a full row of logarithms takes longer than the few counts of most terms.
const maxRowClasses = 64

// maxTermLogs bounds what is remembered, in numbers: 8 MiB, which are 16,000 terms of 64 classes.
const maxTermLogs = 1 << 20

// termLogs remembers the rows of the terms that a scorer has met since its model changed: a term that comes
// again takes neither its counts nor their logarithms, and a stream has the same terms again and again. It
// serves one model and one lexicon at a time; with others, and when it is full, it starts anew.
type termLogs struct {
	event   rowModel
	table   *counts.Table
	version uint64 // of the model
	lexicon *bow.Lexicon

	classes int
	epoch   uint32    // how often it started anew
	at      []uint64  // by number of the lexicon: epoch<<32 | where the row of the term begins
	logs    []float64 // one row behind the other; the first, of terms that nobody has counted, is zero
}

// use makes l ready for a bag, if it can serve the model at all.
func (l *termLogs) use(m *Model, bag *bow.Bag) bool {
	event, ok := m.event.(rowModel)
	if !ok || m.classes.Cap() > maxRowClasses {
		return false
	}
	full := len(l.logs)+l.classes*bag.Len() > maxTermLogs
	if l.event != event || l.version != m.version || l.lexicon != bag.Lexicon() || full {
		l.event, l.table, l.version, l.lexicon = event, m.text, m.version, bag.Lexicon()
		l.restart(m.classes.Cap())
	}
	if n := l.lexicon.Len(); len(l.at) < n {
		l.at = append(l.at, make([]uint64, n-len(l.at))...)
	}
	return true
}

func (l *termLogs) restart(classes int) {
	if l.epoch++; l.epoch == 0 { // wrapped: old rows would come alive again
		clear(l.at)
		l.epoch = 1
	}
	l.classes = classes
	if l.logs == nil { // at once: rows that are copied when there is no room for more cost more than the memory
		l.logs = make([]float64, 0, min(classes*(l.table.Vocabulary()+1), maxTermLogs))
	}
	l.logs = append(l.logs[:0], make([]float64, classes)...)
}

// appendRows appends, for each distinct term of the bag, where its row begins; 0 for one that no class has
// counted. The finder is asked for those that are new.
func (l *termLogs) appendRows(dst []int32, bag *bow.Bag, finder *counts.Finder) []int32 {
	for i := range bag.Len() {
		at := l.at[bag.Number(i)]
		if uint32(at>>32) != l.epoch {
			at = l.find(bag, i, finder)
		}
		dst = append(dst, int32(uint32(at)))
	}
	return dst
}

// find remembers the row of a term.
func (l *termLogs) find(bag *bow.Bag, i int, finder *counts.Finder) (at uint64) {
	at = uint64(l.epoch) << 32
	if row := finder.Row(l.table, bag, i); row >= 0 {
		begin := len(l.logs)
		l.logs = append(l.logs, l.logs[:l.classes]...)
		l.event.Row(l.logs[begin:], l.table, row)
		at |= uint64(begin)
	}
	l.at[bag.Number(i)] = at
	return at
}

// add adds the score of the bag for each class to dst and returns how many of its tokens are known. rows
// are what appendRows says of the bag. It takes four rows at a time, so that each sum is loaded and stored a
// quarter as often; the order of the additions stays that of the terms.
func (l *termLogs) add(dst []float64, bag *bow.Bag, rows []int32) (known int) {
	dst = dst[:l.classes]
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		n0, row0 := l.counted(bag, rows, i, len(dst))
		n1, row1 := l.counted(bag, rows, i+1, len(dst))
		n2, row2 := l.counted(bag, rows, i+2, len(dst))
		n3, row3 := l.counted(bag, rows, i+3, len(dst))
		known += n0 + n1 + n2 + n3
		x0, x1, x2, x3 := float64(n0), float64(n1), float64(n2), float64(n3)
		for c := range dst {
			dst[c] = dst[c] + x0*row0[c] + x1*row1[c] + x2*row2[c] + x3*row3[c]
		}
	}
	for ; i < len(rows); i++ {
		n, row := l.counted(bag, rows, i, len(dst))
		known += n
		for c := range dst {
			dst[c] += float64(n) * row[c]
		}
	}
	return known
}

// counted returns how often the i-th term of the bag came, 0 if it is not known, and its row.
func (l *termLogs) counted(bag *bow.Bag, rows []int32, i, classes int) (n int, row []float64) {
	at := int(rows[i])
	return int(bag.Count(i)) & (-at >> 63), l.logs[at:][:classes:classes]
}

// appendWeights appends, for the term of each row, what one occurrence says for class a against class b.
func (l *termLogs) appendWeights(dst []float64, rows []int32, a, b int) []float64 {
	for _, at := range rows {
		dst = append(dst, l.logs[int(at)+a]-l.logs[int(at)+b])
	}
	return dst
}
