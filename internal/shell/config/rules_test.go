package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := Default[Ingest]().Validate(); err != nil {
		t.Errorf("ingest: %v", err)
	}
	if err := Default[Classify]().Validate(); err != nil {
		t.Errorf("classify: %v", err)
	}
	if ingest, classify := Default[Ingest](), Default[Classify](); ingest.State == classify.State || ingest.HTTP == classify.HTTP || ingest.Group == classify.Group {
		t.Errorf("both workers have state %s, address %s or group %s", ingest.State, ingest.HTTP, ingest.Group)
	}
}

// rule changes one thing in the defaults; want is the sentence, "" where nothing is
// wrong with it.
type rule struct {
	want   string
	change func(*Ingest)
}

func TestRulesOfIngest(t *testing.T) {
	for _, r := range []rule{
		{`--group is empty: all instances of a worker need the same name`, func(c *Ingest) { c.Group = "" }},
		{`--training-topic is empty: name a topic`, func(c *Ingest) { c.TrainingTopic = "" }},
		{`--model-topic: "a b" is not a valid topic name: want up to 249 letters, digits, dots, dashes and underscores`, func(c *Ingest) { c.ModelTopic = "a b" }},
		{`--model-topic: ".." is not a valid topic name: want up to 249 letters, digits, dots, dashes and underscores`, func(c *Ingest) { c.ModelTopic = ".." }},
		{`--training-topic and --model-topic are both "t": they need different topics`, func(c *Ingest) { c.TrainingTopic, c.ModelTopic = "t", "t" }},
		{`--training-topic and --dead-letter-topic are both "training": they need different topics`, func(c *Ingest) { c.DeadTopic = "training" }},
		{`--ref-topics: "x/y" is not a valid topic name: want up to 249 letters, digits, dots, dashes and underscores`, func(c *Ingest) { c.RefTopics = []string{"x/y"} }},
		{`--ref-topics: "x" occurs twice`, func(c *Ingest) { c.RefTopics = []string{"x", "x"} }},
		{``, func(c *Ingest) { c.RefTopics = []string{"documents", "training"} }},
		{`--from: "middle"; want start, end, or an offset of at least 0`, func(c *Ingest) { c.From = "middle" }},
		{`--from: "-1"; want start, end, or an offset of at least 0`, func(c *Ingest) { c.From = "-1" }},
		{`--from: ""; want start, end, or an offset of at least 0`, func(c *Ingest) { c.From = "" }},
		{``, func(c *Ingest) { c.From = "0" }},
		{``, func(c *Ingest) { c.From = "9223372036854775807" }},
		{`--max-records: 0; want at least 1`, func(c *Ingest) { c.MaxRecords = 0 }},
		{`--partitions: 0; want at least 1`, func(c *Ingest) { c.Partitions = 0 }},
		{`--replication: 0; want 1 to 32767, or -1 for the default of the brokers`, func(c *Ingest) { c.Replication = 0 }},
		{`--replication: 32768; want 1 to 32767, or -1 for the default of the brokers`, func(c *Ingest) { c.Replication = 32768 }},
		{``, func(c *Ingest) { c.Replication = 3 }},
		{`--checkpoint-each: 0s; want a time above zero, like 2s`, func(c *Ingest) { c.CheckpointEach = 0 }},
		{`--checkpoint-rows: -5; want at least 1`, func(c *Ingest) { c.CheckpointRows = -5 }},
		{`--drain: -1s; want a time above zero, like 2s`, func(c *Ingest) { c.Drain = -time.Second }},
		{`--session-timeout: 2.999s; want at least 3s: a heartbeat is sent every 1s, and two may be lost`, func(c *Ingest) { c.SessionTimeout = 3*time.Second - time.Millisecond }},
		{``, func(c *Ingest) { c.SessionTimeout = 3 * time.Second }},
		{`--http: "7431" is not host:port, like 127.0.0.1:7431`, func(c *Ingest) { c.HTTP = "7431" }},
		{`--http: ":80" has no host: want 127.0.0.1:80 for this machine only, or 0.0.0.0:80 for all interfaces`, func(c *Ingest) { c.HTTP = ":80" }},
		{`--http: port "99999" of "a:99999" is not a number from 0 to 65535`, func(c *Ingest) { c.HTTP = "a:99999" }},
		{``, func(c *Ingest) { c.HTTP = "" }},
		{``, func(c *Ingest) { c.HTTP = "0.0.0.0:0" }},
		{``, func(c *Ingest) { c.HTTP = "[::1]:7431" }},
		{`--state is empty: name the model file`, func(c *Ingest) { c.State = "" }},
		{`--bootstrap: "ftp://a/b" is not the URL of a snapshot: want one like http://127.0.0.1:7431/v1/snapshot`, func(c *Ingest) { c.Bootstrap = "ftp://a/b" }},
		{`--bootstrap: "http:///x" is not the URL of a snapshot: want one like http://127.0.0.1:7431/v1/snapshot`, func(c *Ingest) { c.Bootstrap = "http:///x" }},
		{`--bootstrap: /no/such/snapshot does not exist`, func(c *Ingest) { c.Bootstrap = "/no/such/snapshot" }},
		{``, func(c *Ingest) { c.Bootstrap = "https://model.example:7431/v1/snapshot" }},
		{`no broker is given: name at least one, like 127.0.0.1:9092`, func(c *Ingest) { c.Kafka.Brokers = nil }},
		{`broker "kafka" is not host:port, like 127.0.0.1:9092`, func(c *Ingest) { c.Kafka.Brokers = []string{"a:1", "kafka"} }},
		{`--request-timeout: 0s; want a time above zero, like 2s`, func(c *Ingest) { c.Kafka.RequestTimeout = 0 }},
		{`tls-cert and tls-key belong together: give both files or neither`, func(c *Ingest) { c.Kafka.TLSKey = "k" }},
		{`sasl: "gssapi" is not valid: want plain, scram-sha-256, scram-sha-512 or oauthbearer`, func(c *Ingest) { c.Kafka.SASL = "gssapi" }},
		{`sasl plain needs sasl-user, and sasl-password or sasl-password-file`, func(c *Ingest) { c.Kafka.SASL = "plain" }},
		{`sasl SCRAM-SHA-512 needs sasl-user, and sasl-password or sasl-password-file`, func(c *Ingest) { c.Kafka.SASL, c.Kafka.User = "SCRAM-SHA-512", "u" }},
		{`SASL without a mechanism: set sasl to plain, scram-sha-256, scram-sha-512 or oauthbearer`, func(c *Ingest) { c.Kafka.Password = "p" }},
		{`sasl-password and sasl-password-file exclude each other: give one of them`, func(c *Ingest) {
			c.Kafka.SASL, c.Kafka.User, c.Kafka.Password, c.Kafka.PasswordFile = "plain", "u", "p", "f"
		}},
		{`sasl plain has no token: the keys sasl-token-... and sasl-scope are for oauthbearer`, func(c *Ingest) {
			c.Kafka.SASL, c.Kafka.User, c.Kafka.Password, c.Kafka.TokenFile = "plain", "u", "p", "f"
		}},
		{`sasl oauthbearer needs one of sasl-token-file, sasl-token-command and sasl-token-url`, func(c *Ingest) { c.Kafka.SASL = "oauthbearer" }},
		{`sasl oauthbearer needs sasl-user, and sasl-password or sasl-password-file`, func(c *Ingest) { c.Kafka.SASL, c.Kafka.TokenURL = "oauthbearer", "https://h/token" }},
		{`the token endpoint at h would get the secret of the client unencrypted: want https`, func(c *Ingest) {
			c.Kafka.SASL, c.Kafka.TokenURL, c.Kafka.User, c.Kafka.Password = "oauthbearer", "http://h/token", "u", "p"
		}},
		{``, func(c *Ingest) {
			c.Kafka.SASL, c.Kafka.TokenURL, c.Kafka.User, c.Kafka.PasswordFile = "oauthbearer", "https://h/token", "u", "f"
		}},
		{``, func(c *Ingest) { c.Kafka.SASL, c.Kafka.TokenFile = "oauthbearer", "f" }},
		{``, func(c *Ingest) { c.Kafka.SASL, c.Kafka.TokenCommand = "oauthbearer", "az account" }},
		{`sasl oauthbearer needs one of sasl-token-file, sasl-token-command and sasl-token-url`, func(c *Ingest) {
			c.Kafka.SASL, c.Kafka.TokenCommand, c.Kafka.TokenFile = "oauthbearer", "az account", "f"
		}},
		{`sasl-token-file and sasl-token-command go without sasl-user, a password and sasl-scope: the token says who the client is`, func(c *Ingest) {
			c.Kafka.SASL, c.Kafka.TokenCommand, c.Kafka.User = "oauthbearer", "az account", "u"
		}},
		{``, func(c *Ingest) { c.Kafka.SASL, c.Kafka.User, c.Kafka.PasswordFile = "plain", "u", "f" }},
		{``, func(c *Ingest) { c.Kafka.SASL, c.Kafka.User, c.Kafka.Password = "SCRAM-SHA-256", "u", "p" }},
	} {
		c := Default[Ingest]()
		r.change(&c)
		got := ""
		if err := c.Validate(); err != nil {
			got = err.Error()
		}
		if got != r.want {
			t.Errorf("got  %s\nwant %s", got, r.want)
		}
		// What is valid here must be so to the client.
		if err := c.Kafka.Stream().Validate(); got == "" && err != nil {
			t.Errorf("valid, but package stream says %v", err)
		}
	}
}

// TestDoubtfulRoutes: a label that may be a misspelt status is allowed, and named.
func TestDoubtfulRoutes(t *testing.T) {
	c := Classify{Route: []string{"unsur", "cold=review", "label:unsafe=review", "spam=junk", "gold=x"}}
	want := []string{`"unsur" is taken for a label: write unsure for the status, or label:unsur for the label`, `"gold" is taken for a label: write cold for the status, or label:gold for the label`}
	if got := c.RouteDoubts(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRulesOfClassify(t *testing.T) {
	for _, r := range []struct {
		want   string
		change func(*Classify)
	}{
		{`--documents-topic is empty: name a topic`, func(c *Classify) { c.DocumentsTopic = "" }},
		{`--documents-topic and --labels-topic are both "x": they need different topics`, func(c *Classify) { c.DocumentsTopic, c.LabelsTopic = "x", "x" }},
		{`--labels-topic and --dead-letter-topic are both "x": they need different topics`, func(c *Classify) { c.DeadTopic, c.LabelsTopic = "x", "x" }},
		{``, func(c *Classify) { c.Route = []string{"spam=junk", " a=b = junk ", "*=labels"} }},
		{``, func(c *Classify) {
			c.Route = []string{"unsure", "cold", "empty=review", "posterior<0.8 = review", "label:ok=junk", "*=labels"}
		}},
		{`--route: "spam" has no topic: want IF=TOPIC, like spam=quarantine or unsure,cold=review`, func(c *Classify) { c.Route = []string{"cold=review", "spam"} }},
		{`--route: a condition is empty: want a label, a status, posterior<N or *`, func(c *Classify) { c.Route = []string{"=junk"} }},
		{`--route: a condition is empty: want a label, a status, posterior<N or *`, func(c *Classify) { c.Route = []string{"label:=junk"} }},
		{`--route: "posterior<1.5": want a number above 0, up to 1, like posterior<0.8`, func(c *Classify) { c.Route = []string{"posterior<1.5=junk"} }},
		{`--route: "posterior<NaN": want a number above 0, up to 1, like posterior<0.8`, func(c *Classify) { c.Route = []string{"posterior<NaN=junk"} }},
		{``, func(c *Classify) { c.Route = []string{"posterior < 0.8=junk", "label:a<b=junk", "label:Unsure=junk"} }},
		{`--route: "posterior>0.8" is no condition: want posterior<N, like posterior<0.8, or label:posterior>0.8 for the label`, func(c *Classify) { c.Route = []string{"posterior>0.8=junk"} }},
		{`--route: "posteror<0.8" is no condition: want posterior<N, like posterior<0.8, or label:posteror<0.8 for the label`, func(c *Classify) { c.Route = []string{"posteror<0.8=junk"} }},
		{`--route: "Unsure": write unsure for the status, or label:Unsure for the label`, func(c *Classify) { c.Route = []string{"Unsure=junk"} }},
		{`--route is empty: name a topic`, func(c *Classify) { c.Route = []string{"spam="} }},
		{`--route: "a b" is not a valid topic name: want up to 249 letters, digits, dots, dashes and underscores`, func(c *Classify) { c.Route = []string{"spam=a b"} }},
		{`--route: "label:spam" is there twice`, func(c *Classify) { c.Route = []string{"spam=a", "label:spam=b"} }},
		{`--route and --documents-topic are both "documents": they need different topics`, func(c *Classify) { c.Route = []string{"spam=documents"} }},
		{`--enrich-field: ""; want the name of a field, like bayestream`, func(c *Classify) { c.EnrichField = "" }},
		{`--enrich-field: "a\nb"; want the name of a field, like bayestream`, func(c *Classify) { c.EnrichField = "a\nb" }},
		{`--evidence: -1; want 0 for all, or a number of entries`, func(c *Classify) { c.Evidence = -1 }},
		{``, func(c *Classify) { c.Evidence = 0 }},
		{`--digits: 13; want 1 to 12, or 0 for the shortest form of each number`, func(c *Classify) { c.Digits = 13 }},
		{``, func(c *Classify) { c.Digits, c.Classes = 12, 0 }},
		{`--max-records: 0; want at least 1`, func(c *Classify) { c.MaxRecords = 0 }},
		{`--workers: -1; want 0 for one per core, or a number`, func(c *Classify) { c.Workers = -1 }},
		{`--drain: 0s; want a time above zero, like 2s`, func(c *Classify) { c.Drain = 0 }},
	} {
		c := Default[Classify]()
		r.change(&c)
		got := ""
		if err := c.Validate(); err != nil {
			got = err.Error()
		}
		if got != r.want {
			t.Errorf("got  %s\nwant %s", got, r.want)
		}
	}
}

func TestStateMustBeAFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for state, want := range map[string]string{
		filepath.Join(dir, "new", "deep", "m.db"): "",
		file:                        "",
		dir:                         "--state: " + dir + " is a directory: name a file in it",
		filepath.Join(file, "m.db"): "--state: " + file + "/m.db cannot be created: " + file + " is not a directory",
		filepath.Join(file, "below", "deep", "m.db"): "--state: " + file + "/below/deep/m.db cannot be created: " + file + "/below/deep is not a directory",
	} {
		c := Default[Classify]()
		c.State = state
		got := ""
		if err := c.Validate(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestASnapshotThatIsNotNeededMayBeGone(t *testing.T) {
	c := Default[Classify]()
	c.Bootstrap, c.State = "/no/such/snapshot", filepath.Join(t.TempDir(), "m.db")
	if c.Validate() == nil {
		t.Error("a missing snapshot passes, though there is no model file yet")
	}
	if err := os.WriteFile(c.State, []byte("model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Errorf("with a model file: %v", err)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	args := []string{"--drain=ten", "--partitions", "x", "--create-topics=maybe", "--http=:1", "--terms-key-file=/no/key", "--emit=xml"}
	env := environment{"BAYESTREAM_CHECKPOINT_ROWS": "", "BAYESTREAM_TLS_KEY": "/no/key", "BAYESTREAM_SASL": "plain", "BAYESTREAM_LABELS_TOPIC": "documents"}
	_, err := Parse[Classify]("classify", args, env.lookup)
	want := []string{
		`--drain: "ten" is not a time: want a number with a unit, like 500ms, 10s or 2m`,
		`--partitions: "x" is not a whole number`,
		`--create-topics: "maybe" is not true or false`,
		`--terms-key-file: /no/key does not exist`,
		`BAYESTREAM_CHECKPOINT_ROWS: "" is not a whole number`,
		`BAYESTREAM_TLS_KEY: /no/key does not exist`,
		`--emit: "xml" is not valid: want event, headers, enrich or cloudevents`,
		`--documents-topic and --labels-topic are both "documents": they need different topics`,
		`--http: ":1" has no host: want 127.0.0.1:1 for this machine only, or 0.0.0.0:1 for all interfaces`,
		"tls-cert and tls-key belong together: give both files or neither", // a file that is missing was given
		`sasl plain needs sasl-user, and sasl-password or sasl-password-file`,
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestCommandLinesThatCannotBeRead(t *testing.T) {
	for want, args := range map[string][]string{
		`unknown flag --drian, did you mean "--drain"?`:                    {"--drian=1s"},
		`unknown flag -drain, did you mean "--drain"?`:                     {"-drain=1s"},
		`unknown flag -x, did you mean "-h"?`:                              {"-x=-drain"},
		"unknown flag --emit: it is a setting of classify":                 {"--emit=event"},
		"--drain: the value is missing: write --drain=TIME":                {"--drain"},
		"--group: the value is missing: write --group=NAME":                {"--group", "--tls"},
		"--replication: the value is missing: write --replication=N":       {"--replication", "-1"},
		"--ref-topics: the value is missing: write --ref-topics=TOPIC,...": {"--ref-topics"},
		"unexpected argument training.jsonl":                               {"training.jsonl"},
		"--config: /no/such.yaml does not exist":                           {"--config=/no/such.yaml"},
		"--spec: /tmp is a directory, not a file":                          {"--spec=/tmp"},
	} {
		_, err := Parse[Ingest]("ingest", args, environment{}.lookup)
		if got := problems(t, err); !slices.Equal(got, []string{want}) {
			t.Errorf("%q:\ngot  %q\nwant %q", args, got, want)
		}
		var coded interface{ ExitCode() int }
		if !errors.As(err, &coded) || coded.ExitCode() != 2 {
			t.Errorf("%q: the exit code is not 2", args)
		}
	}
}

func TestTheLastOfTwoFlagsCounts(t *testing.T) {
	one, two := write(t, ""), write(t, "")
	c, err := Parse[Ingest]("ingest", []string{"--drain=1s", "--spec", one, "--spec", two, "--drain=2s", "--brokers=a:1", "--brokers=b:2"}, environment{}.lookup)
	if err != nil || c.Drain != 2*time.Second || c.Spec != two || !slices.Equal(c.Kafka.Brokers, []string{"a:1", "b:2"}) {
		t.Errorf("got drain %s, spec %s, brokers %q and %v", c.Drain, c.Spec, c.Kafka.Brokers, err)
	}
}

func TestPathsAreAbsolute(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse[Ingest]("ingest", []string{"--state=./x/../m.db"}, environment{}.lookup)
	if want := filepath.Join(dir, "m.db"); err != nil || c.State != want {
		t.Errorf("got %s and %v, want %s", c.State, err, want)
	}
}

func TestStreamGetsEverySetting(t *testing.T) {
	connection := Connection{
		Brokers: []string{"a:1"}, TLS: true, TLSCA: "ca", TLSCert: "cert", TLSKey: "key", TLSServerName: "name",
		SASL: "plain", User: "user", Password: "secret",
	}
	got := Kafka{Connection: connection, ClientID: "id", Compression: "zstd", RequestTimeout: time.Second}.Stream()
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(got.Brokers, []string{"a:1"}) || got.ClientID != "id" || got.Compression != "zstd" || got.RequestTimeout != time.Second {
		t.Errorf("got %+v", got)
	}
	if want := (stream.TLS{Enabled: true, CA: "ca", Cert: "cert", Key: "key", ServerName: "name"}); got.TLS != want {
		t.Errorf("got TLS %+v, want %+v", got.TLS, want)
	}
	if want := (stream.SASL{Mechanism: "plain", Username: "user", Password: "secret"}); got.SASL != want {
		t.Error("SASL differs")
	}
}

func TestLegalTopic(t *testing.T) {
	for name, want := range map[string]bool{
		"a.B_c-9": true, strings.Repeat("x", 249): true, strings.Repeat("x", 250): false, "a b": false, "\u00e4": false, "a\xff": false, "a\n": false, "a\ufffd": false,
	} {
		if legalTopic(name) != want {
			t.Errorf("%q is legal: %t, want %t", name, !want, want)
		}
	}
}
