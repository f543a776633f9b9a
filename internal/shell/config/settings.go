package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/alecthomas/kong"
)

// flagsOf returns the flags of the struct that c points to; their targets are its fields.
func flagsOf(c any) []*kong.Flag {
	return must(kong.New(c, kong.NoDefaultHelp(), varsOf(c))).Model.Flags
}

// must panics on an error, which only a wrong tag can cause.
func must(app *kong.Kong, err error) *kong.Kong {
	if err != nil {
		panic(fmt.Sprintf("config: a struct has a wrong tag: %v", err))
	}
	return app
}

// varsOf returns the defaults that differ between workers.
func varsOf(c any) kong.Vars {
	switch c.(type) {
	case *Ingest:
		return kong.Vars{"group": "bayestream-ingest", "state": "./bayestream-ingest.db", "http": "127.0.0.1:7431",
			"offers": " and /v1/labels"}
	case *Classify:
		return kong.Vars{"group": "bayestream-classify", "state": "./bayestream-classify.db", "http": "127.0.0.1:7432",
			"offers": ", /v1/classify and /v1/decisions"}
	}
	return kong.Vars{"group": "", "state": "", "http": "", "offers": " and /v1/labels"}
}

// settings returns the values of all flags of the struct that c points to.
func settings(c any) slog.Value {
	var attrs []slog.Attr
	for _, flag := range flagsOf(c) {
		attrs = append(attrs, slog.Any(flag.Name, shown(flag.Target.Interface())))
	}
	return slog.GroupValue(attrs...)
}

// Setting is a setting in force, as it may be shown to others: no secret is in it.
type Setting struct {
	Name  string `json:"name"`  // of the flag
	Value string `json:"value"` // "" is one that is not set
	Usual bool   `json:"usual"` // it is the default
}

// InForce returns every setting of a worker in the order of its flags.
func InForce[T Ingest | Classify](c T) []Setting {
	usual := Default[T]()
	defaults := flagsOf(&usual)
	var out []Setting
	for i, flag := range flagsOf(&c) {
		value := flag.Target.Interface()
		out = append(out, Setting{flag.Name, fmt.Sprint(shown(value)),
			reflect.DeepEqual(value, defaults[i].Target.Interface())})
	}
	return out
}

// shown returns a value for the log, without secrets.
func shown(value any) any {
	switch v := value.(type) {
	case stream.Secret:
		return v.String()
	case time.Duration:
		return v.String()
	case []string:
		return Redact(strings.Join(v, ","))
	case string:
		return Redact(v)
	}
	return value
}
