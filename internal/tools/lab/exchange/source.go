package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
)

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
