package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli"
)

// The console takes its settings from the command line, the environment and a file, in this order,
// as the workers do.
func TestConsoleReadsEnvironmentAndFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "console.yaml")
	text := "brokers: [k1:9092, k2:9092]\nlabels-topic: [quarantine, inbox]\nkeep: 500\nlog: debug\nsasl: plain\nsasl-user: anna\n"
	filetest.Write(t, file, text)
	environment := map[string]string{"BAYESTREAM_CONFIG": file, "BAYESTREAM_KEEP": "600", "BAYESTREAM_LOG": "warn", "BAYESTREAM_SASL_PASSWORD": "hunter2"}
	lookup := func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}
	var f consoleFlags
	if err := consoleCommand.Parse(&f, []string{"--log=error"}, lookup); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Brokers, []string{"k1:9092", "k2:9092"}) || !slices.Equal(f.LabelsTopic, []string{"quarantine", "inbox"}) || f.Keep != 600 || f.Log != "error" || f.ModelTopic != "bayestream-model" {
		t.Errorf("got %+v", f)
	}
	if f.Password.Reveal() != "hunter2" || f.User != "anna" {
		t.Errorf("the user is %q, and the password is not that of the environment", f.User)
	}
	environment["BAYESTREAM_KEEP"] = "many"
	if err := consoleCommand.Parse(&f, nil, lookup); err == nil {
		t.Error("a wrong value of the environment is taken")
	}
}

// An address that is refused is not written before.
func TestConsoleWritesNoAddressThatIsRefused(t *testing.T) {
	bad := write(t, "bad.pem", "no certificate")
	for _, flags := range [][]string{{"--addr=0.0.0.0:0"}, {"--addr=127.0.0.1:0", "--addr-cert=" + bad, "--addr-key=" + bad}} {
		if out, err := run(t, append([]string{"console", "--brokers=127.0.0.1:1"}, flags...)...); err == nil || out != "" {
			t.Errorf("%s: it writes %q and ends with %v", flags, out, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stdout, told := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- toolbox(ctx, cli.Process{Args: []string{"console", "--brokers=127.0.0.1:1", "--addr=127.0.0.1:0"}, LookupEnv: os.LookupEnv, Stdout: told, Stderr: io.Discard})
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if url, ok := strings.CutPrefix(line, "console  http://127.0.0.1:"); err != nil || !ok || strings.TrimSpace(url) == "0" {
		t.Errorf("it writes %q, %v", line, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
