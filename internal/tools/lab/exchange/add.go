package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// sum names what a Counts adds up: the counts of a class in a table, or its documents.
type sum struct {
	table int // of Model.Tables, or model.Corrections
	class string
}

// Of a sum that is of no table of counts.
const (
	documents = -2
	corrected = -3
)

// use sets the spec, or returns an error if it has other counting settings than the first one.
func (c *Counts) use(s *spec.Spec) error {
	if c.Spec == nil {
		c.Spec = s
		c.builder = model.NewBuilder(s)
		c.sums = map[sum]int64{}
		return nil
	}
	if diff := s.CountingDifference(c.Spec); diff != "" {
		return fmt.Errorf("it counts differently than the export before it: %s", diff)
	}
	return nil
}

// addDocuments adds n documents to a class.
func (c *Counts) addDocuments(class string, n int64) error {
	if !c.add(sum{documents, class}, n) {
		return fmt.Errorf("%d documents are more than can be counted", n)
	}
	c.builder.AddDocuments(class, n)
	return nil
}

// addCount adds n to the count of a term in a class.
func (c *Counts) addCount(table int, term []byte, class string, n int64) error {
	if err := counts.CheckTerm(term); err != nil {
		return fmt.Errorf("the term %w", err)
	}
	if !c.add(sum{table, class}, max(n, -n)) {
		return fmt.Errorf("the class would have more than %d tokens", int64(counts.MaxCount))
	}
	c.builder.AddCount(table, class, term, n)
	return nil
}

// addCorrected adds n documents that correct for a class or against it.
func (c *Counts) addCorrected(class string, n int64) error {
	if !c.add(sum{corrected, class}, n) {
		return fmt.Errorf("%d corrections are more than can be counted", n)
	}
	c.builder.AddCorrected(class, n)
	return nil
}

// add adds to a sum unless it would exceed counts.MaxCount.
func (c *Counts) add(of sum, n int64) bool {
	if n > counts.MaxCount-c.sums[of] {
		return false
	}
	c.sums[of] += n
	return true
}

// decimals returns integers as decimal strings: most readers of JSON lose the digits of numbers
// beyond 2^53.
func decimals(list []gaussian.Int192) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.Big().String()
	}
	return out
}

// The largest sum of n numbers, and of n products, divided by n.
var (
	largestSum     = new(big.Int).Lsh(big.NewInt(1), 63)
	largestProduct = new(big.Int).Lsh(big.NewInt(1), 126)
)

// readSums reads the sums of a block. It refuses sums that no rows can have.
func readSums(l *line, s *spec.Numbers) (*gaussian.Sums, error) {
	out := gaussian.NewSums(len(s.Fields), s.Full())
	if len(l.N) != len(out.N) || len(l.Sum) != len(out.Sum) || len(l.Products) != len(out.Products) {
		return nil, fmt.Errorf("%d, %d and %d integers in n, sum and products: want %d, %d and %d",
			len(l.N), len(l.Sum), len(l.Products), len(out.N), len(out.Sum), len(out.Products))
	}
	most := int64(0)
	for i, n := range l.N {
		if n < 0 || n > counts.MaxCount {
			return nil, fmt.Errorf("n is %d: want 0 to %d", n, int64(counts.MaxCount))
		}
		out.N[i] = n
		most = max(most, n)
	}
	rows := big.NewInt(most)
	if err := readDecimals(out.Sum, l.Sum, new(big.Int).Mul(rows, largestSum)); err != nil {
		return nil, fmt.Errorf("sum: %w", err)
	}
	if err := readDecimals(out.Products, l.Products, new(big.Int).Mul(rows, largestProduct)); err != nil {
		return nil, fmt.Errorf("products: %w", err)
	}
	return out, nil
}

func readDecimals(dst []gaussian.Int192, from []string, limit *big.Int) error {
	for i, text := range from {
		v, ok := new(big.Int).SetString(text, 10)
		if len(text) > 60 || !ok {
			return fmt.Errorf("%.60q is no decimal integer", text)
		}
		if v.CmpAbs(limit) > 0 {
			return fmt.Errorf("%s is more than so many rows can add up to", text)
		}
		dst[i] = int192(v)
	}
	return nil
}

// int192 returns v, which fits.
func int192(v *big.Int) gaussian.Int192 {
	var out gaussian.Int192
	word := new(big.Int).Abs(v)
	for i := range out {
		out[i] = new(big.Int).Rsh(word, uint(64*i)).Uint64()
	}
	if v.Sign() < 0 {
		return out.Neg()
	}
	return out
}

// Source returns the pseudo-source under which the counts of a model are imported into a model log.
// Its name, import/<sha256>, is the checksum of the counting fingerprint and the exported counts:
// equal counts are the same source, whatever the spec says about scoring.
func Source(m *model.Model) (fold.Source, error) {
	h := sha256.New()
	counting := m.Spec().Counting()
	_, _ = h.Write(counting[:]) // a hash does not fail
	if err := writeCounts(newEncoder(h), m, nil); err != nil {
		return fold.Source{}, fmt.Errorf("checksum of the counts: %w", err)
	}
	return fold.Import(hex.EncodeToString(h.Sum(nil))), nil
}
