package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// Dead is a page of dead letters.
type Dead struct {
	Letters []Letter     `json:"letters"`
	Reasons []DeadReason `json:"reasons"`
	Next    *int64       `json:"next"`
	More    bool         `json:"more"`
}

// Letter is a dead letter.
type Letter struct {
	Number  int64         `json:"number"`
	Place   string        `json:"place"`
	Time    time.Time     `json:"time"`
	Reason  string        `json:"reason"`
	What    string        `json:"what"`
	Detail  string        `json:"detail"`
	Stage   string        `json:"stage"`
	Of      *string       `json:"of"`
	Again   bool          `json:"again"`
	Key     *string       `json:"key"`
	Value   *string       `json:"value"`
	Cut     bool          `json:"cut"`
	Headers []ShownHeader `json:"headers"`
}

// ShownHeader is a header as text.
type ShownHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DeadReason counts dead letters by reason.
type DeadReason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	What   string `json:"what"`
}

// Again is the body of POST /v1/dead/again.
type Again struct {
	Letters []string `json:"letters"`
}

// SentAgain says what became of dead letters.
type SentAgain struct {
	Receipts []AgainReceipt `json:"receipts"`
}

// AgainReceipt says what became of one dead letter.
type AgainReceipt struct {
	Letter  string  `json:"letter"`
	Place   *string `json:"place"`
	Outcome string  `json:"outcome"`
	Message string  `json:"message"`
}

const (
	mostDead   = 1000     // that are read of each partition, the newest
	shownValue = 16 << 10 // bytes
	shownOther = 1 << 10
)

// readDead returns the newest dead letters, oldest first.
func (c *Console) readDead(ctx context.Context) ([]Letter, error) {
	topic := c.options.Topics.Dead
	_, exists, err := c.client.FindTopic(ctx, topic)
	if err != nil || !exists {
		return nil, err
	}
	t, err := c.client.TailFrom(ctx, topic, stream.TailStart{})
	if err != nil {
		return nil, err
	}
	for p := range t.From {
		t.From[p] = max(t.From[p], t.Until[p]-mostDead)
	}
	var out []Letter
	err = c.client.EachOf(ctx, t, func(rec *stream.Record) error {
		out = append(out, letterOf(rec))
		return nil
	})
	slices.SortStableFunc(out, func(a, b Letter) int { return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Place, b.Place)) })
	for i := range out {
		out[i].Number = int64(i)
	}
	return out, err
}

// letterOf returns a dead letter for JSON.
func letterOf(rec *stream.Record) Letter {
	place := wire.Ref{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset}
	l := Letter{Place: place.String(), Time: rec.Time.UTC(), Headers: []ShownHeader{}}
	letter, ok := wire.ReadLetter(rec)
	l.Reason, l.Stage, l.Detail, l.Again, l.Cut = letter.Reason, letter.Stage, letter.Message, letter.First != "", letter.Truncated
	l.What = wire.Reason(letter.Reason).Summary()
	if ok {
		of := wire.Ref{Topic: letter.Topic, Partition: letter.Partition, Offset: letter.Offset}
		text := of.String()
		l.Of = &text
	}
	l.Key, _ = shown(letter.Record.Key, shownOther)
	var cut bool
	l.Value, cut = shown(letter.Record.Value, shownValue)
	l.Cut = l.Cut || cut
	for _, h := range letter.Record.Headers {
		value, _ := shown(h.Value, shownOther)
		l.Headers = append(l.Headers, ShownHeader{strings.ToValidUTF8(h.Key, "\uFFFD"), nameOf(value)})
	}
	return l
}

// shown returns bytes as text, cut at a limit; nil for null.
func shown(b []byte, most int) (text *string, cut bool) {
	if b == nil {
		return nil, false
	}
	cut = len(b) > most
	s := strings.ToValidUTF8(string(b[:min(len(b), most)]), "\uFFFD")
	return &s, cut
}

func reasonsOf(letters []Letter) []DeadReason {
	by := map[string]int{}
	for i := range letters {
		by[letters[i].Reason]++
	}
	out := []DeadReason{}
	for reason, n := range by {
		out = append(out, DeadReason{reason, n, wire.Reason(reason).Summary()})
	}
	slices.SortFunc(out, func(a, b DeadReason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Reason, b.Reason))
	})
	return out
}

// dead answers GET /v1/dead.
func (c *Console) dead(w http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	reason := q.text("reason")
	before := q.integer("before", math.MaxInt64, 0, math.MaxInt64)
	limit := q.limit()
	if !c.checked(w, q) {
		return
	}
	letters, err := c.readDead(r.Context())
	if err != nil {
		c.trouble(w, r, err)
		return
	}
	out := Dead{Letters: []Letter{}, Reasons: reasonsOf(letters)}
	for _, l := range slices.Backward(letters) {
		if l.Number >= before || reason != "" && l.Reason != reason {
			continue
		}
		if len(out.Letters) == limit {
			out.More = true
			out.Next = &out.Letters[limit-1].Number
			break
		}
		out.Letters = append(out.Letters, l)
	}
	c.answer(w, out)
}

// sendAgain answers POST /v1/dead/again.
func (c *Console) sendAgain(w http.ResponseWriter, r *http.Request, body []byte) {
	var b Again
	err := decodeBody(body, &b)
	if err == nil && (len(b.Letters) == 0 || len(b.Letters) > mostAtOnce) {
		err = &httpapi.RefusedError{Status: http.StatusBadRequest, Reason: "bad_request", Message: fmt.Sprintf("letters: want 1 to %d", mostAtOnce)}
	}
	if err != nil {
		c.trouble(w, r, err)
		return
	}
	out := SentAgain{Receipts: []AgainReceipt{}}
	for _, place := range b.Letters {
		receipt := AgainReceipt{Letter: place, Outcome: httpapi.OutcomeWritten}
		at, err := c.sendLetter(r.Context(), place)
		if err != nil {
			receipt.Outcome, receipt.Message = outcomeRefused, worker.RefusalOf(r.Context(), err).Error()
		} else {
			receipt.Place = &at
		}
		out.Receipts = append(out.Receipts, receipt)
	}
	c.answer(w, out)
}

// errIncomplete refuses a dead letter that is not the whole record.
var errIncomplete = errors.New("a part of the record is missing: it was too large for the dead-letter topic")

// sendLetter writes the record of a dead letter to the partition that it came from.
func (c *Console) sendLetter(ctx context.Context, place string) (string, error) {
	at := wire.ParsePlace(place)
	if at == nil || at.Topic != c.options.Topics.Dead {
		return "", fmt.Errorf("%s is no place on the dead-letter topic", place)
	}
	rec, err := worker.RecordAt(ctx, c.client, at)
	if err != nil {
		return "", err
	}
	letter, ok := wire.ReadLetter(rec)
	switch t := c.options.Topics; {
	case !ok:
		return "", fmt.Errorf("%s is no dead letter of a worker", place)
	case letter.Truncated:
		return "", errIncomplete
	case letter.Topic != t.Training && letter.Topic != t.Documents:
		return "", fmt.Errorf("the record came from %s, which is neither the training topic nor that of the documents", letter.Topic)
	}
	later, err := c.cameAgain(ctx, &letter)
	if err != nil {
		return "", err
	}
	if later != "" {
		return "", fmt.Errorf("it was sent again before, or another record came under its key: %s", later)
	}
	offset, err := worker.WriteDurably(ctx, c.client, letter.Topic, letter.Partition, letter.Again())
	if err != nil {
		return "", err
	}
	to := wire.Ref{Topic: letter.Topic, Partition: letter.Partition, Offset: offset}
	return to.String(), nil
}

// cameAgain returns where the record of a dead letter, or a later one of its key, stands behind it; "": nowhere.
func (c *Console) cameAgain(ctx context.Context, l *wire.Letter) (place string, err error) {
	first, end, err := c.client.Offsets(ctx, l.Topic, l.Partition)
	if err != nil {
		return "", err
	}
	t := stream.Tail{Topic: l.Topic, From: make([]int64, l.Partition+1), Until: make([]int64, l.Partition+1)} // nothing of those before
	t.From[l.Partition], t.Until[l.Partition] = max(first, l.Offset+1), end
	err = c.client.EachOf(ctx, t, func(rec *stream.Record) error {
		same := l.Record.Key != nil && string(rec.Key) == string(l.Record.Key)
		for _, h := range rec.Headers {
			same = same || h.Key == wire.FirstPlace && string(h.Value) == l.Place()
		}
		if !same {
			return nil
		}
		at := wire.Ref{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset}
		place = at.String()
		return stream.ErrStop
	})
	return place, err
}
