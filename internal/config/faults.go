package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"bayestream/internal/stream"

	"github.com/alecthomas/kong"
)

// faults collects what is wrong with values, where kong would stop at the first.
type faults struct {
	list []string
	bad  []*kong.Value
	from string // the variable, or the line of the file, that is being read; the flag when empty
}

func (f *faults) add(problem string) { f.list = append(f.list, problem) }

// addAll adds an error, and each of several that were joined.
func (f *faults) addAll(err error) {
	if err == nil {
		return
	}
	// Not errors.As: one that is wrapped has words around it, which belong to all.
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		f.add(err.Error())
		return
	}
	for _, e := range joined.Unwrap() {
		f.addAll(e)
	}
}

// restore gives values that could not be read their default, so that they are not
// complained about again for being empty.
func (f *faults) restore() error {
	for _, v := range f.bad {
		if err := v.Reset(); err != nil {
			return fmt.Errorf("set the default of --%s: %w", v.Name, err)
		}
	}
	return nil
}

// watch puts itself between kong and the mapper of each value.
func watch(app *kong.Kong) *faults {
	f := &faults{}
	// A Visit with a function that fails at nothing does not fail.
	_ = kong.Visit(app.Model.Node, func(node kong.Visitable, next kong.Next) error {
		if v, ok := node.(*kong.Value); ok {
			v.Mapper = watched{v.Mapper, f}
		}
		return next(nil)
	})
	return f
}

// watched is a mapper whose errors are collected.
type watched struct {
	kong.Mapper
	faults *faults
}

// IsBool hands on what the mapper says: a flag without a value.
func (w watched) IsBool() bool {
	b, ok := w.Mapper.(kong.BoolMapper)
	return ok && b.IsBool()
}

// Decode reads a value. Only a missing one ends the reading of the command line.
func (w watched) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	v, token := ctx.Value, ctx.Scan.Peek()
	if !token.IsValue() && v.Flag != nil && !v.IsBool() && !v.IsCounter() {
		return fmt.Errorf("the value is missing: write --%s=%s", v.Name, v.Flag.FormatPlaceHolder())
	}
	err := w.Mapper.Decode(ctx, target)
	if err != nil {
		from := w.faults.from
		if from == "" {
			from = v.ShortSummary()
		}
		w.faults.add(from + ": " + complaint(target, token.String(), err))
		if !errors.As(err, new(fileError)) { // else it stays, or a rule would say that the flag is missing
			w.faults.bad = append(w.faults.bad, v)
			target.SetZero()
		}
	}
	if list, ok := target.Interface().([]string); ok {
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
	}
	return nil
}

// complaint says what a value should have been.
func complaint(target reflect.Value, got string, err error) string {
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
		return fmt.Sprintf("%q is not a whole number from 0 on", got)
	case float64:
		return fmt.Sprintf("%q is not a number", got)
	}
	return err.Error()
}
