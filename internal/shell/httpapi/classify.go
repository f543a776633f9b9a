package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/wire"
)

// maxBody is the size limit of a document in bytes. A record of a topic may be larger.
const maxBody = 1 << 20

func (s *Server) classify(w http.ResponseWriter, r *http.Request) {
	if s.options.Classify == nil {
		Fail(w, http.StatusNotFound, "not_offered", "this worker does not classify: ask one that runs classify")
		return
	}
	if !accepted(r.Header.Get("Content-Type")) {
		w.Header().Set("Accept-Post", strings.Join(bodyTypes, ", "))
		Fail(w, http.StatusUnsupportedMediaType, "bad_type", "the header Content-Type must be application/json or "+
			"application/x-ndjson, or message/rfc822 or application/octet-stream for a spec whose format is no JSON")
		return
	}
	spans, problem := spansOf(r.URL)
	if problem != "" {
		Fail(w, http.StatusBadRequest, "bad_request", problem)
		return
	}
	body, room, ok := s.readBody(w, r)
	defer room.Release()
	if !ok {
		return
	}
	to := &decisions{to: w, contentType: "application/json"}
	if name, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && name == typeLines {
		to.contentType = typeLines
	}
	err := s.options.Classify(r.Context(), to, body, spans)
	var reject *wire.Reject
	switch {
	case err == nil:
	case to.begun:
		s.log.Debug("an answer to POST /v1/classify was not finished", "error", err)
		panic(http.ErrAbortHandler) // or half an answer looks complete
	case errors.As(err, &reject):
		Fail(w, http.StatusBadRequest, string(reject.Reason), reject.Error())
	default:
		s.trouble(w, r, "the document could not be classified", err)
	}
}

// decisions is a body of decisions, written piece by piece.
type decisions struct {
	to          http.ResponseWriter
	contentType string
	begun       bool
}

// Write writes a piece.
func (d *decisions) Write(piece []byte) (int, error) {
	if !d.begun {
		d.to.Header().Set("Content-Type", d.contentType)
		d.begun = true
	}
	return d.to.Write(piece)
}

// usualRoomTime is how long a request waits for room for its body.
const usualRoomTime = 5 * time.Second

// readBody returns the body of a request, and the room that it takes. It answers one that cannot be
// read, and reports false.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (body []byte, room *budget.Room, ok bool) {
	size := int(r.ContentLength)
	if size < 0 || size > maxBody {
		size = maxBody
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.roomTime)
	defer cancel()
	room, err := s.options.Memory.Take(ctx, budget.Requests, 2*size) // it is divided into documents
	if err != nil {
		w.Header().Set("Retry-After", "5")
		Fail(w, http.StatusServiceUnavailable, "busy", "the memory for requests is in use: send "+
			"it again later, or raise --memory")
		return nil, nil, false
	}
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		w.Header().Set("Connection", "close") // instead of reading the rest of the body
		Fail(w, http.StatusRequestEntityTooLarge, string(wire.TooLarge),
			fmt.Sprintf("the body has more than %d bytes", maxBody))
	case err != nil:
		Fail(w, http.StatusBadRequest, "bad_request", "the body could not be read: "+err.Error())
	default:
		room.Resize(2 * len(body))
		return body, room, true
	}
	return nil, room, false
}

// typeLines is the media type of documents on lines of their own.
const typeLines = "application/x-ndjson"

// bodyTypes are the media types of a document: JSON, and those of the other formats. A form of a
// page can send none of them.
var bodyTypes = []string{"application/json", typeLines, "message/rfc822", "application/octet-stream"}

// accepted reports whether a header Content-Type names one of them.
func accepted(contentType string) bool {
	name, _, err := mime.ParseMediaType(contentType)
	return err == nil && slices.Contains(bodyTypes, name)
}

// spansOf returns whether a query asks for the places of the evidence, and the problem of the
// query, "" for none. There are no other parameters: one that is ignored would give an answer
// without the effect that the client expects.
func spansOf(u *url.URL) (spans bool, problem string) {
	if u.RawQuery == "" {
		return false, ""
	}
	found, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return false, "the query of the address cannot be read: leave it out, what is to be classified is the body"
	}
	value, given := found["spans"]
	delete(found, "spans")
	if len(found) > 0 {
		return false, fmt.Sprintf("unknown query parameters %q: leave them out, what is to be classified is the body",
			slices.Sorted(maps.Keys(found)))
	}
	if !given {
		return false, ""
	}
	spans, err = strconv.ParseBool(value[0])
	if err != nil || len(value) > 1 {
		return false, fmt.Sprintf("the query parameter spans is %q: want 1 or 0", value)
	}
	return spans, ""
}
