package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"

	"go.yaml.in/yaml/v3"
)

const secret = "hunter2"

func withSecret(t *testing.T) Ingest {
	t.Helper()
	env := environment{"BAYESTREAM_SASL_PASSWORD": secret, "BAYESTREAM_SASL": "plain", "BAYESTREAM_SASL_USER": "u"}
	c, err := Parse[Ingest]("ingest", []string{"--bootstrap=http://u:" + secret + "@127.0.0.1:1/v1/snapshot"}, env.lookup)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kafka.Password.Reveal() != secret {
		t.Fatalf("the password is %q", c.Kafka.Password.Reveal())
	}
	return c
}

// What a worker says of its settings to others has every flag, knows which are usual, and hides
// secrets.
func TestSettingsInForceHideSecrets(t *testing.T) {
	c := withSecret(t)
	got := map[string]Setting{}
	for _, s := range InForce(c) {
		got[s.Name] = s
		if strings.Contains(s.Value, secret) {
			t.Errorf("the secret stands in %+v", s)
		}
	}
	if len(got) != len(flagsOf(&c)) {
		t.Errorf("%d settings of %d flags", len(got), len(flagsOf(&c)))
	}
	for _, want := range []Setting{
		{"drain", "10s", true}, {"sasl-password", "******", false}, {"sasl-user", "u", false}, {"sasl-password-file", "", true}, {"brokers", "127.0.0.1:9092", true},
	} {
		if got[want.Name] != want {
			t.Errorf("got %+v, want %+v", got[want.Name], want)
		}
	}
}

func TestTheLoggedConfigurationIsCompleteAndHidesSecrets(t *testing.T) {
	c := withSecret(t)
	var text, object bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("start", "config", c)
	slog.New(slog.NewJSONHandler(&object, nil)).Info("start", "config", c)
	for _, log := range []string{text.String(), object.String()} {
		if strings.Contains(log, secret) {
			t.Errorf("the secret stands in %s", log)
		}
	}
	var line struct{ Config map[string]any }
	if err := json.Unmarshal(object.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	for _, flag := range flagsOf(&c) {
		if _, ok := line.Config[flag.Name]; !ok {
			t.Errorf("--%s is not logged", flag.Name)
		}
	}
	for name, want := range map[string]any{
		"sasl-password": "******", "drain": "10s", "brokers": "127.0.0.1:9092", "partitions": 4.0, "tls": false,
		"bootstrap": "http://******@127.0.0.1:1/v1/snapshot",
	} {
		if got := line.Config[name]; got != want {
			t.Errorf("%s is logged as %v, want %v", name, got, want)
		}
	}
}

func TestNoPrintingShowsASecret(t *testing.T) {
	c := withSecret(t)
	c.Bootstrap = ""
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%s %q %x", c.Kafka.Password, c.Kafka.Password, c.Kafka.Password), string(asJSON), string(asYAML)} {
		if strings.Contains(shown, secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) {
			t.Errorf("the secret stands in %s", shown)
		}
	}
}

func TestNoMessageShowsASecret(t *testing.T) {
	file := write(t, "sasl-pasword: "+secret+"\nsasl-password: ["+secret+"]\n")
	other := write(t, "sasl-password: {a: "+secret+"}\nsasl-user: !!bool "+secret+"\n")
	for _, test := range []struct {
		args []string
		env  environment
	}{
		{[]string{"--sasl-password=" + secret}, nil},
		{[]string{"--sasl-pasword=" + secret}, nil},
		{[]string{"--config", file}, nil},
		{[]string{"--config", other}, nil},
		{[]string{"--drain=x"}, environment{"BAYESTREAM_SASL_PASSWORD": secret}},
		{[]string{"--bootstrap=ftp://u:" + secret + "@h/x"}, nil},
		{[]string{"--bootstrap=http://u:%zz" + secret + "@h/x"}, nil},
		{[]string{"--bootstrap=://" + secret + "@"}, nil},
	} {
		_, err := Parse[Ingest]("ingest", test.args, test.env.lookup)
		if got := strings.Join(problems(t, err), "\n"); strings.Contains(got, secret) {
			t.Errorf("%q: the secret stands in\n%s", test.args, got)
		}
	}
}

func TestComplaintsDoNotRepeatASecret(t *testing.T) {
	got := complaint(reflect.ValueOf(stream.Secret("")), secret, errors.New("cannot use "+secret))
	if strings.Contains(got, secret) {
		t.Errorf("the secret stands in %q", got)
	}
}

func TestHelpShowsNoValues(t *testing.T) {
	env := environment{"BAYESTREAM_SASL_PASSWORD": secret, "BAYESTREAM_GROUP": "mine"}
	_, err := Parse[Ingest]("ingest", []string{"--sasl-password=" + secret, "--group=mine", "--help"}, env.lookup)
	if page := answered(t, err); strings.Contains(page, secret) || strings.Contains(page, "mine") {
		t.Errorf("the page shows what is set:\n%s", page)
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"no URL, user@host":       "no URL, user@host",
		"http://h/a@b":            "http://h/a@b",
		"http://u:p@h/x":          "http://******@h/x",
		"http://u:a@b c@h/x":      "http://******@h/x",
		"http://h:80/a@b":         "http://h:80/a@b",
		"http://[::1]:80/a@b":     "http://[::1]:80/a@b",
		"http://u:p/q@h/x: no":    "http://******@h/x: no",
		"/a/http:/u:p@h/x":        "/a/http:/******@h/x",
		`get "http://t@h?x": no`:  `get "http://******@h?x": no`,
		"http://u@h/ http://v@i/": "http://******@h/ http://******@i/",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	place := FileOrURL("http://u:p@h/x")
	if text, err := json.Marshal(place); err != nil || string(text) != `"http://******@h/x"` || fmt.Sprintf("%s %[1]v %[1]q", place) !=
		`http://******@h/x http://******@h/x "http://******@h/x"` || place.Reveal() != "http://u:p@h/x" {
		t.Errorf("a file or URL becomes %s, %v", place, text)
	}
	cause := errors.New("open ftp://u:p@h")
	err := RedactError(cause)
	if err.Error() != "open ftp://******@h" || !errors.Is(err, cause) {
		t.Errorf("got %q", err)
	}
	if other := errors.New("open h"); RedactError(other) != other {
		t.Error("an error without a URL is replaced")
	}
}
