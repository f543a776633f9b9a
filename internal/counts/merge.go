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
			i, j = i+1, j+1
		}
	}
	return sum
}

// appendRow appends the i-th row of other.
func (d *Terms) appendRow(other *Terms, i int) {
	from, to := other.Range(i)
	d.Class, d.Count = append(d.Class, other.Class[from:to]...), append(d.Count, other.Count[from:to]...)
	d.endRow(other.Term(i))
}

// appendSum appends the sum of two rows of the same term, if anything is left of it.
func (d *Terms) appendSum(a *Terms, i int, b *Terms, j int) {
	begin := len(d.Class)
	from, to := a.Range(i)
	other, end := b.Range(j)
	for from < to || other < end {
		switch {
		case other == end || from < to && a.Class[from] < b.Class[other]:
			d.Class, d.Count = append(d.Class, a.Class[from]), append(d.Count, a.Count[from])
			from++
		case from == to || b.Class[other] < a.Class[from]:
			d.Class, d.Count = append(d.Class, b.Class[other]), append(d.Count, b.Count[other])
			other++
		default:
			if n := a.Count[from] + b.Count[other]; n != 0 {
				d.Class, d.Count = append(d.Class, a.Class[from]), append(d.Count, n)
			}
			from, other = from+1, other+1
		}
	}
	if len(d.Class) > begin {
		d.endRow(a.Term(i))
	}
}

// endRow makes a row of term of the cells behind the last row.
func (d *Terms) endRow(term []byte) {
	d.Bytes = append(d.Bytes, term...)
	d.Ends, d.Cells = append(d.Ends, uint32(len(d.Bytes))), append(d.Cells, uint32(len(d.Class)))
}
