package counts

import "bytes"

// merge returns the sum of two differences.
func merge(a, b *Terms) (sum Terms) {
	for i, j := 0, 0; i < a.Len() || j < b.Len(); {
		order := 0
		switch {
		case i == a.Len():
			order = 1
		case j == b.Len():
			order = -1
		default:
			order = bytes.Compare(a.Term(i), b.Term(j))
		}
		switch {
		case order < 0:
			sum.appendRow(a, i)
			i++
		case order > 0:
			sum.appendRow(b, j)
			j++
		default:
			sum.appendSum(a, i, b, j)
			i++
			j++
		}
	}
	return sum
}

// appendRow appends the i-th row of other.
func (d *Terms) appendRow(other *Terms, i int) {
	from, to := other.Range(i)
	d.Class = append(d.Class, other.Class[from:to]...)
	d.Count = append(d.Count, other.Count[from:to]...)
	d.endRow(other.Term(i))
}

// appendSum appends the sum of two rows of the same term, unless it is zero in every class.
func (d *Terms) appendSum(a *Terms, i int, b *Terms, j int) {
	begin := len(d.Class)
	x, endX := a.Range(i)
	y, endY := b.Range(j)
	for x < endX || y < endY {
		switch {
		case y == endY || x < endX && a.Class[x] < b.Class[y]:
			d.appendCell(a.Class[x], a.Count[x])
			x++
		case x == endX || b.Class[y] < a.Class[x]:
			d.appendCell(b.Class[y], b.Count[y])
			y++
		default:
			d.appendCell(a.Class[x], a.Count[x]+b.Count[y])
			x++
			y++
		}
	}
	if len(d.Class) > begin {
		d.endRow(a.Term(i))
	}
}

// appendCell appends a cell, unless its count is zero.
func (d *Terms) appendCell(class uint32, n int64) {
	if n != 0 {
		d.Class = append(d.Class, class)
		d.Count = append(d.Count, n)
	}
}

// endRow makes a row of term of the cells after the last row.
func (d *Terms) endRow(term []byte) {
	d.Bytes = append(d.Bytes, term...)
	d.Ends = append(d.Ends, uint32(len(d.Bytes)))
	d.Cells = append(d.Cells, uint32(len(d.Class)))
}
