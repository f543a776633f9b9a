package model

import "bayestream/internal/core/digest"

// digestKeys are the weights of the parts of a model in its digest.
type digestKeys struct {
	documents digest.Sum
	tables    []digest.Sum // by index of Tables
	numbers   []digest.Sum // by block
}

func newDigestKeys(m *Model) digestKeys {
	k := digestKeys{documents: digest.Key("documents")}
	if m.text != nil {
		k.tables = append(k.tables, digest.Key("text"))
	}
	for i := range m.values {
		k.tables = append(k.tables, digest.Key("values", i))
	}
	for i := range m.numbers {
		k.numbers = append(k.numbers, digest.Key("numbers", i))
	}
	return k
}

// Digest returns the digest of all counts: models of specs that count alike have the same one if
// their counts are equal to the integer, and another one otherwise. Two models that are added have
// the sum of theirs. After counts were restored it is valid from Prepare on.
func (m *Model) Digest() digest.Sum {
	if m.corrections == nil {
		return m.digest
	}
	return m.digest.Plus(m.corrections.Digest())
}

// digestOf returns what the classes with those numbers add to the digest.
func (m *Model) digestOf(ids []int) digest.Sum {
	var sum digest.Sum
	for _, id := range ids {
		sum = sum.Plus(m.classDigest(id).Times(digest.HashString(m.classes.Name(id))))
	}
	return sum
}

// classDigest returns the digest of the counts of a class, which does not depend on its name.
func (m *Model) classDigest(id int) digest.Sum {
	sum := digest.Int(m.classes.Documents(id)).Times(m.keys.documents)
	for i, t := range m.tables {
		sum = sum.Plus(t.Digest(id).Times(m.keys.tables[i]))
	}
	for i := range m.numbers {
		sum = sum.Plus(m.numbers[i].Digest(id).Times(m.keys.numbers[i]))
	}
	return sum
}
