package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The answer to an unknown choice names each choice once.
func TestQueryNamesItsChoices(t *testing.T) {
	q := queryOf(httptest.NewRequest(http.MethodGet, "/v1/events?status=zzz", nil))
	filterOf(q)
	if q.err == nil || !strings.HasSuffix(q.err.Error(), "want one of ok, unsure, cold, empty, impossible") {
		t.Errorf("got %v", q.err)
	}
}
