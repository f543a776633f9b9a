package wire

import (
	"testing"

	"bayestream/internal/shell/stream"

	"pgregory.net/rapid"
)

// TestForward: what is forwarded says what the record does, and where it was for and from. The
// record stays as it was.
func TestForward(t *testing.T) {
	place := func(t *rapid.T, name string) Ref {
		return Ref{
			Topic:     rapid.StringMatching(`[a-z._-]{1,20}`).Draw(t, name+" topic"),
			Partition: int(rapid.Int32Range(0, 1<<31-1).Draw(t, name+" partition")),
			Offset:    rapid.Int64Min(0).Draw(t, name+" offset"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		said := Forward{To: place(t, "to"), From: place(t, "from"), TopicID: rapid.StringMatching(`([0-9a-f]{32})?`).Draw(t, "id")}
		headers := make([]stream.Header, 1, 8)
		headers[0] = stream.Header{Key: "id", Value: []byte("x")}
		rec := stream.Record{Topic: said.From.Topic, Key: []byte("k"), Headers: headers}
		if rapid.Bool().Draw(t, "value") {
			rec.Value = []byte(`{"label":null}`)
		}
		got := said.Record(&rec)
		read, forwarded := ReadForward(&got)
		if !forwarded || read != said {
			t.Fatalf("%+v is read as %+v, %v", said, read, forwarded)
		}
		if string(got.Key) != "k" || string(got.Value) != string(rec.Value) || (got.Value == nil) != (rec.Value == nil) || got.Headers[0].Key != "id" || got.Topic != "" {
			t.Fatalf("%+v is forwarded as %+v", rec, got)
		}
		if _, forwarded := ReadForward(&rec); forwarded || headers[:2][1].Key != "" {
			t.Fatalf("the record was changed: %+v", headers[:2])
		}
	})
}

// TestForwardToNowhere: a record with a header that cannot be read was forwarded, to no entry that
// there is.
func TestForwardToNowhere(t *testing.T) {
	for _, to := range []string{"", "/", "training/1", "training/-1/3", "training/1/3/4", "training/1/99999999999999999999", "/1/3"} {
		rec := &stream.Record{Headers: []stream.Header{{Key: ForwardedTo, Value: []byte(to)}}}
		if f, forwarded := ReadForward(rec); !forwarded || f.To.Partition >= 0 || f.To.Offset >= 0 || f.From.Offset >= 0 {
			t.Errorf("%q is read as %+v, %v", to, f, forwarded)
		}
	}
}
