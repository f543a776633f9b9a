package wire

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/shell/record"
)

// Headers of a dead letter, named as by Kafka Connect, so that its tools work here
// too, and our own for what was cut off.
const (
	DeadTopic     = "__connect.errors.topic"
	DeadPartition = "__connect.errors.partition"
	DeadOffset    = "__connect.errors.offset"
	DeadStage     = "__connect.errors.stage"
	DeadClass     = "__connect.errors.exception.class.name"
	DeadMessage   = "__connect.errors.exception.message"

	// FirstPlace is the header of a record that acts as if it stood at an earlier place: of a dead
	// letter that was sent again topic/partition/offset of the record that failed first. Ingest does
	// not let it change what was learned behind that place.
	FirstPlace = "bayestream-first"

	truncatedValue   = "bayestream-truncated"         // bytes of the original value
	truncatedKey     = "bayestream-truncated-key"     // bytes of the original key
	truncatedHeaders = "bayestream-truncated-headers" // number of headers left out
)

// DeadClassPrefix is before the Reason in the header DeadClass.
const DeadClassPrefix = "bayestream."

// MaxDeadLetterBytes bounds a dead letter: the default limit of a topic
// (max.message.bytes), less a margin for what a broker may add.
const MaxDeadLetterBytes = 1<<20 - 4096

const (
	batchHeader = 61   // bytes of the header of a batch, to which the broker's limit applies
	maxMessage  = 1024 // bytes of the sentence, which may come from a foreign error
)

// DeadLetter returns the record for the dead-letter topic: the original key, value,
// headers, partition and timestamp, and headers that say where the record was, at
// which stage it failed and why. Topic and Offset are left to the writer.
//
// The result is never larger than maxBytes (0: no limit), the limit of the
// dead-letter topic on one record: a record just below the limit of its own topic
// would be refused there and stop the stream. The value is cut first, then headers
// are left out from the end, then the key is cut; each leaves a mark. Our own
// headers are never cut: about 500 bytes and the message.
func DeadLetter(rec *record.Record, stage string, err error, maxBytes int) record.Record {
	out := *rec
	out.Topic = ""
	out.Offset = 0
	reasons := deadHeaders(rec, stage, err)
	if maxBytes > 0 {
		reasons = fit(&out, reasons, maxBytes)
	}
	out.Headers = append(slices.Clip(out.Headers), reasons...)
	return out
}

// deadHeaders returns the headers that every dead letter has.
func deadHeaders(rec *record.Record, stage string, err error) []record.Header {
	class := fmt.Sprintf("%T", err)
	if reject, ok := errors.AsType[*Reject](err); ok {
		class = DeadClassPrefix + string(reject.Reason)
	}
	return []record.Header{
		textHeader(DeadTopic, rec.Topic),
		textHeader(DeadPartition, strconv.Itoa(rec.Partition)),
		textHeader(DeadOffset, strconv.FormatInt(rec.Offset, 10)),
		textHeader(DeadStage, stage),
		textHeader(DeadClass, class),
		textHeader(DeadMessage, clip(err.Error(), maxMessage)),
	}
}

// fit cuts the record until it fits with its reasons, and returns the reasons
// with the marks of what was cut.
func fit(out *record.Record, reasons []record.Header, maxBytes int) []record.Header {
	excess := batchHeader + out.Size() - maxBytes
	for i := range reasons {
		excess += reasons[i].Size()
	}
	if excess <= 0 {
		return reasons
	}
	if len(out.Value) > 0 {
		mark := countHeader(truncatedValue, len(out.Value))
		reasons = append(reasons, mark)
		excess += mark.Size()
		cut := min(excess, len(out.Value))
		out.Value = out.Value[:len(out.Value)-cut]
		excess -= cut
	}
	if excess > 0 && len(out.Headers) > 0 {
		mark := countHeader(truncatedHeaders, len(out.Headers)) // no later count is longer
		excess += mark.Size()
		kept := len(out.Headers)
		for ; excess > 0 && kept > 0; kept-- {
			excess -= out.Headers[kept-1].Size()
		}
		reasons = append(reasons, countHeader(truncatedHeaders, len(out.Headers)-kept))
		out.Headers = out.Headers[:kept]
	}
	if excess > 0 && len(out.Key) > 0 {
		mark := countHeader(truncatedKey, len(out.Key))
		reasons = append(reasons, mark)
		excess += mark.Size()
		out.Key = out.Key[:len(out.Key)-min(excess, len(out.Key))]
	}
	return reasons
}

func textHeader(key, value string) record.Header {
	return record.Header{Key: key, Value: []byte(value)}
}

func countHeader(key string, n int) record.Header {
	return textHeader(key, strconv.Itoa(n))
}

// Other is what DeadReason returns for a dead letter that DeadLetter did not make of a *Reject.
const Other Reason = "other"

// DeadReason returns the reason of a dead letter that DeadLetter made of a *Reject,
// else Other. If the record was a dead letter before, the last reason counts.
func DeadReason(letter *record.Record) string {
	class, _ := lastHeader(letter.Headers, DeadClass)
	if reason, found := strings.CutPrefix(string(class), DeadClassPrefix); found {
		return reason
	}
	return string(Other)
}

// Letter is what the headers of a dead letter say, and the record that became one.
type Letter struct {
	Topic     string // where the record stood
	Partition int
	Offset    int64
	First     string // where it stood when it failed first, if it was sent again since: topic/partition/offset
	Stage     string // the worker that was at it
	Reason    string
	Message   string
	Truncated bool // a part of the record is missing

	Record record.Record // without the headers of dead letters; Topic, Partition and Offset are the dead letter's
}

// ReadLetter reads a dead letter of a worker; false: the record is none.
func ReadLetter(rec *record.Record) (Letter, bool) {
	l := Letter{Record: *rec, Reason: DeadReason(rec)}
	l.Record.Headers = nil
	for _, h := range rec.Headers {
		text := string(h.Value)
		var err error
		switch h.Key {
		case DeadTopic:
			l.Topic = text
		case DeadPartition:
			l.Partition, err = strconv.Atoi(text)
		case DeadOffset:
			l.Offset, err = strconv.ParseInt(text, 10, 64)
		case DeadStage:
			l.Stage = text
		case DeadMessage:
			l.Message = text
		case FirstPlace:
			l.First = text
		case truncatedValue, truncatedKey, truncatedHeaders:
			l.Truncated = true
		case DeadClass:
		default:
			l.Record.Headers = append(l.Record.Headers, h)
		}
		if err != nil {
			return l, false
		}
	}
	return l, l.Topic != "" && l.Partition >= 0 && l.Offset >= 0
}

// Again returns the record to send to the topic that the dead letter came from: as it was, and with
// its first place.
func (l *Letter) Again() record.Record {
	return ActingAt(l.Record, l.Place())
}

// ActingAt returns a record that acts as if it stood at a place: topic/partition/offset.
func ActingAt(rec record.Record, place string) record.Record {
	rec.Headers = append(slices.Clip(rec.Headers), textHeader(FirstPlace, place))
	return rec
}

// FirstOffset returns the offset at which a record that was sent again stood first, in the
// partition that it is in; false for another record.
func FirstOffset(rec *record.Record) (offset int64, again bool) {
	place, again := lastHeader(rec.Headers, FirstPlace)
	if !again {
		return 0, false
	}
	cut := bytes.LastIndexByte(place, '/')
	offset, err := strconv.ParseInt(string(place[cut+1:]), 10, 64)
	if err != nil || string(place) != string(appendRecordID(nil, rec.Topic, rec.Partition, offset)) {
		return 0, false
	}
	return offset, true
}

// Place returns where the record stood when it failed first: topic/partition/offset.
func (l *Letter) Place() string {
	if l.First != "" {
		return l.First
	}
	return string(appendRecordID(nil, l.Topic, l.Partition, l.Offset))
}
