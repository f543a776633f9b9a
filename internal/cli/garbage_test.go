package cli

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// percent returns the setting of the collector.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

func TestBriefCollectsLessUntilItEnds(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	p, _, _ := process()
	failed := errors.New("failed")
	err := Brief(func(context.Context, Process) error {
		if got := percent(); got != largePercent {
			t.Errorf("the percentage is %d, want %d", got, largePercent)
		}
		return failed
	})(t.Context(), p)
	if got := percent(); got != 100 || !errors.Is(err, failed) {
		t.Errorf("afterwards the percentage is %d, want 100; error %v", got, err)
	}
}

func TestBriefSavesMemoryOnceThereIsMuch(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	p, _, _ := process()
	err := Brief(func(context.Context, Process) error {
		runtime.GC()
		if got := percent(); got != largePercent {
			t.Errorf("with little memory the percentage is %d, want %d", got, largePercent)
		}
		much := make([]byte, 4*smallHeap)
		for range 1000 {
			runtime.GC()
			if percent() == 100 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if got := percent(); got != 100 {
			t.Errorf("with much memory the percentage is %d, want 100", got)
		}
		runtime.KeepAlive(much)
		return nil
	})(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
}

func TestBriefHeedsTheEnvironment(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(70))
	p, _, _ := process()
	p.LookupEnv = func(name string) (string, bool) { return "70", name == "GOGC" }
	err := Brief(func(context.Context, Process) error {
		if got := percent(); got != 70 {
			t.Errorf("the percentage is %d, want 70 as GOGC says", got)
		}
		return nil
	})(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
}
