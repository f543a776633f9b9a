//go:build kafka

package quickstart

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/schema"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/processtest"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// startRegistry starts Apicurio and returns the address under which it speaks as Confluent's registry does.
func startRegistry(t *testing.T) string {
	t.Helper()
	jar := os.Getenv("BAYESTREAM_REGISTRY_JAR")
	if jar == "" {
		t.Fatal("BAYESTREAM_REGISTRY_JAR is not set: run test/quickstart/run.sh")
	}
	address := processtest.FreeAddress(t)
	host, port, _ := strings.Cut(address, ":")
	c := exec.Command("java", "-Xmx512m", "-Dquarkus.http.host="+host, "-Dquarkus.http.port="+port, "-jar", jar)
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	url := "http://" + address + "/apis/ccompat/v7"
	for range 240 {
		if response, err := http.Get(url + "/subjects"); err == nil {
			_ = response.Body.Close()
			return url
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatalf("the registry does not answer at %s:\n%s", url, log.String())
	return ""
}

// TestRegistry types the commands of the document, with records that Python writes.
func TestRegistry(t *testing.T) {
	url := startRegistry(t)
	t.Setenv("BAYESTREAM_SCHEMA_REGISTRY", url)
	s := newShell(t)
	s.more = strings.NewReplacer("http://127.0.0.1:8081/apis/ccompat/v7", url)
	s.types(t, "registry.md", nil)
	t.Run("serializers", func(t *testing.T) { readsPeers(t, s, url, "frame") })
	t.Run("deserializers", func(t *testing.T) { isReadByPeers(t, s, url) })
}

// isReadByPeers labels the document of the page once more, in headers: its value is still what
// Confluent's deserializer reads.
func isReadByPeers(t *testing.T, s *shell, url string) {
	t.Helper()
	const topic = "framed"
	s.run("bash", "-c", "classify --create-topics --group=framed --labels-topic="+topic+" --emit=headers --http=127.0.0.1:0 "+
		"--state=framed.db 2> framed.log &")
	script := filepath.Join(modeltest.Root(), "test", "quickstart", "reader.py")
	out := s.run(s.python(), script, os.Getenv(kafkatest.Variable), topic, url)
	if out != "a free prize for you: spam\n" {
		t.Errorf("a consumer of the labelled documents reads %q", out)
	}
}

// TestRegistryHeaders reads the other form, which needs a registry with GUIDs.
func TestRegistryHeaders(t *testing.T) {
	registry := srfake.New()
	t.Cleanup(registry.Close)
	registry.Intercept(func(w http.ResponseWriter, r *http.Request) bool { return registers(t, registry, w, r) })
	readsPeers(t, newShell(t), registry.URL(), "header")
}

// registers answers the registration of a schema with its GUID, which the registry of the test leaves out.
func registers(t *testing.T, registry *srfake.Registry, w http.ResponseWriter, r *http.Request) bool {
	subject, isVersions := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/subjects/"), "/versions")
	if r.Method != http.MethodPost || !isVersions {
		return false
	}
	var s sr.Schema
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		t.Error(err)
	}
	id, version, err := registry.RegisterSchema(subject, s)
	if err != nil {
		t.Error(err)
	}
	of, _ := registry.GetSchema(subject, version)
	_ = json.NewEncoder(w).Encode(map[string]any{"id": id, "guid": of.GUID})
	return true
}

// readsPeers reads what the serializers of Confluent write.
func readsPeers(t *testing.T, s *shell, url, form string) {
	t.Helper()
	out, err := exec.Command(s.python(), filepath.Join(modeltest.Root(), "test", "quickstart", "peers.py"), url, form).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	registry, err := schema.New(schema.Config{URLs: []string{url}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"id":"m1","body":{"text":"Grüße"},"team":"SPAM","sent_at":"2026-01-31T12:00:00Z","price":-12.30,"sizes":{"a":1}}`,
		`{"id":"m1","body":{"text":"Grüße"},"team":"SPAM"}`,
		`{"id":"m1","body":{"text":"Grüße"},"team":"SPAM","sent_at":"2026-01-31T12:00:00Z"}`,
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		value, header, _ := strings.Cut(line, " ")
		rec := []record.Record{{Value: bytesOf(t, value)}}
		if header != "" {
			rec[0].Headers = []record.Header{{Key: wire.SchemaHeader, Value: bytesOf(t, header)}}
		}
		if (header != "") != (form == "header") {
			t.Errorf("the form %s has the header %q", form, header)
		}
		if _, err := registry.Attach(t.Context(), rec); err != nil || rec[0].Schema == nil {
			t.Fatalf("%s: no schema: %v", line, err)
		}
		if got, _, err := rec[0].Schema.JSON(&rec[0], nil); err != nil || string(got) != want[i] {
			t.Errorf("record %d is read as %s, %v, want %s", i, got, err, want[i])
		}
	}
	if lines := bytes.Count(out, []byte("\n")); lines != len(want) {
		t.Error(fmt.Errorf("%d records were written, want %d", lines, len(want)))
	}
}

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
