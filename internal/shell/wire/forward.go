package wire

import (
	"slices"

	"bayestream/internal/shell/record"
)

// Headers of a record that ingest has forwarded to the partition that holds its document.
const (
	ForwardedTo    = "bayestream-forwarded"       // topic/partition/offset of a record of the document
	ForwardedFrom  = "bayestream-forwarded-from"  // topic/partition/offset of the record that was forwarded
	ForwardedTopic = "bayestream-forwarded-topic" // id of the topic that both were in, where brokers have one
)

// Forward is what the headers of a forwarded record say.
type Forward struct {
	// the record that put the document into the ledger of its partition, or for a forget the one that
	// has its text
	To      Ref
	From    Ref    // the record that was forwarded
	TopicID string // of the topic that both are in; "": not known
}

// Record returns the record to write to the partition that holds the document: it says what rec
// does. Topic, partition and time are left to the writer.
func (f *Forward) Record(rec *record.Record) record.Record {
	headers := append(slices.Clip(rec.Headers), textHeader(ForwardedTo, f.To.String()),
		textHeader(ForwardedFrom, f.From.String()))
	if f.TopicID != "" {
		headers = append(headers, textHeader(ForwardedTopic, f.TopicID))
	}
	return record.Record{Key: rec.Key, Value: rec.Value, Headers: headers}
}

// ReadForward reads the headers of a forwarded record; false: it was not forwarded. A header that
// cannot be read names no record.
func ReadForward(rec *record.Record) (f Forward, forwarded bool) {
	to, forwarded := lastHeader(rec.Headers, ForwardedTo)
	if !forwarded {
		return f, false
	}
	from, _ := lastHeader(rec.Headers, ForwardedFrom)
	id, _ := lastHeader(rec.Headers, ForwardedTopic)
	return Forward{To: placeOr(to, nowhere), From: placeOr(from, nowhere), TopicID: string(id)}, true
}

// nowhere is the place of no record.
var nowhere = Ref{Partition: -1, Offset: -1}

// placeOr returns the place that a text names, else another one.
func placeOr(text []byte, other Ref) Ref {
	if place := ParsePlace(string(text)); place != nil {
		return *place
	}
	return other
}
