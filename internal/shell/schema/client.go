package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/twmb/franz-go/pkg/sr"
)

// Config says how to reach a registry. Its files are read again for each request.
type Config struct {
	URLs         []string // of the same registry, tried in this order
	User         string
	PasswordFile string
	TokenFile    string // with a token instead of a user
	TLS          stream.TLS
}

// IsNamed reports whether there is a registry.
func (c Config) IsNamed() bool { return len(c.URLs) > 0 }

// String returns the addresses, without anything secret.
func (c Config) String() string { return strings.Join(c.URLs, ", ") }

// IsExposed reports whether a password or token goes over a network in plain text.
func (c Config) IsExposed() bool {
	return (c.PasswordFile != "" || c.TokenFile != "") && slices.ContainsFunc(c.URLs, func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && stream.IsExposed(u)
	})
}

// Validate returns all errors of the configuration at once. It reads no file and uses no network.
func (c Config) Validate() error {
	var errs []error
	for _, text := range c.URLs {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			errs = append(errs, errors.New("schema-registry: want addresses like https://HOST:8081, and the user in "+
				"schema-registry-user"))
		}
	}
	switch {
	case !c.IsNamed() && (c.User != "" || c.PasswordFile != "" || c.TokenFile != "" || c.TLS != stream.TLS{}):
		errs = append(errs, errors.New("schema-registry is missing: the other settings of a registry need its address"))
	case c.User != "" && c.TokenFile != "":
		errs = append(errs, errors.New("schema-registry-user and schema-registry-token-file exclude each other"))
	case (c.User == "") != (c.PasswordFile == ""):
		errs = append(errs, errors.New("schema-registry-user and schema-registry-password-file belong together"))
	case (c.TLS.Cert == "") != (c.TLS.Key == ""):
		errs = append(errs, errors.New("schema-registry-cert and schema-registry-key belong together"))
	}
	return errors.Join(errs...)
}

// requestTime bounds one request.
const requestTime = 5 * time.Second

func (c Config) client() (*sr.Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if _, err := c.TLS.Files(); err != nil {
		return nil, err
	}
	return sr.NewClient(sr.URLs(c.URLs...), sr.UserAgent("bayestream"), sr.PreReq(c.authorize),
		sr.HTTPClient(&http.Client{Timeout: requestTime, Transport: transport{c.TLS}}))
}

func (c Config) authorize(request *http.Request) error {
	file := c.PasswordFile
	if c.TokenFile != "" {
		file = c.TokenFile
	}
	if file == "" {
		return nil
	}
	secret, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	proof := strings.TrimSpace(string(secret))
	if c.TokenFile != "" {
		request.Header.Set("Authorization", "Bearer "+proof)
	} else {
		request.SetBasicAuth(c.User, proof)
	}
	return nil
}

// transport makes requests of which the answers are bounded. A server that has a fault is one that
// does not answer, so that the next address is tried.
type transport struct{ tls stream.TLS }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	config, err := t.tls.Files()
	if err != nil {
		return nil, err
	}
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.TLSClientConfig = config
	own.DisableKeepAlives = true // schemas are asked for once
	response, err := own.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusInternalServerError {
		return nil, errors.Join(fmt.Errorf("it answers %s", response.Status), response.Body.Close())
	}
	body := &bounded{response.Body, mostText, io.EOF}
	switch {
	case response.StatusCode != http.StatusOK:
		body.left = mostDenial
	case strings.Contains(response.Header.Get("Content-Type"), "json"): // else it is a page of a server on the way
		body.end = errLarge
	}
	response.Body = body
	return response, nil
}

// mostDenial is the size of the largest answer without a schema.
const mostDenial = 4 << 10

// mostText is the size of the largest schema, with all that it refers to, and of an answer.
const mostText = 1 << 20

// errLarge says that a schema is too large.
var errLarge = fmt.Errorf("the schema has more than %d bytes, with all that it refers to", mostText)

// bounded is the body of an answer, up to a size.
type bounded struct {
	io.ReadCloser
	left int
	end  error // of a larger one
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.end
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// text is a schema with all that it refers to, as it is kept.
type text struct {
	Type       string      `json:"type"` // AVRO, JSON or PROTOBUF
	Schema     string      `json:"schema"`
	References []reference `json:"references,omitempty"` // each behind those that it refers to itself

	unusable error // why it cannot be used, by anybody
}

// reference is a schema that others refer to by a name.
type reference struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
}

// readText returns a text that was kept; nil for nil.
func readText(kept []byte) *text {
	if kept == nil {
		return nil
	}
	t := &text{}
	if err := json.Unmarshal(kept, t); err != nil {
		t.unusable = err
	}
	return t
}

func (t *text) bytes() []byte {
	b, _ := json.Marshal(t) // plain data
	return b
}

func (t *text) size() int {
	n := len(t.Schema)
	for i := range t.References {
		n += len(t.References[i].Schema) + len(t.References[i].Name)
	}
	return n
}

// ask asks the registry for a schema and for all that it refers to.
func (r *Registry) ask(ctx context.Context, k schemaID) (*text, error) {
	var s sr.Schema
	var err error
	if k.guid != [guidBytes]byte{} {
		var of sr.SubjectSchema
		of, err = r.client.SchemaByGUID(ctx, k.String())
		s = of.Schema
	} else {
		s, err = r.client.SchemaByID(ctx, int(k.id))
	}
	if errors.Is(err, errLarge) {
		return &text{unusable: err}, nil
	}
	if err = orEmpty(s, err); err != nil {
		return nil, err
	}
	t := &text{Type: s.Type.String(), Schema: s.Schema}
	if s.Type != sr.TypeJSON { // which nobody reads
		err = r.follow(ctx, t, s.References, map[string]bool{})
	}
	if errors.Is(err, errLarge) {
		return &text{unusable: err}, nil
	}
	return t, err
}

// orEmpty returns the error of an answer, or that there is no schema in it: no registry has an empty
// one.
func orEmpty(s sr.Schema, err error) error {
	if err == nil && s.Schema == "" {
		err = errors.New("it answers without a schema")
	}
	return err
}

// mostReferences is how many schemas a schema may refer to.
const mostReferences = 64

// follow adds to a text what its references refer to, and then the references.
func (r *Registry) follow(ctx context.Context, t *text, references []sr.SchemaReference, seen map[string]bool) error {
	for _, ref := range references {
		if seen[ref.Name] {
			continue
		}
		seen[ref.Name] = true
		if len(seen) > mostReferences {
			return errLarge
		}
		of, err := r.client.SchemaByVersion(ctx, ref.Subject, ref.Version)
		if err = orEmpty(of.Schema, err); err != nil {
			return fmt.Errorf("%s, version %d: %w", ref.Subject, ref.Version, err)
		}
		if err := r.follow(ctx, t, of.References, seen); err != nil {
			return err
		}
		t.References = append(t.References, reference{ref.Name, of.Schema.Schema})
		if t.size() > mostText {
			return errLarge
		}
	}
	return nil
}
