package modelfile

import (
	"encoding/binary"

	"bayestream/internal/core/digest"
	"bayestream/internal/tools/lab/dataset"
)

// sum adds a document to the digest of its file. That tells whether the documents of two files are
// the same, in whatever order, packing and format they stand, and with whatever ids.
func (t *Trainer) sum(rec *dataset.Record, weight int64) {
	for len(t.Sums) <= rec.Part {
		t.Sums = append(t.Sums, 0)
	}
	b := appendPart(t.document[:0], []byte(rec.Label))
	for _, s := range rec.Input.Segments {
		b = appendPart(appendPart(b, []byte(s.Mark)), s.Text)
	}
	for _, x := range rec.Input.Numbers {
		if x.Present {
			b = append(b, 1)
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(x.Value))
	}
	for _, c := range rec.Input.Categories {
		b = appendPart(b, c.Value)
	}
	t.document = b
	t.Sums[rec.Part] = t.Sums[rec.Part].Plus(digest.Int(weight).Times(digest.Hash(b)))
}

// appendPart appends the length of a part and the part.
func appendPart(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}
