package budget

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"testing/synctest"
)

// Who waits gets room in order, also who is larger than the share; and nobody gets any before him.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1600) // 400 for answers
		first, err := b.Take(t.Context(), Answers, 300)
		if err != nil {
			t.Fatal(err)
		}
		order := make(chan int, 3)
		rooms := make([]*Room, 3)
		for i, n := range []int{5000, 100, 400} {
			go func() {
				rooms[i], _ = b.Take(t.Context(), Answers, n)
				order <- i
			}()
			synctest.Wait()
		}
		if first.Grow(1) || len(order) > 0 {
			t.Errorf("room was taken before one who waits for it")
		}
		if _, ok := b.Try(Fetched, 500); !ok {
			t.Error("the share of another kind is full")
		}
		first.Release()
		first.Release()
		for i := range rooms {
			synctest.Wait()
			if len(order) != 1 || <-order != i {
				t.Fatalf("the %d. did not get its room alone", i+1)
			}
			rooms[i].Release()
		}
		if b.Held(Answers) != 0 || b.Held(Fetched) != 500 || b.Most() != 5500 {
			t.Errorf("%d and %d bytes are held, at most %d were", b.Held(Answers), b.Held(Fetched), b.Most())
		}
	})
}

// Who stops waiting leaves nothing behind, and lets those behind him pass.
func TestTakeIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1600)
		first, _ := b.Take(t.Context(), Answers, 300)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		go func() {
			_, err := b.Take(ctx, Answers, 400)
			ended <- err
		}()
		synctest.Wait()
		go func() {
			_, err := b.Take(t.Context(), Answers, 100)
			ended <- err
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if got := []error{<-ended, <-ended}; !errors.Is(errors.Join(got...), context.Canceled) || got[0] != nil && got[1] != nil {
			t.Errorf("they ended with %v", got)
		}
		first.Release()
		if b.Held(Answers) != 100 {
			t.Errorf("%d bytes are held, want 100", b.Held(Answers))
		}
	})
}

// What is there is counted, also if it is more than was expected: then nobody else gets room before
// it is given back.
func TestAdd(t *testing.T) {
	b := New(1600)
	room, ok := b.Try(Answers, 100)
	if !ok || !room.Grow(200) || room.Grow(200) {
		t.Fatal("want room for 300 bytes of 400")
	}
	room.Add(500)
	if _, ok := b.Try(Answers, 1); ok || b.Held(Answers) != 800 {
		t.Errorf("%d bytes are held, and there is room: %v", b.Held(Answers), ok)
	}
	room.Resize(50)
	if second, ok := b.Try(Answers, 350); !ok || room.Bytes() != 50 || second.Bytes() != 350 {
		t.Errorf("no room is left beside %d bytes", room.Bytes())
	}
}

func TestNoBudget(t *testing.T) {
	var b *Budget
	room, err := b.Take(t.Context(), Answers, 1<<30)
	if err != nil || !room.Grow(1<<30) || room.Bytes() != 0 {
		t.Errorf("got %v", err)
	}
	room.Release()
}

func TestShares(t *testing.T) {
	sum := 0
	for _, k := range Kinds() {
		sum += New(16 << 20).Share(k)
	}
	if sum != 16<<20 {
		t.Errorf("the shares are %d bytes, want %d", sum, 16<<20)
	}
}

func TestParse(t *testing.T) {
	for size, want := range map[string]int{"512MiB": 512 << 20, "1GiB": 1 << 30, "8KiB": 8 << 10, "": Default(), "8": 0, "MiB": 0, "-1MiB": 0, "0MiB": 0, "1.5GiB": 0, "99999999999GiB": 0} {
		if got, err := Parse(size); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: got %d, %v; want %d", size, got, err, want)
		}
	}
}

// The default is a quarter of what the process may have, within bounds.
func TestDefault(t *testing.T) {
	for limit, want := range map[string]int{"200MiB": 50 << 20, "100GiB": 96 << 20, "1MiB": 8 << 20} {
		n, err := Parse(limit)
		if err != nil {
			t.Fatal(err)
		}
		if got := of(int64(n)); got != want {
			t.Errorf("%s: got %d, want %d", limit, got, want)
		}
	}
}

func TestCgroupLimit(t *testing.T) {
	for files, want := range map[string]int64{"memory.max 1048576\n": 1 << 20, "memory.max max\n": math.MaxInt64, "memory.limit_in_bytes 1048576\n": 1 << 20, "": math.MaxInt64} {
		read := func(name string) ([]byte, error) {
			file, content, _ := strings.Cut(files, " ")
			if file == "" || !strings.HasSuffix(name, "/"+file) {
				return nil, os.ErrNotExist
			}
			return []byte(content), nil
		}
		if got := cgroupLimit(read); got != want {
			t.Errorf("%q: got %d, want %d", files, got, want)
		}
	}
}
