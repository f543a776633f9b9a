package schema

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// shelf keeps schemas in memory.
type shelf map[string][]byte

func (s shelf) KeepSchema(name string, schema []byte) error { s[name] = schema; return nil }

func (s shelf) KeptSchema(name string) ([]byte, error) { return s[name], nil }

const noteSchema = `{"type": "record", "name": "Note", "fields": [{"name": "text", "type": "string"}]}`

// note returns a record of a Note, framed with an id.
func note(id byte, text string) record.Record {
	return record.Record{Value: append([]byte{0, 0, 0, 0, id, byte(2 * len(text))}, text...)}
}

// fake returns a registry in this process that has noteSchema under the id 1, and a client of it.
func fake(t *testing.T, on Shelf) (*srfake.Registry, *Registry) {
	t.Helper()
	server := srfake.New()
	t.Cleanup(server.Close)
	server.SeedSchema("notes-value", 1, 1, sr.Schema{Schema: noteSchema})
	return server, client(t, Config{URLs: []string{server.URL()}}, on)
}

func client(t *testing.T, c Config, on Shelf) *Registry {
	t.Helper()
	r, err := New(c, on)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// attach gives records their schemas, and wants so many to be ready.
func attach(t *testing.T, r *Registry, want int, records ...record.Record) error {
	t.Helper()
	n, err := r.Attach(t.Context(), records)
	if n != want {
		t.Errorf("%d records of %d are ready, want %d: %v", n, len(records), want, err)
	}
	if isWaiting := errors.As(err, new(*WaitError)); isWaiting != (want < len(records)) {
		t.Errorf("error %v with %d of %d ready", err, n, len(records))
	}
	return err
}

// jsonOf returns a record as JSON, or why it is refused.
func jsonOf(rec *record.Record) (string, wire.Reason) {
	value, _, err := rec.Schema.JSON(rec, nil)
	var reject *wire.Reject
	if errors.As(err, &reject) {
		return "", reject.Reason
	}
	return string(value), ""
}

func TestRecordsGetTheirSchemas(t *testing.T) {
	server, r := fake(t, nil)
	subject, _ := server.GetSchema("notes-value", 1)
	guid := guidOf(t, subject.GUID)
	plain := record.Record{Value: []byte(`{"text":"plain"}`)}
	header := func(name []byte) record.Record {
		return record.Record{Value: []byte("\x04hi"), Headers: []record.Header{{Key: wire.SchemaHeader, Value: name}}}
	}
	twice := header([]byte{0, 0, 0, 0, 9})
	twice.Headers = append(twice.Headers, header([]byte{0, 0, 0, 0, 1}).Headers...)
	framed := note(1, "two")
	framed.Headers = header(nil).Headers
	records := []record.Record{note(1, "one"), plain, header(append([]byte{1}, guid...)), header([]byte{0, 0, 0, 0, 1}),
		{Value: nil}, {Value: []byte{0}}, header([]byte{7}), twice, framed}
	attach(t, r, len(records), records...)
	var got []string
	for i := range records {
		if records[i].Schema == nil {
			got = append(got, "-")
			continue
		}
		json, _ := jsonOf(&records[i])
		got = append(got, json)
	}
	want := []string{`{"text":"one"}`, "-", `{"text":"hi"}`, `{"text":"hi"}`, "-", "-", "-", `{"text":"hi"}`, `{"text":"two"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func guidOf(t *testing.T, text string) []byte {
	t.Helper()
	var guid []byte
	digits := strings.ReplaceAll(text, "-", "")
	for i := 0; i < len(digits); i += 2 {
		b, err := strconv.ParseUint(digits[i:i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		guid = append(guid, byte(b))
	}
	return guid
}

// TestUnknownIDWaitsForAMinute: the records before it are ready, and it is not given up before the
// registry has said for a minute that it does not know the id.
func TestUnknownIDWaitsForAMinute(t *testing.T) {
	server, r := fake(t, nil)
	now := time.Now()
	r.now = func() time.Time { return now }
	records := []record.Record{note(1, "a"), note(2, "b"), note(3, "c")}
	for range 12 {
		attach(t, r, 1, records...)
		now = now.Add(5 * time.Second)
	}
	now = now.Add(-time.Second)
	attach(t, r, 1, records...)
	now = now.Add(time.Second)
	server.SeedSchema("notes-value", 2, 3, sr.Schema{Schema: noteSchema})
	attach(t, r, 3, records...)
	if _, reason := jsonOf(&records[1]); reason != wire.UnknownSchema {
		t.Errorf("reason %q, want %q", reason, wire.UnknownSchema)
	}
	if json, _ := jsonOf(&records[2]); json != `{"text":"c"}` {
		t.Errorf("got %s", json)
	}
	server.SeedSchema("notes-value", 3, 2, sr.Schema{Schema: noteSchema})
	now = now.Add(askEach)
	again := []record.Record{note(2, "b")}
	attach(t, r, 1, again...)
	if json, _ := jsonOf(&again[0]); json != `{"text":"b"}` {
		t.Errorf("a schema that came late is not used: %s", json)
	}
}

// TestUnknownIDsShareTheMinute: however many records have one of them.
func TestUnknownIDsShareTheMinute(t *testing.T) {
	_, r := fake(t, nil)
	now := time.Now()
	r.now = func() time.Time { return now }
	records := append(slices.Repeat([]record.Record{note(2, "a")}, 2*mostAsked), note(3, "b"))
	for range 12 {
		attach(t, r, 0, records...)
		now = now.Add(5 * time.Second)
	}
	attach(t, r, len(records), records...)
}

// TestUnknownMinuteIsWhole: an answer of long ago, or before a fault, does not count.
func TestUnknownMinuteIsWhole(t *testing.T) {
	server, r := fake(t, nil)
	now := time.Now()
	r.now = func() time.Time { return now }
	isDown := false
	server.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if isDown {
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
		return isDown
	})
	for _, step := range []struct {
		after time.Duration
		down  bool
	}{{0, false}, {2 * time.Hour, false}, {50 * time.Second, true}, {50 * time.Second, false}, {50 * time.Second, false}} {
		now = now.Add(step.after)
		isDown = step.down
		attach(t, r, 0, note(2, "a"))
	}
	now = now.Add(11 * time.Second)
	attach(t, r, 1, note(2, "a"))
}

func TestRegistryOverTLS(t *testing.T) {
	handler := srfake.NewRegistry()
	handler.SeedSchema("notes-value", 1, 1, sr.Schema{Schema: noteSchema})
	server := httptest.NewTLSServer(handler.Handler())
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	attach(t, client(t, Config{URLs: []string{server.URL}, TLS: stream.TLS{CA: ca}}, nil), 1, note(1, "a"))
	attach(t, client(t, Config{URLs: []string{server.URL}}, nil), 0, note(1, "a"))
}

// TestFaultNeverRefuses: whatever a registry or a server before it answers, for how long ever,
// records wait; those of known schemas go on.
func TestFaultNeverRefuses(t *testing.T) {
	answers := map[string]srfake.Interceptor{
		"a fault": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "broken", http.StatusBadGateway)
			return true
		},
		"a server without a registry": func(w http.ResponseWriter, r *http.Request) bool {
			http.NotFound(w, r)
			return true
		},
		"a page of a server on the way": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(bytes.Repeat([]byte("login "), mostText))
			return true
		},
		"a denial without end": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, `{"error_code":40403,"message":"`+strings.Repeat("x", mostText/2)+`"}`, http.StatusNotFound)
			return true
		},
		"no right": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, `{"error_code":401,"message":"Unauthorized"}`, http.StatusUnauthorized)
			return true
		},
		"an older registry that knows no GUID": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, `{"error_code":404,"message":"HTTP 404 Not Found"}`, http.StatusNotFound)
			return true
		},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			server, r := fake(t, nil)
			now := time.Now()
			r.now = func() time.Time { return now }
			attach(t, r, 1, note(1, "a"))
			server.Intercept(answer)
			for range 3 {
				err := attach(t, r, 1, note(1, "b"), note(2, "c"))
				if err == nil || !strings.Contains(err.Error(), "schema 2 of the registry "+server.URL()) {
					t.Errorf("the error is %v", err)
				}
				now = now.Add(time.Hour)
			}
		})
	}
}

// TestShelfOutlivesTheRegistry: what was read once is read again in another process, with the
// registry gone.
func TestShelfOutlivesTheRegistry(t *testing.T) {
	on := shelf{}
	server, r := fake(t, on)
	attach(t, r, 1, note(1, "a"))
	server.Close()
	again := []record.Record{note(1, "b"), note(2, "c")}
	attach(t, client(t, Config{URLs: []string{server.URL()}}, on), 1, again...)
	if json, _ := jsonOf(&again[0]); json != `{"text":"b"}` {
		t.Errorf("got %s", json)
	}
}

func TestSecondAddressIsTried(t *testing.T) {
	server, _ := fake(t, nil)
	broken := srfake.New()
	t.Cleanup(broken.Close)
	broken.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "broken", http.StatusServiceUnavailable)
		return true
	})
	gone := srfake.New()
	gone.Close()
	attach(t, client(t, Config{URLs: []string{gone.URL(), broken.URL(), server.URL()}}, nil), 1, note(1, "a"))
}

func TestRegistryIsToldWhoAsks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]Config{
		"Bearer sesame":           {TokenFile: file},
		"Basic " + "bWU6c2VzYW1l": {User: "me", PasswordFile: file},
	} {
		server := srfake.New(srfake.WithAuth(want))
		t.Cleanup(server.Close)
		server.SeedSchema("notes-value", 1, 1, sr.Schema{Schema: noteSchema})
		c.URLs = []string{server.URL()}
		attach(t, client(t, c, nil), 1, note(1, "a"))
	}
}

func TestReferencesAreFollowed(t *testing.T) {
	server, r := fake(t, nil)
	server.SeedSchema("person", 1, 10, sr.Schema{Schema: `{"type": "record", "name": "Person", "namespace": "a",
		"fields": [{"name": "name", "type": "string"}]}`})
	server.SeedSchema("mail-value", 1, 11, sr.Schema{Schema: `{"type": "record", "name": "Mail",
		"fields": [{"name": "from", "type": "a.Person"}, {"name": "cc", "type": {"type": "array", "items": "a.Person"}}]}`,
		References: []sr.SchemaReference{{Name: "a.Person", Subject: "person", Version: 1}}})
	rec := []record.Record{{Value: []byte("\x00\x00\x00\x00\x0b\x02A\x02\x02B\x00")}}
	attach(t, r, 1, rec...)
	if json, _ := jsonOf(&rec[0]); json != `{"from":{"name":"A"},"cc":[{"name":"B"}]}` {
		t.Errorf("got %s", json)
	}
}

// TestReferenceThatIsNotThere: an answer without a schema is a fault of the registry, and no schema
// to be kept. Those that a JSON Schema refers to are read by nobody.
func TestReferenceThatIsNotThere(t *testing.T) {
	on := shelf{}
	server, r := fake(t, on)
	server.SeedSchema("person", 1, 10, sr.Schema{Schema: `{"type": "string"}`})
	refers := []sr.SchemaReference{{Name: "person", Subject: "person", Version: 1}}
	server.SeedSchema("mail-value", 1, 11, sr.Schema{Schema: noteSchema, References: refers})
	server.SeedSchema("json-value", 1, 12, sr.Schema{Schema: `{}`, Type: sr.TypeJSON, References: refers})
	isBroken := true
	server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		isEmpty := isBroken && strings.Contains(r.URL.Path, "person")
		if isEmpty {
			_, _ = w.Write([]byte("{}"))
		}
		return isEmpty
	})
	attach(t, r, 0, note(11, "a"))
	if len(on) > 0 {
		t.Errorf("%q are kept", on)
	}
	attach(t, r, 1, note(12, "a"))
	isBroken = false
	attach(t, r, 1, note(11, "a"))
}

// TestCacheIsBounded: with schemas of a MiB each, a few are kept, and all can be read.
func TestCacheIsBounded(t *testing.T) {
	server, r := fake(t, nil)
	large := func(i int) string {
		return `{"type": "record", "name": "Note", "doc": "` + strings.Repeat("x", 900<<10) + strconv.Itoa(i) +
			`", "fields": [{"name": "text", "type": "string"}]}`
	}
	for i := range 10 {
		server.SeedSchema("large", i+1, 20+i, sr.Schema{Schema: large(i)})
	}
	for range 2 {
		for i := range 10 {
			attach(t, r, 1, note(byte(20+i), "a"))
		}
	}
	if r.bytes > cacheBytes || len(r.cached) < 3 {
		t.Errorf("%d schemas of %d bytes are cached", len(r.cached), r.bytes)
	}
}

// TestHugeSchemaIsRefused: its records are dead letters, and nothing waits for them.
func TestHugeSchemaIsRefused(t *testing.T) {
	server, r := fake(t, shelf{})
	server.SeedSchema("huge", 1, 9, sr.Schema{Schema: `{"type": "string", "doc": "` + strings.Repeat("x", mostText) + `"}`})
	rec := []record.Record{note(9, "a")}
	attach(t, r, 1, rec...)
	if _, reason := jsonOf(&rec[0]); reason != wire.UnknownSchema {
		t.Errorf("reason %q", reason)
	}
}

// TestManyUnknownIDsAreBounded: those for which there is no room to remember them wait for longer,
// and keep no others from being given up.
func TestManyUnknownIDsAreBounded(t *testing.T) {
	_, r := fake(t, nil)
	now := time.Now()
	r.now = func() time.Time { return now }
	waiting := map[schemaID]bool{}
	for i := range mostMissing + 50 {
		waiting[schemaID{id: uint32(i)}] = true
	}
	for range 30 {
		for k := range waiting {
			if _, err := r.judge(k, r.miss(k, context.Canceled)); err == nil {
				delete(waiting, k)
			}
		}
		if len(r.missing) > mostMissing {
			t.Fatalf("%d ids are remembered", len(r.missing))
		}
		now = now.Add(10 * time.Second)
	}
	if len(waiting) > 0 {
		t.Errorf("%d ids are not given up", len(waiting))
	}
}

func TestConfigIsValidated(t *testing.T) {
	for c, want := range map[*Config]string{
		{URLs: []string{"localhost:8081"}}:                                         "want addresses like",
		{URLs: []string{"http://me:secret@host"}}:                                  "the user in schema-registry-user",
		{User: "me", PasswordFile: "f"}:                                            "schema-registry is missing",
		{URLs: []string{"http://a"}, User: "me"}:                                   "belong together",
		{URLs: []string{"http://a"}, User: "m", PasswordFile: "f", TokenFile: "f"}: "exclude each other",
	} {
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

// TestExposedSecrets: only a secret that leaves the machine without TLS is exposed.
func TestExposedSecrets(t *testing.T) {
	for url, want := range map[string]bool{"http://registry:8081": true, "http://10.0.0.1": true, "https://registry": false, "http://localhost:8081": false, "http://127.0.0.1:8081": false, "http://[::1]": false} {
		for _, c := range []Config{{User: "me", PasswordFile: "f"}, {TokenFile: "f"}, {}} {
			isSecret := c.PasswordFile != "" || c.TokenFile != ""
			c.URLs = []string{"https://registry", url}
			if got := c.IsExposed(); got != (want && isSecret) {
				t.Errorf("%+v: %v", c, got)
			}
		}
	}
}
