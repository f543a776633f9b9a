package ingest

import (
	"math"
	"strings"

	"bayestream/internal/fold"
	"bayestream/internal/httpapi"
	"bayestream/internal/model"
	"bayestream/internal/modellog"
)

// prequential measures the running accuracy of the model on documents that it has not learned yet (prequential
// evaluation, Dawid 1984).
type prequential struct {
	scorer   *model.Scorer
	decision model.Decision
	metrics  *httpapi.Metrics
}

// minProbability clips the log loss of a class that has no documents.
const minProbability = 1e-15

// score decides on a document by the model as it is before the delta in the making. A nil document is none.
func (q *prequential) score(epoch modellog.Epoch, learned *sample) {
	if learned == nil {
		return
	}
	d := &q.decision
	holds := epoch.Read(func(s *fold.State) {
		q.scorer.Decide(d, s.Model(), learned.features, "", model.Options{Evidence: -1})
	})
	if !holds || len(d.Classes) == 0 {
		return
	}
	loss := -math.Log(minProbability)
	for _, c := range d.Classes {
		if c.Name == learned.label {
			loss = min(loss, -c.LogPosterior)
		}
	}
	q.metrics.Prequential(strings.Clone(learned.label), d.Label, d.Posterior(), loss)
}
