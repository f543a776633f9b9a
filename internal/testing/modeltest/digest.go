package modeltest

import (
	"math/big"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/gaussian"
)

// PlainDigest computes the digest of a model from its counts, one by one, in the integers of
// math/big.
func PlainDigest(m *model.Model) digest.Sum {
	sum := new(big.Int)
	add := func(n *big.Int, weights ...digest.Sum) {
		product := new(big.Int).Set(n)
		for _, w := range weights {
			product.Mul(product, new(big.Int).SetUint64(uint64(w)))
		}
		sum.Add(sum, product)
	}
	class := func(id int) digest.Sum { return digest.HashString(m.Classes().Name(id)) }
	for id := range m.Classes().Cap() {
		add(big.NewInt(m.Classes().Documents(id)), class(id), digest.Key("documents"))
		for i := range m.Spec().Numbers {
			if sums := m.Numbers(i).Sums(id); sums != nil {
				addSums(sums, func(n *big.Int, name string, place int) {
					add(n, class(id), digest.Key("numbers", i), digest.Key(name, place))
				})
			}
		}
	}
	keys := []digest.Sum{digest.Key("text")}
	if m.Text() == nil {
		keys = nil
	}
	for i := range m.Spec().ValueTables() {
		keys = append(keys, digest.Key("values", i))
	}
	for i, table := range m.Tables() {
		for term, cells := range table.Rows {
			for _, c := range cells {
				add(big.NewInt(c.Count()), class(c.Class()), keys[i], digest.Hash(term))
			}
		}
	}
	if of := m.Corrections(); of != nil {
		for id := range of.Classes.Cap() {
			add(big.NewInt(of.Classes.Documents(id)), digest.HashString(of.Classes.Name(id)), digest.Key("corrected"))
		}
		for term, cells := range of.Table.Rows {
			for _, c := range cells {
				class := digest.HashString(of.Classes.Name(c.Class()))
				add(big.NewInt(c.Count()), class, digest.Key("corrections"), digest.Hash(term))
			}
		}
	}
	modulus := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 61), big.NewInt(1))
	return digest.Sum(sum.Mod(sum, modulus).Uint64())
}

// addSums calls add with each integer of the sums of a class, and with its place.
func addSums(s *gaussian.Sums, add func(n *big.Int, name string, place int)) {
	for i, n := range s.N {
		add(big.NewInt(n), "rows", i)
	}
	for i, z := range s.Sum {
		add(z.Big(), "sum", i)
	}
	for i, z := range s.Products {
		add(z.Big(), "product", i)
	}
}

// Bigs returns the integers of sums.
func Bigs(list []gaussian.Int192) (out []*big.Int) {
	for _, x := range list {
		out = append(out, x.Big())
	}
	return out
}
