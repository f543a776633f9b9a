package modelfile

import (
	"encoding/binary"
	"errors"

	"bayestream/internal/core/digest"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/lab/dataset"
)

// Sums are digests of the documents of files. They tell whether the documents of two files are the same,
// in whatever order, packing and format they stand, and with whatever ids.
type Sums struct {
	Parts    []digest.Sum // by the part that dataset.Record names; 0: it has no documents
	document []byte       // what add hashes
}

// add adds a document to the digest of its file.
func (s *Sums) add(rec *dataset.Record, weight int64) {
	for len(s.Parts) <= rec.Part {
		s.Parts = append(s.Parts, 0)
	}
	b := appendPart(s.document[:0], []byte(rec.Label))
	for _, segment := range rec.Input.Segments {
		b = appendPart(appendPart(b, []byte(segment.Mark)), segment.Text)
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
	s.document = b
	s.Parts[rec.Part] = s.Parts[rec.Part].Plus(digest.Int(weight).Times(digest.Hash(b)))
}

// appendPart appends the length of a part and the part.
func appendPart(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// Of returns a reader that adds what it reads.
func (s *Sums) Of(r dataset.Reader) dataset.Reader { return &summed{r, s} }

type summed struct {
	dataset.Reader
	sums *Sums
}

func (r *summed) Read(rec *dataset.Record) error {
	err := r.Reader.Read(rec)
	if err == nil {
		r.sums.add(rec, rec.Weight)
	}
	return err
}

// Learned returns the digests of the files that were learned into a model file. It returns none for a
// URL: a worker learns from topics.
func Learned(model string) (known map[digest.Sum]bool, err error) {
	if store.IsURL(model) {
		return nil, nil
	}
	s, err := store.OpenReadOnly(model, lockWait)
	if err != nil {
		return nil, err
	}
	known, err = s.Learned()
	return known, errors.Join(err, s.Close())
}
