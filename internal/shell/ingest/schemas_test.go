package ingest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/schema"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// framed is a broker whose records have the schema that is set, from an offset on.
type framed struct {
	*kafkatest.Memory
	schema record.Schema // nil: the registry is down
}

// JSON Behind a byte: the schema of these tests.
type behindByte struct{}

func (behindByte) JSON(rec *record.Record, dst []byte) (json, grown []byte, err error) {
	return rec.Value[1:], dst, nil
}

// unknownSchema is what a registry attaches that does not know a schema any more.
type unknownSchema struct{}

func (unknownSchema) JSON(_ *record.Record, dst []byte) (json, grown []byte, err error) {
	return nil, dst, wire.Rejectf(wire.UnknownSchema, "it is not there")
}

// Fetch ends before a record that waits for its schema, as a *stream.Client does.
func (f *framed) Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	got, err := f.Memory.Fetch(ctx, request)
	for i := range got.Records {
		switch {
		case err != nil || !request.Schemas || len(got.Records[i].Value) == 0 || got.Records[i].Value[0] != 0:
		case f.schema != nil:
			got.Records[i].Schema = f.schema
		case i == 0:
			return stream.Fetched{}, &schema.WaitError{Name: "7", At: "http://registry", Err: errors.New("it is down")}
		default:
			got.Next = got.Records[i].Offset
			got.Records = got.Records[:i]
			return got, nil
		}
	}
	return got, err
}

// again works on the partition until it fails, and then once more: as the group does.
func (l *loop) again() {
	ctx, stop := context.WithCancel(l.t.Context())
	follow := l.stop
	l.stop = func() { stop(); <-l.ended; follow() }
	go func() {
		defer close(l.ended)
		for ctx.Err() == nil {
			_ = l.partition(ctx, stream.Assignment{Topic: "training"})
			stream.Sleep(ctx, 20*time.Second)
		}
	}()
}

// TestForgetWaitsForItsSchema: whether the registry is down or says that it does not know the
// schema of a document, a document that is forgotten stays owed, and what is before it is counted.
func TestForgetWaitsForItsSchema(t *testing.T) {
	for name, gone := range map[string]record.Schema{"down": nil, "unknown": unknownSchema{}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, nil)
				defer l.end()
				broker := &framed{l.memory, behindByte{}}
				l.broker = broker
				l.train("\x00"+document(1, "a"), document(2, "b"))
				l.again()
				l.wantCounted(2, 2)
				l.end()

				l = startAgain(l)
				broker = &framed{l.memory, gone}
				l.broker = broker
				l.train(document(3, "a"), `{"id":"d1","label":null}`, document(4, "b"))
				l.again()
				l.wantCounted(3, 3)
				time.Sleep(24 * time.Hour)
				l.wantCounted(3, 3)
				if l.host.Trouble == nil || !strings.Contains(l.host.Trouble.Error(), "schema") {
					t.Errorf("the trouble is %v", l.host.Trouble)
				}
				l.end()

				l = startAgain(l)
				broker = &framed{l.memory, behindByte{}}
				l.broker = broker
				l.again()
				l.wantCounted(5, 3)
				l.replica.Read(func(s *fold.State) {
					if p, _ := s.Progress(fold.Source{Topic: "training"}); p.Skipped > 0 || l.host.Trouble != nil {
						t.Errorf("%d are skipped, trouble %v", p.Skipped, l.host.Trouble)
					}
				})
			})
		})
	}
}

// TestOtherPartitionWaitsForItsSchema: a partition that asks up to which time others are counted
// needs no schema of their records.
func TestOtherPartitionWaitsForItsSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "")
		defer l.end()
		l.broker = &framed{l.memory, nil}
		l.write(0, `{"id":"n1","label":"a"}`)
		time.Sleep(time.Second)
		l.write(1, "\x00"+document(1, "a"))
		l.learnBoth()
		l.settle()
		l.wantLedgers("n1=a", "")
	})
}
