package httpapi

import (
	"fmt"
	"net/http"
)

// decision answers GET /v1/decisions/{id}. What it says of a document is as private as a label: who
// may write labels may read it.
func (s *Server) decision(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	switch {
	case s.options.Decision == nil:
		Fail(w, http.StatusNotFound, "not_offered", "this worker makes no decisions: ask one that runs classify")
		return
	case !isOwn(r):
		Fail(w, http.StatusForbidden, "cross_site", "a page of another site asks for this decision: ask from a program, or "+
			"from a page of this worker's own address")
		return
	case !s.mayAsk(w, r):
		return
	case r.URL.RawQuery != "":
		Fail(w, http.StatusBadRequest, "bad_request", "there are no query parameters: leave "+
			"them out, the id is the end of the path")
		return
	}
	decision, found := s.options.Decision(id)
	if !found {
		Fail(w, http.StatusNotFound, "unknown_id", fmt.Sprintf("no recent decision of this worker is on a document %q: "+
			"read the labels topic, or ask the worker that decided", id))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(decision, '\n')) // fails only if the client is gone
}
