package httpapi

import (
	"net/http"

	"bayestream/internal/core/digest"
)

// Digest is the answer of GET /v1/digest. Workers that are at the same offset of the model log have
// the same digests, or one of them is wrong.
type Digest struct {
	Offset int64   `json:"offset"`           // of the last record that was folded; -1: none
	Counts string  `json:"counts"`           // 16 hexadecimal digits
	Ledger *string `json:"ledger,omitempty"` // of all ledgers; absent: the worker keeps none
}

// NewDigest returns the digest after an offset of the log; ledger is nil where no ledgers are kept.
func NewDigest(offset int64, counts digest.Sum, ledger *digest.Sum) Digest {
	d := Digest{Offset: offset, Counts: counts.String()}
	if ledger != nil {
		text := ledger.String()
		d.Ledger = &text
	}
	return d
}

func (s *Server) digest(w http.ResponseWriter, _ *http.Request) {
	if s.options.Digest == nil {
		Fail(w, http.StatusNotFound, "not_offered", "this worker keeps no counts")
		return
	}
	Answer(w, http.StatusOK, s.options.Digest())
}
