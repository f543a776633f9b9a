package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/record"
)

// The ways in which a decision is written to the labels topic.
const (
	EmitEvent       = "event"       // the value is the decision
	EmitHeaders     = "headers"     // the value is the document's own, the decision is in headers
	EmitCloudEvents = "cloudevents" // CloudEvents 1.0, binary content mode; the value is the decision
	EmitEnrich      = "enrich"      // the value is the document's own JSON, the decision is a field of it
)

// defaultPrefix is before the names of the headers that Bayestream writes.
const defaultPrefix = "bayestream-"

// Header names of CloudEvents 1.0 in the Kafka protocol binding, binary mode.
const (
	ceSpecVersion = "ce_specversion"
	ceType        = "ce_type"
	ceSource      = "ce_source"
	ceID          = "ce_id"
	ceTime        = "ce_time"
	ceDataSchema  = "ce_dataschema"
	contentType   = "content-type"
)

// DecisionEventType is the ce_type of a decision. The v1 is the version of the
// JSON: keys may be added, none is removed or changes its meaning.
const DecisionEventType = "dev.bayestream.decision.v1"

// An Emitter turns decisions into records for the labels topic, in one mode. It
// belongs to one goroutine.
type Emitter struct {
	mode    string
	prefix  string
	encoder DecisionEncoder
	enricher

	source, id, label, status, confidence, model string // header names
}

// NewEmitter makes an Emitter of a mode in which it needs to know nothing of the documents; an
// empty prefix is defaultPrefix.
func NewEmitter(mode, prefix string, form Form) (*Emitter, error) {
	switch mode {
	case EmitEvent, EmitHeaders, EmitCloudEvents:
	default:
		return nil, fmt.Errorf("emit mode %q: want event, headers or cloudevents", mode)
	}
	prefix = cmp.Or(prefix, defaultPrefix)
	return newEmitter(mode, prefix, form), nil
}

func newEmitter(mode, prefix string, form Form) *Emitter {
	return &Emitter{
		mode: mode, prefix: prefix, encoder: DecisionEncoder{Form: form},
		source: prefix + "source", id: prefix + "id", label: prefix + "label", status: prefix + "status",
		confidence: prefix + "confidence", model: prefix + "model",
	}
}

// Append makes dst the record that answers the document in: key, partition and
// timestamp are the document's, its headers come first and in order, ours after.
// A nil decision is a null document, which passes through as a null value. dst's
// Topic and Offset are left alone.
//
// The bytes of the record are appended to buf, and the extended buf is returned:
// dst points into it and into in. Headers are written into the slice that dst has.
// A worker that keeps its records and its buf from batch to batch allocates nothing.
//
// Incoming headers with our prefix are dropped: only Bayestream may state what
// Bayestream decided.
func (e *Emitter) Append(buf []byte, dst, in *record.Record, id string, d *model.Decision) []byte {
	w := headerWriter{buf: buf, headers: dst.Headers[:0]}
	dst.Partition = in.Partition
	dst.Time = in.Time
	dst.Key = in.Key
	dst.Value = in.Value
	replaces := d != nil && (e.mode == EmitCloudEvents || e.mode == EmitEvent && isEvent(in.Headers))
	isNew := d != nil && e.mode != EmitHeaders // the value is not the one that the schema is of
	for i := range in.Headers {
		if !e.ours(in.Headers[i].Key, replaces) && !(isNew && in.Headers[i].Key == SchemaHeader) {
			w.headers = append(w.headers, in.Headers[i])
		}
	}
	w.header(e.source, appendRecordID(w.buf, in.Topic, in.Partition, in.Offset))
	if d != nil && id != string(w.headers[len(w.headers)-1].Value) {
		w.header(e.id, append(w.buf, id...))
	}
	switch {
	case d == nil:
		dst.Value = nil
	case e.mode == EmitHeaders:
		if e.encoder.Form.Digits > 0 {
			e.encoder.prepare(d, Others{})
		}
		e.appendVerdict(&w, d)
	case e.mode == EmitEnrich:
		e.decision = e.encoder.Append(e.decision[:0], id, recordSource(in), d)
		if grown, ok := e.appendEnriched(w.buf, in, e.decision); ok {
			dst.Value = w.value(grown)
		} else {
			e.appendVerdict(&w, d)
		}
	case e.mode == EmitCloudEvents:
		appendCloudEvent(&w, in)
		dst.Value = w.value(e.encoder.Append(w.buf, id, recordSource(in), d))
	default:
		dst.Value = w.value(e.encoder.Append(w.buf, id, recordSource(in), d))
	}
	dst.Headers = w.headers
	return w.buf
}

// AppendDecision returns the JSON of the decision in an answer that Append has just made of the
// document in: as in the mode EmitEvent, whatever the mode is. Where the value of the answer is
// something else, the JSON is appended to buf.
func (e *Emitter) AppendDecision(buf []byte, answer, in *record.Record, id string, d *model.Decision) (grown,
	decision []byte) {
	w := headerWriter{buf: buf}
	switch e.mode {
	case EmitEvent, EmitCloudEvents:
		return buf, answer.Value
	case EmitEnrich:
		decision = w.value(append(buf, e.decision...))
	default:
		decision = w.value(e.encoder.Append(buf, id, recordSource(in), d))
	}
	return w.buf, decision
}

// ours reports whether an incoming header must not be copied: it has our prefix, in
// upper or lower case, or it describes a CloudEvent that the new value replaces.
func (e *Emitter) ours(key string, replaces bool) bool {
	if len(key) >= len(e.prefix) && strings.EqualFold(key[:len(e.prefix)], e.prefix) {
		return true
	}
	if !replaces {
		return false
	}
	return slices.ContainsFunc([]string{ceSpecVersion, ceType, ceSource, ceID, ceTime, ceDataSchema, contentType},
		func(name string) bool { return strings.EqualFold(key, name) })
}

// appendVerdict appends the headers of the mode headers. If there are digits, the encoder is
// prepared for the decision.
func (e *Emitter) appendVerdict(w *headerWriter, d *model.Decision) {
	if d.Labelled {
		w.header(e.label, append(w.buf, d.Label...))
	}
	w.header(e.status, append(w.buf, d.Status...))
	if d.Labelled {
		w.header(e.confidence, e.encoder.appendConfidence(w.buf, d))
	}
	b := append(w.buf, d.ModelInfo.Name...)
	if d.ModelInfo.Offset >= 0 {
		b = strconv.AppendInt(append(b, '@'), d.ModelInfo.Offset, 10)
	}
	w.header(e.model, b)
}

// appendConfidence appends the posterior of the label. With digits it is the one that the decision
// has for which prepare was called.
func (e *DecisionEncoder) appendConfidence(dst []byte, d *model.Decision) []byte {
	if e.Form.Digits == 0 {
		return appendNumber(dst, d.Confidence())
	}
	i := slices.IndexFunc(e.listed, func(at int) bool { return d.Classes[at].Name == d.Label })
	return e.appendShare(dst, d.Classes[e.listed[i]].Posterior, i)
}

// appendCloudEvent appends the attributes of CloudEvents 1.0: the required ones,
// and the time of the document if RFC 3339 can express it. The id is the place of
// the document, so a decision that is written twice is one event.
func appendCloudEvent(w *headerWriter, in *record.Record) {
	w.header(ceSpecVersion, append(w.buf, "1.0"...))
	w.header(ceType, append(w.buf, DecisionEventType...))
	b := append(w.buf, "/topics/"...)
	b = append(append(b, in.Topic...), '/')
	w.header(ceSource, strconv.AppendInt(b, int64(in.Partition), 10))
	w.header(ceID, appendRecordID(w.buf, in.Topic, in.Partition, in.Offset))
	t := in.Time.UTC()
	if !t.IsZero() && t.Year() >= 0 && t.Year() <= 9999 {
		w.header(ceTime, t.AppendFormat(w.buf, time.RFC3339Nano))
	}
	w.header(contentType, append(w.buf, "application/json"...))
}

// headerWriter collects headers whose values follow one another in buf, and the value behind them.
type headerWriter struct {
	buf     []byte
	headers []record.Header
}

// value returns the bytes of grown behind buf, which are a value.
func (w *headerWriter) value(grown []byte) []byte {
	start := len(w.buf)
	w.buf = grown
	return grown[start:len(grown):len(grown)]
}

// header adds a header whose value is the bytes of grown behind buf.
func (w *headerWriter) header(key string, grown []byte) {
	w.headers = append(w.headers, record.Header{Key: key, Value: w.value(grown)})
}

// appendSpans appends where a term is in the segments, if that was asked for.
func appendSpans(dst []byte, spans []model.Span) []byte {
	for i, s := range spans {
		if i == 0 {
			dst = append(dst, `,"spans":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, `{"segment":`...), int64(s.Segment), 10)
		dst = strconv.AppendInt(append(dst, `,"start":`...), int64(s.Start), 10)
		dst = strconv.AppendInt(append(dst, `,"end":`...), int64(s.End), 10)
		dst = append(dst, '}')
	}
	if len(spans) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendSegments appends the text as it was read, if that was asked for.
func appendSegments(dst []byte, segments []model.Segment) []byte {
	if segments == nil {
		return dst
	}
	dst = append(dst, `,"segments":[`...)
	for i, s := range segments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(append(dst, `{"mark":`...), s.Mark)
		dst = append(AppendString(append(dst, `,"text":`...), view(s.Text)), '}')
	}
	return append(dst, ']')
}
