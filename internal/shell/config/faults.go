package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/alecthomas/kong"
)

// faults collects the problems of values; kong would stop at the first.
type faults struct {
	list []string
	bad  []*kong.Value
	from string // the variable or the line of the file that is being read; empty for a flag
}

func (f *faults) add(problem string) { f.list = append(f.list, problem) }

// addAll adds an error, or each of several that were joined.
func (f *faults) addAll(err error) {
	if err == nil {
		return
	}
	// Not errors.As: the text around a wrapped error belongs to all of it.
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		f.add(err.Error())
		return
	}
	for _, e := range joined.Unwrap() {
		f.addAll(e)
	}
}

// restore sets invalid values to their default, so that they are not reported again as empty.
func (f *faults) restore() error {
	for _, v := range f.bad {
		if err := v.Reset(); err != nil {
			return fmt.Errorf("set the default of --%s: %w", v.Name, err)
		}
	}
	return nil
}

// watch wraps the mapper of each value.
func watch(app *kong.Kong) *faults {
	f := &faults{}
	// Visit fails only if the function does.
	_ = kong.Visit(app.Model.Node, func(node kong.Visitable, next kong.Next) error {
		if v, ok := node.(*kong.Value); ok {
			v.Mapper = watched{v.Mapper, f}
		}
		return next(nil)
	})
	return f
}

// watched is a mapper that collects its errors.
type watched struct {
	kong.Mapper
	faults *faults
}

func (w watched) IsBool() bool {
	b, ok := w.Mapper.(kong.BoolMapper)
	return ok && b.IsBool()
}

// Decode reads a value. Only a missing value stops the parsing of the command line.
func (w watched) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	v, token := ctx.Value, ctx.Scan.Peek()
	isMissing := !token.IsValue() || v.Required && token.String() == ""
	if isMissing && v.Flag != nil && !v.IsBool() && !v.IsCounter() {
		return fmt.Errorf("the value is missing: write --%s=%s", v.Name, v.Flag.FormatPlaceHolder())
	}
	from := cmp.Or(w.faults.from, v.ShortSummary())
	err := w.Mapper.Decode(ctx, target)
	if err != nil {
		w.faults.add(from + ": " + complaint(target, token.String(), err))
		if !errors.As(err, new(fileError)) { // such a value stays, or a rule would report the flag as missing
			w.faults.bad = append(w.faults.bad, v)
			target.SetZero()
		}
	}
	if list, ok := target.Interface().([]string); ok {
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		if v.Name == "brokers" && len(list) == 0 {
			w.faults.add(from + ": no broker is given: name at least one, like 127.0.0.1:9092")
			w.faults.bad = append(w.faults.bad, v)
		}
	}
	return nil
}

// complaint says what value is wanted.
func complaint(target reflect.Value, got string, err error) string {
	if target.Kind() == reflect.Pointer { // of a flag that tells 0 from none
		target = reflect.Zero(target.Type().Elem())
	}
	switch target.Interface().(type) {
	case stream.Secret:
		return "the value cannot be read"
	case time.Duration:
		return fmt.Sprintf("%q is not a time: want a number with a unit, like 500ms, 10s or 2m", got)
	case bool:
		return fmt.Sprintf("%q is not true or false", got)
	case int, int64:
		return fmt.Sprintf("%q is not a whole number", got)
	case uint, uint64:
		return fmt.Sprintf("%q is not a whole number of at least 0", got)
	case float64:
		return fmt.Sprintf("%q is not a number", got)
	case map[string]float64:
		return fmt.Sprintf("%q is not a name with a number, like spam=0.2", got)
	}
	return err.Error()
}

// Answer is a help or version text that the user asked for instead of a run. It is an error because
// it ends a program like one; it is written to standard output, with exit code 0.
type Answer string

// Error returns the text.
func (a Answer) Error() string { return string(a) }

// UsageError holds all problems of a command line and its settings, each in one line.
type UsageError struct {
	Program  string
	Problems []string
}

// Error returns the problems, one a line.
func (e *UsageError) Error() string { return strings.Join(e.Problems, "\n") }

// ExitCode is 2: invalid usage or input.
func (e *UsageError) ExitCode() int { return 2 }
