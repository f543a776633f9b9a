package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte("checks"))
	}))
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	defer server.Close()
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{server.URL + "/readyz"}, 0, "200 checks"},
		{[]string{server.URL + "/other"}, 1, "503 checks"},
		{[]string{closed.URL}, 1, "connect"},
		{nil, 2, "usage"},
	} {
		var out strings.Builder
		if exit := run(c.args, &out); exit != c.exit || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: exit %d saying %q, want %d saying %q", c.args, exit, out.String(), c.exit, c.says)
		}
	}
}
