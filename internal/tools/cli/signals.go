package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
)

// stopped is why a context ended: a signal.
type stopped struct{ signal os.Signal }

func (s stopped) Error() string { return "stopped by the signal " + s.signal.String() }

// Is makes it a context.Canceled, for those who look at the cause.
func (s stopped) Is(target error) bool { return target == context.Canceled }

// again is how long after the first signal another one is a second: coreutils' timeout sends its
// signal to the process and to its group, within a millisecond.
const again = time.Second

// untilSignal returns a context that ends with the first signal. One that comes so much later calls
// second. release ends the waiting.
func untilSignal(parent context.Context, signals <-chan os.Signal, later time.Duration,
	second func(os.Signal)) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	released := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case first := <-signals:
			cancel(stopped{first})
		case <-released:
			return
		}
		for began := time.Now(); ; {
			select {
			case s := <-signals:
				if time.Since(began) >= later {
					second(s)
					return
				}
			case <-released:
				return
			}
		}
	}()
	return ctx, func() {
		close(released)
		<-ended
		cancel(nil)
	}
}

// Stopped returns nil where err says no more than that ctx has ended: a program that
// runs until it is stopped has then done what it should.
func Stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// causeOf returns err, or where it says no more than that ctx has ended, an error that says why.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) || errors.As(err, new(logged)) {
		return err
	}
	return interrupted{err, context.Cause(ctx)}
}

// interrupted is work that was stopped. It hides the error of the work, so that the exit code is
// not that of wrong input.
type interrupted struct{ work, cause error }

// Error says what stopped the work, in the words of the work.
func (i interrupted) Error() string {
	return strings.ReplaceAll(i.work.Error(), context.Canceled.Error(), i.cause.Error())
}
