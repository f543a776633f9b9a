package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/stream"
)

// Headers of a dead letter: Kafka Connect's names, so that its tools and people's
// habits work here too, and our own for what had to be cut off.
const (
	DeadTopic     = "__connect.errors.topic"
	DeadPartition = "__connect.errors.partition"
	DeadOffset    = "__connect.errors.offset"
	DeadStage     = "__connect.errors.stage"
	DeadClass     = "__connect.errors.exception.class.name"
	DeadMessage   = "__connect.errors.exception.message"

	TruncatedValue   = "bayestream-truncated"         // bytes of the original value
	TruncatedKey     = "bayestream-truncated-key"     // bytes of the original key
	TruncatedHeaders = "bayestream-truncated-headers" // number of headers left out
)

// DeadClassPrefix is before the Reason in the header DeadClass.
const DeadClassPrefix = "bayestream."

const (
	// recordOverhead is what a record costs beside its bytes: a batch header of 61
	// and the varints of a record, at their longest.
	recordOverhead = 61 + 40
	// headerOverhead is two varints.
	headerOverhead = 10
	// maxMessage bounds the sentence, which may come from a foreign error.
	maxMessage = 1024
)

// DeadLetter makes the record for the dead-letter topic: the original one as it
// was (key, value, headers, partition, timestamp) and headers that say where it
// stood, at which stage it failed and why. Topic and Offset are left to the writer.
//
// The result is never larger than maxBytes (0: no limit), the limit of the
// dead-letter topic on one record: else a record just below its own topic's limit
// would be refused there and stop the stream for ever. The value is cut first,
// then headers are left out from the end, then the key is cut; each leaves a mark.
// Only our own headers are always whole, about 500 bytes and the message.
func DeadLetter(rec *stream.Record, stage string, err error, maxBytes int) stream.Record {
	out := *rec
	out.Topic, out.Offset = "", 0
	reasons := deadHeaders(rec, stage, err)
	if maxBytes > 0 {
		reasons = fit(&out, reasons, maxBytes)
	}
	out.Headers = append(slices.Clip(out.Headers), reasons...)
	return out
}

// deadHeaders are the headers that every dead letter gets.
func deadHeaders(rec *stream.Record, stage string, err error) []stream.Header {
	class, message := fmt.Sprintf("%T", err), err.Error()
	var reject *Reject
	if errors.As(err, &reject) {
		class = DeadClassPrefix + string(reject.Reason)
	}
	return []stream.Header{
		textHeader(DeadTopic, rec.Topic),
		textHeader(DeadPartition, strconv.Itoa(rec.Partition)),
		textHeader(DeadOffset, strconv.FormatInt(rec.Offset, 10)),
		textHeader(DeadStage, stage),
		textHeader(DeadClass, class),
		textHeader(DeadMessage, clip(message, maxMessage)),
	}
}

// fit cuts the record until it fits with its reasons, and returns the reasons
// with the marks of what was cut.
func fit(out *stream.Record, reasons []stream.Header, maxBytes int) []stream.Header {
	excess := size(out) + headersSize(reasons) - maxBytes
	if excess <= 0 {
		return reasons
	}
	if len(out.Value) > 0 {
		mark := countHeader(TruncatedValue, len(out.Value))
		reasons = append(reasons, mark)
		excess += headerSize(&mark)
		cut := min(excess, len(out.Value))
		out.Value = out.Value[:len(out.Value)-cut]
		excess -= cut
	}
	if excess > 0 && len(out.Headers) > 0 {
		mark := countHeader(TruncatedHeaders, len(out.Headers)) // no later count is longer
		excess += headerSize(&mark)
		kept := len(out.Headers)
		for ; excess > 0 && kept > 0; kept-- {
			excess -= headerSize(&out.Headers[kept-1])
		}
		reasons = append(reasons, countHeader(TruncatedHeaders, len(out.Headers)-kept))
		out.Headers = out.Headers[:kept]
	}
	if excess > 0 && len(out.Key) > 0 {
		mark := countHeader(TruncatedKey, len(out.Key))
		reasons = append(reasons, mark)
		excess += headerSize(&mark)
		out.Key = out.Key[:len(out.Key)-min(excess, len(out.Key))]
	}
	return reasons
}

// size is an upper bound of what the broker will count for a record.
func size(rec *stream.Record) int {
	return recordOverhead + len(rec.Key) + len(rec.Value) + headersSize(rec.Headers)
}

// headersSize is the same for headers.
func headersSize(headers []stream.Header) int {
	n := 0
	for i := range headers {
		n += headerSize(&headers[i])
	}
	return n
}

// headerSize is the same for one header.
func headerSize(h *stream.Header) int {
	return headerOverhead + len(h.Key) + len(h.Value)
}

// textHeader is a header with a text.
func textHeader(key, value string) stream.Header {
	return stream.Header{Key: key, Value: []byte(value)}
}

// countHeader is a header with a number.
func countHeader(key string, n int) stream.Header {
	return textHeader(key, strconv.Itoa(n))
}

// DeadReason returns the reason of a dead letter that DeadLetter made of a *Reject,
// else "other". A record that was a dead letter before carries its earlier reason
// too; the last one counts.
func DeadReason(letter *stream.Record) string {
	class, _ := lastHeader(letter.Headers, DeadClass)
	if reason, found := strings.CutPrefix(string(class), DeadClassPrefix); found {
		return reason
	}
	return "other"
}
