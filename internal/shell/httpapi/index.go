package httpapi

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed index.html
var indexText string

var indexPage = template.Must(template.New("index").Parse(indexText))

// index answers with a page of all endpoints.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	err := indexPage.Execute(&page, struct {
		Version
		Classify, Correct, Decision, Snapshot, Metrics bool
	}{
		readVersion(s.options.Role, s.options.Version), s.options.Classify != nil, s.options.Correct != nil,
		s.options.Decision != nil, s.options.Snapshot != nil, s.options.Metrics != nil,
	})
	if err != nil {
		panic(err) // template and data are our own
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "+
		"base-uri 'none'; form-action 'none'")
	_, _ = w.Write(page.Bytes()) // fails only if the client is gone
}
