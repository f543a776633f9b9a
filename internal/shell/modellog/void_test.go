package modellog_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// learnedLog returns a topic "log" of a spec at offset 0 and n deltas of one document each behind
// it.
func learnedLog(t *testing.T, n int) *kafkatest.Memory {
	t.Helper()
	memory := kafkatest.NewMemory()
	memory.CreateTopic("log", 1)
	for _, rec := range numbersLog(t, n).Records {
		produce(t, memory, rec.Value, nil)
	}
	return memory
}

// produce appends a record to the topic "log" and returns its offset.
func produce(t *testing.T, memory *kafkatest.Memory, value []byte, err error) int64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	offset, err := memory.Produce(t.Context(), "log", 0, []stream.Record{{Value: value}})
	if err != nil {
		t.Fatal(err)
	}
	return offset
}

// voidRecords takes the records [from, to) out of the topic "log".
func voidRecords(t *testing.T, memory *kafkatest.Memory, from, to int64) {
	t.Helper()
	if _, err := modellog.VoidRecords(t.Context(), memory, "log", from, to, "test"); err != nil {
		t.Fatal(err)
	}
}

// newerRecord is one of a later version.
var newerRecord = []byte{1 << 3, codec.Format + 1}

// mustEqualReplay compares a follower with a state that reads the log from its start.
func mustEqualReplay(t *testing.T, f *follower, memory *kafkatest.Memory) {
	t.Helper()
	fresh := fold.New(false)
	if err := modellog.Replay(t.Context(), memory, "log", fresh, -1, nil); err != nil {
		t.Fatal(err)
	}
	f.Read(func(s *fold.State) {
		if got, want := storetest.Dump(t, s), storetest.Dump(t, fresh); got != want {
			t.Errorf("the follower has\n%s\na replay gives\n%s", got, want)
		}
	})
}

// TestVoidRebuilds: a replica that counted what a void takes out starts over, in a new epoch,
// without an alarm.
func TestVoidRebuilds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := learnedLog(t, 4)
		f := follow(t, memory)
		epoch, err := f.CatchUp(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		voidRecords(t, memory, 3, 4)
		rebuilds, told, _ := f.last(time.Minute)
		if rebuilds != 1 || told != 0 || epoch.Holds() {
			t.Errorf("%d rebuilds, halted %d times, the epoch holds: %v; want one rebuild that ends the epoch", rebuilds, told, epoch.Holds())
		}
		f.Read(func(s *fold.State) {
			if p, _ := s.Progress(fold.Source{Topic: "t"}); p.Watermark != 2 || s.Model().Classes().Total() != 2 || s.Era() != 6 {
				t.Errorf("%d documents up to offset %d in era %d, want those before the void: 2 up to 2 in era 6", s.Model().Classes().Total(), p.Watermark, s.Era())
			}
		})
		mustEqualReplay(t, f, memory)
	})
}

// TestVoidIsLost: a new leader loses the void for which a replica starts over, before the replica
// has reached it. What it takes out counts.
func TestVoidIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := learnedLog(t, 4)
		f := follow(t, memory)
		if _, err := f.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		lost := false
		memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "fetch" && !r.Single && r.Offset == 0 && !lost {
				lost = true
				memory.Elect("log", 0, 5)
			}
			return nil
		})
		voidRecords(t, memory, 3, 4)
		f.last(time.Minute)
		f.Read(func(s *fold.State) {
			if n := s.Model().Classes().Total(); !lost || n != 4 || s.Next() != 5 {
				t.Errorf("the void is lost: %v; %d documents at offset %d, want all 4 at 5", lost, n, s.Next())
			}
		})
		mustEqualReplay(t, f, memory)
	})
}

// TestVoidOfOtherRecords: a void whose checksums are not those of the log is invalid.
func TestVoidOfOtherRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := learnedLog(t, 4)
		f := follow(t, memory)
		crc := func(offset int) uint32 { return codec.Checksum(memory.Records("log", 0)[offset].Value) }
		for _, v := range []*fold.Void{
			{From: 2, To: 4, FirstCRC: crc(2), LastCRC: crc(2), Recount: true},
			{From: 2, To: 4, FirstCRC: crc(3), LastCRC: crc(3), Recount: true},
			{From: 2, To: 40, FirstCRC: crc(2), LastCRC: crc(2), Recount: true},
		} {
			value, err := codec.EncodeControl(&fold.Control{Void: v})
			produce(t, memory, value, err)
		}
		rebuilds, _, _ := f.last(time.Minute)
		f.Read(func(s *fold.State) {
			if n := s.Model().Classes().Total(); rebuilds != 0 || n != 4 || s.Next() != 8 || s.Era() != 0 {
				t.Errorf("%d documents at offset %d after %d rebuilds, in era %d; want all 4 at 8", n, s.Next(), rebuilds, s.Era())
			}
		})
		mustEqualReplay(t, f, memory)
	})
}

// TestNewerWaitsForVoid: a replica stays before a record that it does not know, says so, and goes
// on by itself when a void of it comes. One that starts later reads ahead and does not stay.
func TestNewerWaitsForVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := learnedLog(t, 2)
		offset := produce(t, memory, newerRecord, nil)
		f := follow(t, memory)
		rebuilds, told, reason := f.last(time.Hour)
		var newer *codec.NewerError
		if !errors.As(reason, &newer) || newer.Offset != offset || !strings.Contains(reason.Error(), "bayestream log --void 3") || told < 60 || told > 70 {
			t.Errorf("halted %d times, at last for %v; want once a minute that offset %d is not known", told, reason, offset)
		}
		voidRecords(t, memory, offset, offset+1)
		again, _, reason := f.last(2 * time.Minute)
		if rebuilds != 0 || again != 0 || reason != nil || f.next() != offset+2 {
			t.Errorf("at offset %d after %d rebuilds, halted: %v; want all folded, and no rebuild", f.next(), again, reason)
		}
		mustEqualReplay(t, f, memory)
		late := follow(t, memory)
		if rebuilds, told, _ := late.last(time.Minute); rebuilds+told != 0 || late.next() != offset+2 {
			t.Errorf("a later replica is at offset %d after %d rebuilds, halted %d times", late.next(), rebuilds, told)
		}
	})
}

// TestVoidOfVoid: a void that is taken out itself does not count, also when it is read ahead.
func TestVoidOfVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := learnedLog(t, 1)
		newer := produce(t, memory, newerRecord, nil)
		voidRecords(t, memory, newer, newer+1)   // 3
		voidRecords(t, memory, newer+1, newer+2) // 4 takes it back
		f := follow(t, memory)
		if _, _, reason := f.last(time.Hour); reason == nil || f.next() != newer {
			t.Errorf("at offset %d, halted: %v; want it before offset %d", f.next(), reason, newer)
		}
		voidRecords(t, memory, newer, newer+2) // 5
		if _, _, reason := f.last(2 * time.Minute); reason != nil || f.next() != 6 {
			t.Errorf("at offset %d, halted: %v; want all folded", f.next(), reason)
		}
		mustEqualReplay(t, f, memory)
	})
}

// TestVoidOfDeletedRecords: without the start of the log, a state that counted what a void takes
// out cannot be made anew.
func TestVoidOfDeletedRecords(t *testing.T) {
	memory := learnedLog(t, 4)
	s := fold.New(false)
	if err := modellog.Replay(t.Context(), memory, "log", s, -1, nil); err != nil {
		t.Fatal(err)
	}
	voidRecords(t, memory, 2, 3)
	memory.Truncate("log", 0, 1)
	err := modellog.Replay(t.Context(), memory, "log", s, -1, nil)
	var truncated *modellog.TruncatedError
	if !errors.As(err, &truncated) {
		t.Errorf("Replay: %v, want a TruncatedError", err)
	}
}

// TestCommandTriesAgain: a record that comes between makes a control stale; it is built again.
func TestCommandTriesAgain(t *testing.T) {
	memory := learnedLog(t, 4)
	built := 0
	build := func(ctx context.Context, log modellog.Reader, topic string, s *fold.State) (*fold.Control, error) {
		c, err := modellog.Rollback(3, "test")(ctx, log, topic, s)
		built++
		if built == 1 {
			produce(t, memory, []byte("another record"), nil)
		}
		return c, err
	}
	s := fold.New(false)
	offset, err := modellog.Command(t.Context(), memory, "log", s, build)
	if err != nil || built != 2 || s.Era() != uint64(offset)+1 || s.Model().Classes().Total() != 2 {
		t.Errorf("in force at offset %d after %d attempts, era %d, %v", offset, built, s.Era(), err)
	}
	if p, _ := s.Progress(fold.Source{Topic: "t"}); p.Watermark != 4 {
		t.Errorf("watermark %d, want that before the rollback: 4", p.Watermark)
	}
}

// TestCommandsRefuse: what must not be made is not appended.
func TestCommandsRefuse(t *testing.T) {
	memory := learnedLog(t, 4)
	named := modeltest.Spec(t, "numbers: [{fields: [x]}]\ntext: null\nprior: {class 0: 0.5, class 9: 0.5}\n")
	value, err := codec.EncodeSpec(named, fold.LogID{})
	produce(t, memory, value, err)
	for name, build := range map[string]modellog.Build{
		"a rollback to before the first record": modellog.Rollback(0, "test"),
		"a rollback to the end":                 modellog.Rollback(6, "test"),
		"a rename of no class":                  modellog.Rename("nobody", "b", "test"),
		"a rename of a class in the spec":       modellog.Rename("class 0", "b", "test"),
		"a rename to the same name":             modellog.Rename("class 1", "class 1", "test"),
		"a reason without end":                  modellog.Reset(strings.Repeat("x", codec.MaxWhy+1)),
	} {
		_, err := modellog.Command(t.Context(), memory, "log", fold.New(false), build)
		var refused *modellog.RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a RefusedError", name, err)
		}
	}
	if _, err := modellog.VoidRecords(t.Context(), memory, "log", 6, 7, "test"); err == nil {
		t.Error("a void of a record that is not there was appended")
	}
	if n := len(memory.Records("log", 0)); n != 6 {
		t.Errorf("the log has %d records, want none more than 6", n)
	}
}

// TestCommandStartsOver: a rollback that was appended behind a new leader, which had lost records,
// is built again from what the log has now. A mark from a record that was lost would say that its
// source offsets were counted.
func TestCommandStartsOver(t *testing.T) {
	memory := learnedLog(t, 4)
	records := memory.Records("log", 0)
	lost := false
	memory.Intercept(func(r kafkatest.MemoryRequest) error {
		if lost || len(r.Records) == 0 {
			return nil
		}
		lost = true
		memory.Elect("log", 0, 2) // the spec and one delta are left
		for _, value := range [][]byte{[]byte("unreadable"), []byte("unreadable"), records[2].Value, []byte("unreadable")} {
			produce(t, memory, value, nil)
		}
		return nil
	})
	at, err := modellog.Command(t.Context(), memory, "log", fold.New(false), modellog.Rollback(2, "test"))
	if err != nil || !lost {
		t.Fatalf("Command: %d, %v", at, err)
	}
	before := fold.New(false)
	if err := modellog.Replay(t.Context(), memory, "log", before, at, nil); err != nil {
		t.Fatal(err)
	}
	e, err := codec.Decode(memory.Records("log", 0)[at].Value, before.Next(), before.Reading())
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range e.Control.Void.Marks {
		want, _ := before.Progress(mark.Source)
		if mark.Progress != want || want.Watermark != 2 {
			t.Errorf("%v is marked as counted up to %+v, and was counted up to %+v", mark.Source, mark.Progress, want)
		}
	}
}

// pairs is a log that is read by two records at once.
type pairs struct{ *kafkatest.Memory }

func (p pairs) Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	got, err := p.Memory.Fetch(ctx, request)
	if len(got.Records) > 2 {
		got.Records = got.Records[:2]
		got.Next = got.Records[1].Offset + 1
	}
	return got, err
}

// TestReplayMeetsANewLeader: a new leader that has lost records which were read makes the state
// start over, between two fetches and between two calls.
func TestReplayMeetsANewLeader(t *testing.T) {
	for _, during := range []bool{true, false} {
		memory := learnedLog(t, 4)
		second := memory.Records("log", 0)[2].Value
		lost := false
		lose := func() {
			if lost {
				return
			}
			lost = true
			memory.Elect("log", 0, 2) // the spec and one delta are left
			for _, value := range [][]byte{[]byte("unreadable"), []byte("unreadable"), []byte("unreadable"), second} {
				produce(t, memory, value, nil)
			}
		}
		state := fold.New(false)
		each := func(e fold.Entry, _ fold.Outcome) {
			if during && e.Offset == 3 {
				lose()
			}
		}
		if err := modellog.Replay(t.Context(), pairs{memory}, "log", state, -1, each); err != nil {
			t.Fatal(err)
		}
		lose()
		if err := modellog.Replay(t.Context(), memory, "log", state, -1, nil); err != nil {
			t.Fatal(err)
		}
		fresh := fold.New(false)
		if err := modellog.Replay(t.Context(), memory, "log", fresh, -1, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := storetest.Dump(t, state), storetest.Dump(t, fresh); got != want {
			t.Errorf("a new leader while it is read %v: the state has\n%s\na replay gives\n%s", during, got, want)
		}
	}
}
