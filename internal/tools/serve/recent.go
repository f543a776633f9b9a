package serve

import (
	"encoding/json"
	"net/http"
	"sync"

	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// recent has the places of the last documents, which classify may not have written a decision on
// yet: until then ingest does not find them by their ids.
type recent struct {
	mu      sync.Mutex
	offsets worker.Newest[string, int64] // by id
}

const mostRecent = 10_000

func newRecent() *recent { return &recent{offsets: worker.Newest[string, int64]{Most: mostRecent}} }

func (r *recent) add(id string, offset int64) {
	if id == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offsets.Put(id, offset)
}

// source returns where a document is, nil if it is none of the last.
func (r *recent) source(id string) *wire.Ref {
	r.mu.Lock()
	defer r.mu.Unlock()
	offset, known := r.offsets.Get(id)
	if !known {
		return nil
	}
	return &wire.Ref{Topic: documents, Offset: offset}
}

// named passes corrections on, with the source of a document that is one of the last.
func (r *recent) named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if body, ok := readBody(w, q); ok {
			setBody(q, r.name(body))
			next.ServeHTTP(w, q)
		}
	})
}

// name returns the body of a correction with the source.
func (r *recent) name(body []byte) []byte {
	c, err := wire.ReadCorrection(body)
	if err != nil || c.Record != nil || c.Source != nil {
		return body
	}
	source := r.source(c.ID)
	if source == nil {
		return body
	}
	named := map[string]*string{"id": &c.ID, "label": &c.Label}
	if c.Forget {
		named["label"] = nil
	}
	place := source.String()
	named["source"] = &place
	body, err = json.Marshal(named)
	if err != nil {
		panic(err) // strings
	}
	return body
}
