package race

import "bayestream/internal/core/digest"

// Which documents are scored, and how far behind the model may be that scores them.
const (
	// AllScored is how many documents a model has before only a share of the records is scored, and
	// how many are scored before only a candidate that is clearly better takes the lead.
	AllScored = 2000
	// LeastAhead is how many documents may be learned at once, at least: see MostAhead.
	LeastAhead = 100
	// ShareAhead says that of a larger model one document for so many of it may be.
	ShareAhead = 10
)

// Draws reports whether a document is scored that a model of so many documents learns next: all are
// while it is small and, because it takes time, one in share later, by a hash of the document.
func Draws(documents int64, hash digest.Sum, share int) bool {
	return documents < AllScored || uint64(hash)%uint64(share) == 0
}

// MostAhead returns how many documents may be learned at once. What a new model learns is scored by
// the model as it was before, so that many at once say nothing of its accuracy.
func MostAhead(documents int64) int64 { return max(LeastAhead, documents/ShareAhead) }
