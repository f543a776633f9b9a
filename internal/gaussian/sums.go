package gaussian

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"bayestream/internal/core/digest"
)

// Sums are the sufficient statistics of one class for a block of d fields: the number of rows, the
// sums of x_i, and the sums of x_i x_j. A diagonal block counts each field by itself and keeps the
// squares only; a full block counts rows that have all fields and keeps every product with i <= j.
type Sums struct {
	N        []int64  // rows: by field, or one number in a full block
	Sum      []Int192 // by field, in scales
	Products []Int192 // diagonal: by field; full: (0,0) (0,1) ... (0,d-1) (1,1) ..., in scales squared
}

// NewSums returns the sums of no rows for d fields.
func NewSums(d int, full bool) *Sums {
	if full {
		return &Sums{N: make([]int64, 1), Sum: make([]Int192, d), Products: make([]Int192, d*(d+1)/2)}
	}
	return &Sums{N: make([]int64, d), Sum: make([]Int192, d), Products: make([]Int192, d)}
}

// full reports whether the sums hold all products.
func (s *Sums) full() bool { return len(s.N) != len(s.Sum) || len(s.Products) != len(s.Sum) }

// Observe adds a row w times (negative: takes it out). A missing number leaves out its field in a
// diagonal block and the row in a full one. A block of one field is the same either way.
func (s *Sums) Observe(x []Number, w int64) {
	if s.full() {
		s.observeFull(x, w)
		return
	}
	for i, v := range x {
		if v.Present {
			s.N[i] += w
			s.Sum[i].addProduct(v.Value, 1, w)
			s.Products[i].addProduct(v.Value, v.Value, w)
		}
	}
}

func (s *Sums) observeFull(x []Number, w int64) {
	for _, v := range x {
		if !v.Present {
			return
		}
	}
	s.N[0] += w
	k := 0
	for i := range x {
		s.Sum[i].addProduct(x[i].Value, 1, w)
		for j := i; j < len(x); j++ {
			s.Products[k].addProduct(x[i].Value, x[j].Value, w)
			k++
		}
	}
}

// Add adds other, of the same shape.
func (s *Sums) Add(other *Sums) {
	for i, n := range other.N {
		s.N[i] += n
	}
	for i, v := range other.Sum {
		s.Sum[i].add(v)
	}
	for i, v := range other.Products {
		s.Products[i].add(v)
	}
}

// Plus returns the sum of two of the same shape, which stay as they are. Nil is nothing, and so is what
// two come to that cancel.
func (s *Sums) Plus(other *Sums) *Sums {
	if s == nil || other == nil {
		return cmp.Or(s, other)
	}
	sum := &Sums{N: slices.Clone(s.N), Sum: slices.Clone(s.Sum), Products: slices.Clone(s.Products)}
	sum.Add(other)
	if sum.IsZero() {
		return nil
	}
	return sum
}

// IsZero reports whether nothing is left.
func (s *Sums) IsZero() bool {
	isLeft := func(v Int192) bool { return !v.isZero() }
	return !slices.ContainsFunc(s.N, func(n int64) bool { return n != 0 }) && !slices.ContainsFunc(s.Sum, isLeft) &&
		!slices.ContainsFunc(s.Products, isLeft)
}

// rows returns the number of rows of field i.
func (s *Sums) rows(i int) int64 {
	if len(s.N) == 1 {
		return s.N[0]
	}
	return s.N[i]
}

// product returns the index in Products of the fields i <= j.
func (s *Sums) product(i, j int) int {
	if !s.full() {
		return i
	}
	return i*len(s.Sum) - i*(i-1)/2 + j - i
}

// AppendBytes appends the sums; ReadSums reads them again.
func (s *Sums) AppendBytes(dst []byte) []byte {
	for _, n := range s.N {
		dst = binary.AppendVarint(dst, n)
	}
	for _, v := range s.Sum {
		dst = v.appendBytes(dst)
	}
	for _, v := range s.Products {
		dst = v.appendBytes(dst)
	}
	return dst
}

// ReadSums reads the sums of d fields and refuses bytes that are left over.
func ReadSums(b []byte, d int, full bool) (*Sums, error) {
	s := NewSums(d, full)
	for i := range s.N {
		v, n := binary.Varint(b)
		if n <= 0 {
			return nil, errInt192
		}
		s.N[i] = v
		b = b[n:]
	}
	var err error
	for _, part := range [][]Int192{s.Sum, s.Products} {
		for i := range part {
			if part[i], b, err = readInt192(b); err != nil {
				return nil, err
			}
		}
	}
	if len(b) > 0 {
		return nil, errors.New("bytes after the sums of a block")
	}
	return s, nil
}

// weights are those of the integers of sums: of N, then of Sum, then of Products.
type weights []digest.Sum

// newWeights returns the weights of sums of that shape.
func newWeights(s *Sums) weights {
	var w weights
	for i := range s.N {
		w = append(w, digest.Key("rows", i))
	}
	for i := range s.Sum {
		w = append(w, digest.Key("sum", i))
	}
	for i := range s.Products {
		w = append(w, digest.Key("product", i))
	}
	return w
}

// digest returns the sum of the integers of s, each times its weight.
func (w weights) digest(s *Sums) digest.Sum {
	var sum digest.Sum
	for _, n := range s.N {
		sum = sum.Plus(digest.Int(n).Times(w[0]))
		w = w[1:]
	}
	for _, part := range [][]Int192{s.Sum, s.Products} {
		for _, z := range part {
			sum = sum.Plus(digest.Words(z).Times(w[0]))
			w = w[1:]
		}
	}
	return sum
}
