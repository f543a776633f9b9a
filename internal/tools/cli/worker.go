package cli

import (
	"context"
	"io"
	"log/slog"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/shell/escape"
)

// Settings are the configurations of the workers.
type Settings interface {
	config.Ingest | config.Classify
	LogLevel() slog.Level
}

// Worker returns the program that runs a worker until a signal: it reads and checks
// the configuration, logs it, and calls run. program is the name as it is typed.
func Worker[T Settings](program string, run func(context.Context, T, *slog.Logger) error) Program {
	return func(ctx context.Context, p Process) error {
		c, err := config.Parse[T](program, p.Args, p.LookupEnv)
		if err != nil {
			return err
		}
		log := logger(p.Stderr, c.LogLevel())
		slog.SetDefault(log) // what libraries log, too, looks like ours
		log.Info(program+" starts", "version", version.Read(), "config", c)
		told := announceStop(ctx, log)
		err = Stopped(ctx, run(ctx, c, log))
		told()
		if err != nil {
			log.Error(program+" failed", "error", err)
			return logged{err}
		}
		log.Info(program + " ended")
		return nil
	}
}

// announceStop logs that ctx has ended, when it does. The function that it returns
// makes sure that this is the past.
func announceStop(ctx context.Context, log *slog.Logger) (told func()) {
	done := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		defer close(done)
		log.Info("stopping: what is in flight is finished; a second signal ends at once", "cause", context.Cause(ctx))
	})
	return func() {
		if !forget() {
			<-done
		}
	}
}

// logger returns a logger that writes text for people and JSON for programs.
func logger(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: readable}
	if Terminal(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(escaped{w}, options))
}

// readable writes a duration with its unit: JSON would have a bare number of nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// escaped writes lines of JSON as they may be read on a terminal. The handler of text quotes what
// needs it by itself.
type escaped struct{ to io.Writer }

func (e escaped) Write(line []byte) (int, error) {
	if _, err := e.to.Write(escape.JSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// logged is an error that the logger has told already.
type logged struct{ error }

func (l logged) Unwrap() error { return l.error }
