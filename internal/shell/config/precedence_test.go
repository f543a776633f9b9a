package config

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// layered is one setting with another value in each layer.
type layered struct {
	key                   string
	byFlag, byEnv, byFile string // as they are written there
	wantFlag, wantEnv     string
	wantFile, wantDefault string
	read                  func(Ingest) any
}

var settingsOfEachKind = []layered{
	{"group", "f", "e", "y", "f", "e", "y", "bayestream-ingest", func(c Ingest) any { return c.Group }},
	{"http", "", "127.0.0.1:1", "127.0.0.1:2", "", "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:7431", func(c Ingest) any { return c.HTTP }},
	{"from", "7", "end", "12", "7", "end", "12", "start", func(c Ingest) any { return c.From }},
	{"drain", "1s", "2s", "3s", "1s", "2s", "3s", "10s", func(c Ingest) any { return c.Drain }},
	{"partitions", "1", "2", "3", "1", "2", "3", "4", func(c Ingest) any { return c.Partitions }},
	{"replication", "1", "2", "3", "1", "2", "3", "-1", func(c Ingest) any { return c.Replication }},
	{"create-topics", "false", "true", "true", "false", "true", "true", "false", func(c Ingest) any { return c.CreateTopics }},
	{"accept-loss", "true", "false", "true", "true", "false", "true", "false", func(c Ingest) any { return c.AcceptLoss }},
	{"brokers", "a:1,b:2", "c:3", "[d:4, e:5]", "[a:1 b:2]", "[c:3]", "[d:4 e:5]", "[127.0.0.1:9092]", func(c Ingest) any { return c.Kafka.Brokers }},
	{"training-topic", "f", "e", "y", "f", "e", "y", "training", func(c Ingest) any { return c.TrainingTopic }},
	{"request-timeout", "1s", "2m", "3ms", "1s", "2m0s", "3ms", "10s", func(c Ingest) any { return c.Kafka.RequestTimeout }},
}

func TestFlagOverEnvironmentOverFileOverDefault(t *testing.T) {
	for layers := range 8 {
		inFile, inEnv, inFlags := layers&1 != 0, layers&2 != 0, layers&4 != 0
		var args []string
		env, text := environment{}, ""
		for _, s := range settingsOfEachKind {
			if inFile {
				text += s.key + ": " + s.byFile + "\n"
			}
			if inEnv {
				env[variableOf(s.key)] = s.byEnv
			}
			if inFlags {
				args = append(args, "--"+s.key+"="+s.byFlag)
			}
		}
		c, err := Parse[Ingest]("ingest", append(args, "--config="+write(t, text)), env.lookup)
		if err != nil {
			t.Errorf("layers %03b: %v", layers, err)
		}
		for _, s := range settingsOfEachKind {
			want := s.wantDefault
			switch {
			case inFlags:
				want = s.wantFlag
			case inEnv:
				want = s.wantEnv
			case inFile:
				want = s.wantFile
			}
			if got := fmt.Sprint(s.read(c)); got != want {
				t.Errorf("%s in layers %03b (flag, environment, file): got %s, want %s", s.key, layers, got, want)
			}
		}
	}
}

func variableOf(key string) string {
	return "BAYESTREAM_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

func TestTheFileItselfComesFromFlagOrEnvironment(t *testing.T) {
	first, second := write(t, "group: first\n"), write(t, "group: second\n")
	env := environment{"BAYESTREAM_CONFIG": second}
	for _, test := range []struct {
		args []string
		env  environment
		want string
	}{
		{nil, env, "second"},
		{[]string{"--config", first}, env, "first"},
		{[]string{"--config="}, env, "bayestream-classify"},
		{nil, environment{"BAYESTREAM_CONFIG": ""}, "bayestream-classify"},
	} {
		c, err := Parse[Classify]("classify", test.args, test.env.lookup)
		if err != nil || c.Group != test.want {
			t.Errorf("args %q, environment %q: got group %q and %v, want %q", test.args, test.env, c.Group, err, test.want)
		}
	}
}

func TestALayerThatLosesIsNotLookedAt(t *testing.T) {
	env := environment{"BAYESTREAM_DRAIN": "for ever", "BAYESTREAM_SPEC": "/no/such/file"}
	c, err := Parse[Ingest]("ingest", []string{"--drain=1s", "--spec="}, env.lookup)
	if err != nil || c.Drain != time.Second || c.Spec != "" {
		t.Errorf("got drain %s, spec %q and %v", c.Drain, c.Spec, err)
	}
}

func TestVariablesOfOthersAreLeftAlone(t *testing.T) {
	// Kubernetes sets such for a service that is called bayestream.
	env := environment{"BAYESTREAM_PORT": "tcp://10.0.0.1:7431", "BAYESTREAM_LABELS_TOPIC": "of classify"}
	if _, err := Parse[Ingest]("ingest", nil, env.lookup); err != nil {
		t.Error(err)
	}
}

func TestEveryFlagCanBeSetByItsVariable(t *testing.T) {
	everyFlag(t, &Ingest{})
	everyFlag(t, &Classify{})
}

func everyFlag(t *testing.T, worker any) {
	t.Helper()
	flags, env := flagsOf(worker), environment{}
	for _, flag := range flags {
		if flag.Name == "cluster" {
			continue // it would take the place of others
		}
		env[variable(flag)] = "1"
		if _, ok := flag.Target.Interface().(time.Duration); ok {
			env[variable(flag)] = "1s"
		}
	}
	// What the values mean is checked elsewhere: here they must only arrive.
	_ = workerCommand(worker, "").Parse(worker, nil, env.lookup)
	for _, flag := range flags {
		if flag.Tag.Type == "existingfile" || flag.Name == "cluster" {
			continue // "1" is none
		}
		got := fmt.Sprint(shown(flag.Target.Interface()))
		if want := env[variable(flag)]; got != want && got != "true" && got != "******" && flag.Tag.Type != "path" {
			t.Errorf("%s=%s reaches --%s as %s", variable(flag), want, flag.Name, got)
		}
	}
}
