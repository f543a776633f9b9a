package worker

import (
	"context"
	"errors"
	"testing"

	"bayestream/internal/shell/stream"
)

// answers is a broker that has the same answer to every fetch.
type answers struct {
	got stream.Fetched
	err error
}

func (a answers) Fetch(context.Context, stream.FetchRequest) (stream.Fetched, error) {
	return a.got, a.err
}

// TestReadAt: a record that is gone, or that no client can read, is none; trouble that may pass is
// an error. A text in a damaged batch would otherwise be read again forever, and its partition
// would stand still.
func TestReadAt(t *testing.T) {
	record := stream.Record{Topic: "t", Offset: 7}
	for name, c := range map[string]struct {
		broker answers
		found  bool
		fails  bool
	}{
		"there":              {answers{got: stream.Fetched{Records: []stream.Record{{Topic: "t", Offset: 6}, record}}}, true, false},
		"compacted":          {answers{got: stream.Fetched{Records: []stream.Record{{Topic: "t", Offset: 8}}}}, false, false},
		"deleted":            {answers{err: &stream.OffsetError{Topic: "t", Offset: 7, LogStart: 9, End: 12}}, false, false},
		"no topic":           {answers{err: stream.ErrUnknownTopic}, false, false},
		"a damaged batch":    {answers{err: &stream.BatchError{Topic: "t", Offset: 7, Next: 8, Err: errors.New("the checksum is wrong")}}, false, false},
		"trouble with Kafka": {answers{err: stream.ErrRetriable}, false, true},
	} {
		rec, err := ReadAt(t.Context(), c.broker, "t", 0, 7)
		if (rec != nil) != c.found || (err != nil) != c.fails {
			t.Errorf("%s: %v, %v", name, rec, err)
		}
	}
}
