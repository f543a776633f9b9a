package config

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
)

// verbOf is what a verb that connects to brokers looks like.
type verbOf struct {
	Top int `default:"10" placeholder:"N" help:"How many."`

	Connection `embed:""`
}

// Validate returns the problems of the connection.
func (v verbOf) Validate() error {
	for _, err := range v.Problems() {
		if err != nil {
			return err
		}
	}
	return nil
}

// connected parses the command line of a verb.
func connected(offline bool, env environment, args ...string) (verbOf, error) {
	var v verbOf
	err := Command{Name: "bayestream try", Offline: offline}.Parse(&v, args, env.lookup)
	return v, err
}

// The first layer that names brokers or a cluster counts, and a cluster is taken whole.
func TestWhereTheConnectionComesFrom(t *testing.T) {
	file := write(t, "near: {brokers: [n:1]}\nfar: {brokers: [f:1, f:2], tls: true, sasl: plain, sasl-user: u}\n"+
		"cloud: {brokers: [c:1], sasl: oauthbearer, sasl-token-command: az account}\n")
	env := func(pairs ...string) environment {
		e := environment{"BAYESTREAM_CLUSTERS": file, "BAYESTREAM_TOP": "20"}
		for i := 0; i < len(pairs); i += 2 {
			e[pairs[i]] = pairs[i+1]
		}
		return e
	}
	for _, test := range []struct {
		name string
		args []string
		env  environment
		want Connection
	}{
		{"nothing", nil, env(), Connection{Brokers: []string{"127.0.0.1:9092"}}},
		{"a flag", []string{"--brokers=a:1"}, env("BAYESTREAM_BROKERS", "b:1"), Connection{Brokers: []string{"a:1"}, Named: true}},
		{"variables", nil, env("BAYESTREAM_BROKERS", "b:1", "BAYESTREAM_TLS", "true"), Connection{Brokers: []string{"b:1"}, TLS: true}},
		{
			"a flag, with variables that complete it", []string{"--brokers=a:1"}, env("BAYESTREAM_TLS", "true"),
			Connection{Brokers: []string{"a:1"}, TLS: true, Named: true},
		},
		{"a cluster by its variable", nil, env("BAYESTREAM_CLUSTER", "near"), Connection{Cluster: "near", Brokers: []string{"n:1"}}},
		{"brokers before that", []string{"--brokers=a:1"}, env("BAYESTREAM_CLUSTER", "near"), Connection{Brokers: []string{"a:1"}, Named: true}},
		{
			"no variable reaches another cluster", []string{"--cluster=near"},
			env("BAYESTREAM_BROKERS", "b:1", "BAYESTREAM_SASL", "plain", "BAYESTREAM_SASL_USER", "v", "BAYESTREAM_SASL_PASSWORD", "p", "BAYESTREAM_TLS", "true"),
			Connection{Cluster: "near", Brokers: []string{"n:1"}, Named: true},
		},
		{
			"a password completes a cluster", []string{"--cluster=far"}, env("BAYESTREAM_SASL_PASSWORD", "p"),
			Connection{Cluster: "far", Brokers: []string{"f:1", "f:2"}, TLS: true, SASL: "plain", User: "u", Password: stream.Secret("p"), Named: true},
		},
		{
			"a password is not for a cluster with a command", []string{"--cluster=cloud"}, env("BAYESTREAM_SASL_PASSWORD", "p"),
			Connection{Cluster: "cloud", Brokers: []string{"c:1"}, SASL: "oauthbearer", TokenCommand: "az account", Named: true},
		},
	} {
		got, err := connected(false, test.env, test.args...)
		brokers, want := got.Brokers, test.want.Brokers
		got.Brokers, test.want.Brokers = nil, nil
		if err != nil || !slices.Equal(brokers, want) || !equalConnections(got.Connection, test.want) || got.Top != 10 {
			t.Errorf("%s: got %v, %+v, %v", test.name, brokers, got, err)
		}
	}
}

// equalConnections compares all but the brokers.
func equalConnections(a, b Connection) bool {
	return a.Cluster == b.Cluster && a.Named == b.Named && a.Stream().SASL == b.Stream().SASL && a.Stream().TLS == b.Stream().TLS
}

func TestProblemsOfClusters(t *testing.T) {
	file := write(t, "a: {brokers: [a:1]}\nb: {tsl: true}\nc: {client-id: x}\nd: [1]\ne: {}\ne: {}\nf: {tls-ca: none.pem}\n")
	open := write(t, "a: {sasl: plain, sasl-user: u, sasl-password: "+secret+"}\n")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		env  environment
		args string
		want string // FILE is the file of clusters
	}{
		{nil, "--cluster=x", `--cluster: FILE: there is no cluster "x", only: a, b, c, d, e, e, f`},
		{nil, "--cluster=b", `FILE:2: unknown key "tsl"; did you mean "tls"?`},
		{nil, "--cluster=c", `FILE:3: unknown key "client-id": it is a setting of classify, which needs its own file`},
		{nil, "--cluster=d", `FILE:4: want settings, one on a line, like checkpoint-each: 5s`},
		{nil, "--cluster=e", `--cluster: FILE: the cluster "e" occurs twice`},
		{nil, "--cluster=f", `FILE:7: tls-ca: ` + filepath.Join(filepath.Dir(file), "none.pem") + ` does not exist`},
		{nil, "--cluster=a --brokers=b:1", `--cluster and --brokers exclude each other: cluster "a" has its own settings`},
		{environment{"BAYESTREAM_CLUSTER": "a", "BAYESTREAM_TLS": "true"}, "", `BAYESTREAM_CLUSTER and BAYESTREAM_TLS exclude each other: cluster "a" has its own settings`},
		{environment{"BAYESTREAM_CLUSTERS": "/none.yaml"}, "--cluster=a", `--cluster: read the settings: open /none.yaml: no such file or directory`},
		{environment{"BAYESTREAM_CLUSTERS": "", "HOME": "/none"}, "--cluster=a", `--cluster: read the settings: open /none/.config/bayestream/clusters.yaml: no such file or directory`},
		{environment{"BAYESTREAM_CLUSTERS": open}, "--cluster=a", `--cluster: ` + open + ` has the mode 0644, and other users may use its secret: chmod o-rwx, and replace the secret if they did`},
	} {
		env := environment{"BAYESTREAM_CLUSTERS": file}
		for name, value := range test.env {
			env[name] = value
		}
		_, err := connected(false, env, strings.Fields(test.args)...)
		if got, want := problems(t, err), strings.ReplaceAll(test.want, "FILE", file); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got  %q\nwant %q", test.args, got, want)
		}
	}
}

// What was a flag once is refused with the block that takes its place, which can be used as it is.
func TestOldFlagsBecomeABlock(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHere(t, "ca.pem")
	env := environment{"XDG_CONFIG_HOME": "conf"}
	_, err := connected(false, env, "--brokers=k1:9093,k2:9093", "--tls-ca=ca.pem", "--sasl=scram-sha-512", "--sasl-user=u: 1", "--sasl-password="+secret)
	got := problems(t, err)
	const head = "--tls-ca, --sasl, --sasl-user, --sasl-password: settings of a cluster, no flags. " +
		"Put this into conf/bayestream/clusters.yaml, and use --cluster=mine:\n\n"
	if len(got) != 1 || !strings.HasPrefix(got[0], head) || strings.Contains(got[0], secret) {
		t.Fatalf("got %q", got)
	}
	file := write(t, strings.TrimPrefix(got[0], head))
	v, err := connected(false, environment{"BAYESTREAM_CLUSTERS": file}, "--cluster=mine")
	if err != nil || v.TLSCA == "" || v.User != "u: 1" || !slices.Equal(v.Brokers, []string{"k1:9093", "k2:9093"}) {
		t.Errorf("the block gives %+v, %v", v, err)
	}
}

// A verb that works on files does not connect because of what is set for the workers.
func TestOfflineVerbsConnectIfBrokersAreNamed(t *testing.T) {
	env := environment{"BAYESTREAM_BROKERS": "b:1", "BAYESTREAM_SASL": "nonsense"}
	if v, err := connected(true, env); err != nil || v.Named || v.SASL != "" {
		t.Errorf("got %+v, %v", v, err)
	}
	if _, err := connected(true, env, "--brokers=a:1"); err == nil {
		t.Error("the variables are not read although brokers are named")
	}
}

// A worker may name the cluster in its file; what the environment says comes before it.
func TestAWorkerNamesItsClusterInAFile(t *testing.T) {
	clusters, file := write(t, "a: {brokers: [a:1], tls: true}\n"), write(t, "cluster: a\n")
	env := environment{"BAYESTREAM_CLUSTERS": clusters}
	c, err := Parse[Ingest]("ingest", []string{"--config", file}, env.lookup)
	if err != nil || !c.Kafka.TLS || c.Kafka.Cluster != "a" || c.Kafka.Brokers[0] != "a:1" {
		t.Errorf("got %+v, %v", c.Kafka, err)
	}
	env["BAYESTREAM_BROKERS"] = "b:1"
	c, err = Parse[Ingest]("ingest", []string{"--config", file}, env.lookup)
	if err != nil || c.Kafka.TLS || c.Kafka.Cluster != "" || c.Kafka.Brokers[0] != "b:1" {
		t.Errorf("got %+v, %v", c.Kafka, err)
	}
}

// TestExposedRegistry: a password that goes to a registry in plain text is warned of.
func TestExposedRegistry(t *testing.T) {
	for url, want := range map[string]int{"http://registry:8081": 1, "https://registry:8081": 0} {
		var log bytes.Buffer
		c := Connection{SchemaRegistry: []string{url}, SchemaRegistryUser: "u", SchemaRegistryPasswordFile: "f"}
		if _, err := c.Schemas(nil, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(log.String(), "the password or token of the schema registry goes over the network in plain text"); got != want {
			t.Errorf("%s: %d warnings, want %d", url, got, want)
		}
	}
}

// TestNoBrokers: an empty setting is named, also where another layer names brokers.
func TestNoBrokers(t *testing.T) {
	file := write(t, "brokers: [a:1]\n")
	for _, c := range []struct {
		args []string
		env  environment
		want string
	}{
		{[]string{"--config=" + file}, environment{"BAYESTREAM_BROKERS": ""}, "BAYESTREAM_BROKERS: no broker is given: name at least one, like 127.0.0.1:9092"},
		{[]string{"--brokers="}, environment{}, "--brokers: no broker is given: name at least one, like 127.0.0.1:9092"},
		{[]string{"--config=" + write(t, "brokers: []\n")}, environment{}, ": no broker is given: name at least one, like 127.0.0.1:9092"},
	} {
		if _, err := Parse[Ingest]("ingest", c.args, c.env.lookup); err == nil || !strings.HasSuffix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
