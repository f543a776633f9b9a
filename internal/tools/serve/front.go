package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// routes are the calls of the workers at the one address.
func (p *pipeline) routes() map[string]http.Handler {
	ingest, classify := to(p.workers.Ingest), to(p.workers.Classify)
	return map[string]http.Handler{
		"POST /v1/classify":         &keeper{classify: classify, write: p.keep},
		"POST /v1/labels":           p.recent.named(ingest),
		"GET /v1/decisions/{id...}": classify,
		"GET /v1/snapshot":          ingest,
		"GET /metrics":              http.HandlerFunc(p.metrics),
	}
}

// to passes requests on to a worker, which listens on loopback.
func to(address string) *httputil.ReverseProxy {
	target := &url.URL{Scheme: "http", Host: address}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Origin") // the console has compared it with its own address
	}}
}

// keeper answers POST /v1/classify, and writes the documents that were answered to their topic, so
// that a person sees them in the console and can correct them by their ids.
type keeper struct {
	classify http.Handler
	// write returns the offset of the first record.
	write func(ctx context.Context, records []stream.Record) (int64, error)
}

// ServeHTTP answers when the documents are durable.
func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	setBody(r, body)
	answer := &held{header: w.Header()}
	k.classify.ServeHTTP(answer, r)
	said := answer.body.Bytes()
	var err error
	if answer.status == http.StatusOK {
		var first int64
		first, err = k.write(r.Context(), answered(body, said))
		said = withSources(said, first)
		w.Header().Set("Content-Length", strconv.Itoa(len(said)))
	}
	if err != nil {
		w.Header().Del("Content-Length")
		w.Header().Set("Retry-After", "2")
		httpapi.Fail(w, http.StatusServiceUnavailable, "not_ready", "the document could not be written: send it again")
		return
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(said) // fails only if the client is gone
}

// withSources returns an answer whose decisions say where their documents are, from an offset on.
// Within a string the quotes would be escaped.
func withSources(answer []byte, offset int64) (out []byte) {
	for {
		before, behind, found := bytes.Cut(answer, []byte(`"source":null`))
		out = append(out, before...)
		if !found {
			return out
		}
		out = fmt.Appendf(out, `"source":{"topic":%q,"partition":0,"offset":%d}`, documents, offset)
		answer = behind
		offset++
	}
}

// readBody returns the body of a request. It answers one that cannot be read, and reports false.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := httpapi.ReadBody(w, r, httpapi.MaxBody)
	if refused := httpapi.RefusalIn(err); refused != nil {
		httpapi.Fail(w, refused.Status, refused.Reason, refused.Message)
	}
	return body, err == nil
}

// setBody gives a request a body that was read, for the worker.
func setBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
}

// held is an answer that is not sent yet.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (h *held) Header() http.Header { return h.header }

func (h *held) WriteHeader(status int) { h.status = status }

func (h *held) Write(piece []byte) (int, error) { return h.body.Write(piece) }

// answered returns the records of the documents of a request that have a decision. The answers to
// several documents are in their order, as an array or on lines, and so are the documents.
func answered(body, answer []byte) (records []stream.Record) {
	documents, decisions := [][]byte{body}, [][]byte{answer}
	if several := lines(answer); len(several) > 1 {
		documents, decisions = lines(body), several
	} else if trimmed := bytes.TrimSpace(answer); len(trimmed) > 0 && trimmed[0] == '[' {
		documents, decisions = members(body), members(answer)
	}
	if len(documents) != len(decisions) {
		return nil // they are of one request: there is a decision or an error for each
	}
	for i, decision := range decisions {
		d, err := wire.ParseDecision(decision)
		if err != nil {
			continue
		}
		rec := stream.Record{Value: documents[i]}
		if d.ID != "" { // an empty key would be an id that is none
			rec.Key = []byte(d.ID)
		}
		records = append(records, rec)
	}
	return records
}

// lines returns the lines that are not empty.
func lines(text []byte) (list [][]byte) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			list = append(list, line)
		}
	}
	return list
}

// members returns the values of an array, nil of what is none.
func members(array []byte) (list [][]byte) {
	var values []json.RawMessage
	if json.Unmarshal(array, &values) != nil {
		return nil
	}
	for _, v := range values {
		list = append(list, v)
	}
	return list
}

func (p *pipeline) keep(ctx context.Context, records []stream.Record) (first int64, err error) {
	if len(records) == 0 {
		return 0, nil
	}
	last, err := worker.WriteDurably(ctx, p.client, documents, 0, records...)
	if err != nil {
		p.options.Log.Error("a document could not be written", "error", err)
		return 0, err
	}
	first = last - int64(len(records)-1)
	for i := range records {
		p.recent.add(string(records[i].Key), first+int64(i))
	}
	return first, nil
}
