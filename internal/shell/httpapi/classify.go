package httpapi

import (
	"context"
	"errors"
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

// MaxBody is the size limit of a body in bytes. A record of a topic may be larger.
const MaxBody = 1 << 20

func (s *Server) classify(w http.ResponseWriter, r *http.Request) error {
	if s.options.Classify == nil {
		return Refusef(http.StatusNotFound, "not_offered", "this worker does not classify: ask one that runs classify")
	}
	asked, ok := bodyType(r, bodyTypes...)
	if !ok {
		w.Header().Set("Accept-Post", strings.Join(bodyTypes, ", "))
		return Refusef(http.StatusUnsupportedMediaType, "bad_type", "the header Content-Type must be application/json or "+
			"application/x-ndjson, or message/rfc822 or application/octet-stream for a spec whose format is no JSON")
	}
	spans, err := spansOf(r.URL)
	if err != nil {
		return err
	}
	body, room, err := s.readBody(w, r)
	defer room.Release()
	if err != nil {
		return err
	}
	answered := "application/json"
	if asked == typeLines {
		answered = typeLines
	}
	w.Header().Set("Content-Type", answered)
	err = s.options.Classify(r.Context(), w, body, spans)
	if err != nil && w.(*tracker).begun {
		s.log.Debug("an answer to POST /v1/classify was not finished", "error", err)
		panic(http.ErrAbortHandler) // or half an answer looks complete
	}
	return err
}

// usualRoomTime is how long a request waits for room for its body.
const usualRoomTime = 5 * time.Second

// readBody returns the body of a request, and the room that it takes.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (body []byte, room *budget.Room, err error) {
	size := int(r.ContentLength)
	if size < 0 || size > MaxBody {
		size = MaxBody
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.roomTime)
	defer cancel()
	room, err = s.options.Memory.Take(ctx, budget.Requests, 2*size) // it is divided into documents
	if err != nil {
		w.Header().Set("Retry-After", "5")
		return nil, nil, Refusef(http.StatusServiceUnavailable, "busy",
			"the memory for requests is in use: send it again later, or raise --memory")
	}
	if body, err = ReadBody(w, r, MaxBody); err == nil {
		room.Resize(2 * len(body))
	}
	return body, room, err
}

// ReadBody returns the body of a request, of at most so many bytes. The error is a *RefusedError.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		w.Header().Set("Connection", "close") // instead of reading the rest of the body
		return nil, Refusef(http.StatusRequestEntityTooLarge, string(wire.TooLarge),
			"the body has more than %d bytes, the limit: send less at once", most)
	case err != nil:
		return nil, badRequest("the body could not be read: %v", err)
	}
	return body, nil
}

// typeLines is the media type of documents on lines of their own.
const typeLines = "application/x-ndjson"

// bodyTypes are the media types of a document: JSON, and those of the other formats. A form of a
// page can send none of them.
var bodyTypes = []string{"application/json", typeLines, "message/rfc822", "application/octet-stream"}

// bodyType returns the media type of a body, and whether it is one of those that are taken.
func bodyType(r *http.Request, taken ...string) (name string, ok bool) {
	name, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return name, err == nil && slices.Contains(taken, name)
}

// spansOf returns whether a query asks for the places of the evidence. There are no other
// parameters: one that is ignored would give an answer without the effect that the client expects.
func spansOf(u *url.URL) (spans bool, err error) {
	found, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return false, badRequest("the query of the address cannot be read: leave it out, the document is the body")
	}
	value, given := found["spans"]
	delete(found, "spans")
	if len(found) > 0 {
		return false, badRequest("unknown query parameters %q: leave them out, what is to be classified is the body",
			slices.Sorted(maps.Keys(found)))
	}
	if !given {
		return false, nil
	}
	spans, err = strconv.ParseBool(value[0])
	if err != nil || len(value) > 1 {
		return false, badRequest("the query parameter spans is %q: want 1 or 0", value)
	}
	return spans, nil
}
