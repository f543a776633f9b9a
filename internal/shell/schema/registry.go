package schema

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"

	"github.com/twmb/franz-go/pkg/sr"
)

// Shelf keeps schemas where they outlive the process and the registry.
type Shelf interface {
	// KeepSchema keeps a schema under a name.
	KeepSchema(name string, schema []byte) error
	// KeptSchema returns the schema that is kept under a name, nil if there is none.
	KeptSchema(name string) ([]byte, error)
}

// Registry knows schemas by their ids. It is safe for concurrent use.
type Registry struct {
	client *sr.Client
	at     string // its addresses, for errors
	shelf  Shelf  // nil: nothing is kept
	now    func() time.Time

	mu      sync.Mutex
	cached  map[schemaID]*reader
	bytes   int // of the texts of the cached schemas
	missing map[schemaID]*absence
}

// absence says since when the registry does not know an id. It is immutable.
type absence struct {
	since, asked time.Time
	err          error // the answer of then
}

const (
	// cacheBytes bounds the texts of the cached schemas. In memory they take some ten times as much.
	cacheBytes = 4 << 20
	// patience is how long a registry must say that it does not know an id.
	patience = time.Minute
	// askEach is the least time between two questions for an id that the registry does not know.
	askEach = time.Second
	// mostMissing bounds the ids that are remembered as unknown. Others wait until there is room.
	mostMissing = 1 << 10
	// mostAsked bounds the unknown ids of one fetch that are asked for: they become known, or are
	// given up, at the same time.
	mostAsked = 256
)

// New returns a registry that keeps schemas on a shelf, if that is not nil. It uses no network.
func New(c Config, shelf Shelf) (*Registry, error) {
	client, err := c.client()
	if err != nil {
		return nil, fmt.Errorf("schema registry: %w", err)
	}
	return &Registry{client: client, at: c.String(), shelf: shelf, now: time.Now, cached: map[schemaID]*reader{},
		missing: map[schemaID]*absence{}}, nil
}

// Attach sets the Schema of the records that name one, and returns how many are ready: if not all,
// the error is a *WaitError that says what the next one waits for. Once the registry has said for a
// minute that it does not know an id, the records with that id get a Schema that refuses them.
func (r *Registry) Attach(ctx context.Context, records []record.Record) (ready int, err error) {
	ready = len(records)
	var last schemaID
	var schema record.Schema
	absent := map[schemaID]bool{}
	for i := range records {
		f, ok := frameOf(&records[i])
		if !ok || absent[f.key] {
			continue
		}
		if schema != nil && f.key == last {
			records[i].Schema = schema
			continue
		}
		got, waits := r.schema(ctx, f.key)
		if waits == nil {
			schema = got
			last = f.key
			records[i].Schema = got
			continue
		}
		if err == nil {
			ready = i
			err = waits
		}
		absent[f.key] = true
		if !isAbsent(waits) || len(absent) == mostAsked {
			break
		}
	}
	return ready, err
}

// WaitError says why the schema of a record is not known yet. It is never a reason to pass over the
// record.
type WaitError struct {
	Name string // of the schema
	At   string // addresses of the registry
	Err  error
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("a record waits for schema %s of the registry %s: %v", e.Name, e.At, e.Err)
}

// Unwrap returns what the registry answers.
func (e *WaitError) Unwrap() error { return e.Err }

// schema returns a schema: from memory, from the shelf, from the registry. The error is a
// *WaitError.
func (r *Registry) schema(ctx context.Context, k schemaID) (record.Schema, error) {
	if s := r.find(k); s != nil {
		return s, nil
	}
	if a := r.absent(k); a != nil && r.now().Sub(a.asked) < askEach {
		return r.judge(k, a)
	}
	text, err := r.load(ctx, k)
	if isAbsent(err) {
		return r.judge(k, r.miss(k, err))
	}
	if err != nil {
		r.doubt(k)
		return nil, r.waits(k, err)
	}
	return r.add(k, text), nil
}

// load returns the text of a schema, and keeps what the registry answers before it is used.
func (r *Registry) load(ctx context.Context, k schemaID) (*text, error) {
	if r.shelf != nil {
		kept, err := r.shelf.KeptSchema(k.String())
		if err != nil || kept != nil {
			return readText(kept), err
		}
	}
	t, err := r.ask(ctx, k)
	if err == nil && r.shelf != nil && t.unusable == nil {
		err = r.shelf.KeepSchema(k.String(), t.bytes())
	}
	return t, err
}

func (r *Registry) waits(k schemaID, err error) error { return &WaitError{k.String(), r.at, err} }

func (r *Registry) find(k schemaID) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cached[k]
}

// add makes a text ready for use. A cache that is full begins again with it.
func (r *Registry) add(k schemaID, t *text) *reader {
	s := compile(k, t)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.missing, k)
	if other := r.cached[k]; other != nil {
		return other // another partition was faster
	}
	r.bytes += s.size
	if r.bytes > cacheBytes {
		clear(r.cached)
		r.bytes = s.size
	}
	r.cached[k] = s
	return s
}

// absent returns what is known of an id that the registry did not know, nil if nothing is.
func (r *Registry) absent(k schemaID) *absence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.missing[k]
}

// doubt forgets that the registry did not know an id: a registry with a fault in between has not
// said it for a minute.
func (r *Registry) doubt(k schemaID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.missing, k)
}

// miss notes that the registry does not know an id, and returns since when. If nobody has asked for
// long, or there is no room to note it, that begins now.
func (r *Registry) miss(k schemaID, err error) *absence {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if len(r.missing) >= mostMissing { // those that are given up are asked for no more
		maps.DeleteFunc(r.missing, func(_ schemaID, a *absence) bool { return now.Sub(a.asked) > patience })
	}
	is := absence{since: now, asked: now, err: err}
	a := r.missing[k]
	if a != nil && now.Sub(a.asked) <= patience {
		is.since = a.since
	}
	if a != nil || len(r.missing) < mostMissing {
		r.missing[k] = &is
	}
	return &is
}

// judge returns the Schema that refuses the records of an id that the registry has not known for
// long enough, and the *WaitError of one that it may know soon.
func (r *Registry) judge(k schemaID, a *absence) (record.Schema, error) {
	if a.asked.Sub(a.since) < patience {
		return nil, r.waits(k, a.err)
	}
	return &reader{key: k, refused: wire.Rejectf(wire.UnknownSchema, "the registry %s has said for %s that it has no "+
		"schema %s", r.at, patience, k)}, nil
}

// isAbsent reports whether a registry says that it does not know what was asked for. A server on
// the way, which knows no schemas, has no codes of a registry.
func isAbsent(err error) bool {
	var answer *sr.ResponseError
	const firstCode, lastCode = 40400, 40499
	return errors.As(err, &answer) && answer.ErrorCode >= firstCode && answer.ErrorCode <= lastCode
}
