package status

import (
	"slices"
	"testing"

	"bayestream/internal/shell/httpapi"
)

// Replicas are compared where they stand at one offset, and ledgers where both keep them.
func TestAgree(t *testing.T) {
	digest := func(offset int64, counts, ledger string) *httpapi.Digest {
		d := &httpapi.Digest{Offset: offset, Counts: counts}
		if ledger != "" {
			d.Ledger = &ledger
		}
		return d
	}
	for name, c := range map[string]struct {
		workers []*httpapi.Digest
		want    string
	}{
		"alone":            {nil, "unknown"},
		"another offset":   {[]*httpapi.Digest{digest(4, "other", "")}, "unknown"},
		"no digest":        {[]*httpapi.Digest{nil}, "unknown"},
		"no ledger":        {[]*httpapi.Digest{digest(5, "counts", "")}, "true"},
		"the same":         {[]*httpapi.Digest{digest(5, "counts", "ledger"), digest(4, "other", "")}, "true"},
		"other counts":     {[]*httpapi.Digest{digest(5, "other", ""), digest(5, "counts", "ledger")}, "false"},
		"other ledgers":    {[]*httpapi.Digest{digest(5, "counts", "other")}, "false"},
		"two others, same": {[]*httpapi.Digest{digest(4, "x", ""), digest(4, "x", "")}, "true"},
	} {
		var workers []Worker
		for _, d := range c.workers {
			workers = append(workers, Worker{digest: d})
		}
		got := "unknown"
		if same := Agree(digest(5, "counts", "ledger"), workers); same != nil {
			got = map[bool]string{true: "true", false: "false"}[*same]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestOneOfAKind: a sentence about one letter and one change is in the singular.
func TestOneOfAKind(t *testing.T) {
	s := &Status{Letters: Letters{Total: 1}, Drifts: 1}
	s.Judge()
	for _, want := range []string{"1 dead letter is kept.", "The stream has changed once, on 0001-01-01 00:00."} {
		if !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Says == want }) {
			t.Errorf("it does not say %q: %+v", want, s.Findings)
		}
	}
}
