package wire

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDeadLetter(t *testing.T) {
	rec := incoming()
	rec.Headers = append(rec.Headers, header(DeadMessage, "an earlier life"))
	err := fmt.Errorf("decode: %w", Rejectf(BadLabel, "field %q is 1", "label"))
	got := DeadLetter(rec, "decode", err, 0)
	want := *incoming()
	want.Topic, want.Offset = "", 0
	want.Headers = append(want.Headers, header(DeadMessage, "an earlier life"),
		header("__connect.errors.topic", "documents"), header("__connect.errors.partition", "3"), header("__connect.errors.offset", "42"),
		header("__connect.errors.stage", "decode"), header("__connect.errors.exception.class.name", "bayestream.bad_label"),
		header("__connect.errors.exception.message", `decode: bad label: field "label" is 1`))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	// The record's own headers are not overwritten by a second letter about it.
	_ = DeadLetter(rec, "other", errors.New("x"), 0)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed by another letter:\n%s", diff)
	}
}

func TestDeadReason(t *testing.T) {
	for _, r := range Reasons() {
		letter := DeadLetter(incoming(), "decode", fmt.Errorf("partition 3: %w", Rejectf(r, "x")), 0)
		if got := DeadReason(&letter); got != string(r) {
			t.Errorf("got %q, want %q", got, r)
		}
	}
	twice := DeadLetter(incoming(), "decode", Rejectf(NotJSON, "x"), 0)
	twice = DeadLetter(&twice, "decode", Rejectf(NoText, "x"), 0)
	if got := DeadReason(&twice); got != "no_text" {
		t.Errorf("dead twice: got %q, want the last reason", got)
	}
	letter := DeadLetter(incoming(), "score", errors.New("x"), 0)
	if got := DeadReason(&letter); got != "other" {
		t.Errorf("got %q, want other", got)
	}
}

func TestDeadLetterOfAnotherError(t *testing.T) {
	got := DeadLetter(&stream.Record{Time: time.UnixMilli(5)}, "score", errors.New(strings.Repeat("\u20ac", 1000)), 0)
	class, _ := lastHeader(got.Headers, DeadClass)
	message, _ := lastHeader(got.Headers, DeadMessage)
	if string(class) != "*errors.errorString" || len(message) != 1023 || got.Key != nil || got.Value != nil || !got.Time.Equal(time.UnixMilli(5)) {
		t.Errorf("class %q, %d bytes of message, %+v", class, len(message), got)
	}
}

func TestDeadLetterTruncates(t *testing.T) {
	err := Rejectf(TooLarge, "x")
	rec := recordOf(strings.Repeat("v", 5000), header("a", strings.Repeat("h", 3000)), header("b", strings.Repeat("h", 3000)))
	rec.Key = bytes.Repeat([]byte("k"), 4000)
	for _, c := range []struct {
		max, value, headers, key     int // what is left
		markValue, markHeaders, mark string
	}{
		{0, 5000, 2, 4000, "", "", ""},
		{20000, 5000, 2, 4000, "", "", ""},
		{15000, 4562, 2, 4000, "5000", "", ""},
		{9000, 0, 1, 4000, "5000", "1", ""},
		{3000, 0, 0, 2507, "5000", "2", "4000"},
		{10, 0, 0, 0, "5000", "2", "4000"},
	} {
		got := DeadLetter(rec, "decode", err, c.max)
		mark := func(name string) string {
			value, _ := lastHeader(got.Headers, name)
			return string(value)
		}
		kept := 0
		for _, h := range got.Headers {
			if len(h.Key) == 1 {
				kept++
			}
		}
		if len(got.Value) != c.value || kept != c.headers || len(got.Key) != c.key {
			t.Errorf("%d: value of %d, %d headers, key of %d; want %+v", c.max, len(got.Value), kept, len(got.Key), c)
		}
		if mark(truncatedValue) != c.markValue || mark(truncatedHeaders) != c.markHeaders || mark(truncatedKey) != c.mark {
			t.Errorf("%d: marks %q, %q, %q; want %+v", c.max, mark(truncatedValue), mark(truncatedHeaders), mark(truncatedKey), c)
		}
		if _, found := lastHeader(got.Headers, DeadMessage); !found {
			t.Errorf("%d: no message", c.max)
		}
	}
	if len(rec.Value) != 5000 || len(rec.Headers) != 2 || len(rec.Key) != 4000 {
		t.Error("the record itself was cut")
	}
}

// TestDeadLetterFits: whatever the record, the letter is no larger than its limit
// once that leaves room for our own headers, and it is whole when that fits.
func TestDeadLetterFits(t *testing.T) {
	blob := rapid.Custom(func(t *rapid.T) []byte { return make([]byte, rapid.IntRange(0, 6000).Draw(t, "bytes")) })
	rapid.Check(t, func(t *rapid.T) {
		rec := &stream.Record{Topic: "t", Offset: 1, Key: blob.Draw(t, "key"), Value: blob.Draw(t, "value")}
		for i := range rapid.IntRange(0, 5).Draw(t, "headers") {
			rec.Headers = append(rec.Headers, stream.Header{Key: strconv.Itoa(i), Value: blob.Draw(t, "header")})
		}
		err := Rejectf(NotJSON, "%s", strings.Repeat("x", rapid.IntRange(0, 2000).Draw(t, "detail")))
		limit := rapid.IntRange(2500, 40000).Draw(t, "limit")
		got, whole := DeadLetter(rec, "decode", err, limit), DeadLetter(rec, "decode", err, 0)
		if n := batchHeader + got.Size(); n > limit {
			t.Fatalf("%d bytes, the limit is %d", n, limit)
		} else if cut := len(got.Value) < len(rec.Value); cut && len(got.Value) > 0 && n != limit {
			t.Fatalf("%d bytes: more was cut than the limit of %d asks for", n, limit)
		}
		if batchHeader+whole.Size() <= limit && !reflect.DeepEqual(whole, got) {
			t.Fatalf("cut although it fits: %d bytes, the limit is %d", batchHeader+whole.Size(), limit)
		}
	})
}
