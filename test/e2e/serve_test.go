package e2e

import (
	"bayestream/internal/testing/processtest"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// desk is a bayestream serve that is killed and started again.
type desk struct {
	t     *testing.T
	model string
	addr  string
	args  []string
	cmd   *exec.Cmd
	kafka string
	log   bytes.Buffer
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, model: filepath.Join(t.TempDir(), "tickets.db"), addr: processtest.FreeAddress(t)}
	t.Cleanup(func() {
		if d.cmd != nil {
			_ = d.cmd.Process.Kill()
			_ = d.cmd.Wait()
		}
		if t.Failed() {
			t.Log(tail(d.log.String(), 4000))
		}
	})
	return d
}

// start starts it, and returns when it is ready.
func (d *desk) start() {
	d.t.Helper()
	d.cmd = exec.Command(binary(d.t, "bayestream"),
		append([]string{"serve", "--model=" + d.model, "--addr=" + d.addr, "--log=warn"}, d.args...)...)
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	d.cmd.Stderr = &d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if kafka, is := strings.CutPrefix(lines.Text(), "kafka "); is {
			d.kafka = strings.TrimSpace(kafka)
		}
		if lines.Text() == "ready" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return
		}
	}
	d.t.Fatalf("serve has ended before it was ready: %s", &d.log)
}

// end ends it by a signal, and waits.
func (d *desk) end(s os.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil && s == os.Interrupt {
		d.t.Errorf("serve has not ended well: %v", err)
	}
	d.cmd = nil
}

// post sends JSON and returns the answer.
func (d *desk) post(path string, body any) (status int, answer map[string]any) {
	text, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := http.Post("http://"+d.addr+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return 0, nil
	}
	return resp.StatusCode, answer
}

// spoken are the labels that were acknowledged, and those that may be written.
type spoken struct {
	mu      sync.Mutex
	certain map[string]string // the label of each id
	open    map[string]bool   // ids whose last label got no answer
	heard   chan struct{}     // has one for each answer, if somebody waits
}

// label learns new tickets and corrects those that were only labelled, each with a word of its own,
// until it gets no answer.
func (d *desk) label(seed int, s *spoken) {
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	for i := 0; ; i++ {
		id, label := fmt.Sprintf("t%d-%d", seed, i), []string{"power", "water"}[rng.IntN(2)]
		text := "word" + strings.ReplaceAll(id, "-", "x")
		body := map[string]string{"id": id, "label": label, "text": text}
		if rng.IntN(2) == 0 {
			if status, _ := d.post("/v1/classify", map[string]string{"id": id, "text": text}); status != http.StatusOK {
				return
			}
			delete(body, "text") // it is corrected by its id alone
		}
		status, _ := d.post("/v1/labels", body)
		s.mu.Lock()
		if status == http.StatusOK {
			s.certain[id] = label
			select {
			case s.heard <- struct{}{}:
			default:
			}
		} else {
			s.open[id] = true
		}
		s.mu.Unlock()
		if status != http.StatusOK {
			return
		}
	}
}

// TestServeIsKilled kills serve at random moments under load: each label that was acknowledged is
// counted once, by its word, and none that was not said. BAYESTREAM_KILLS says how often.
func TestServeIsKilled(t *testing.T) {
	t.Parallel()
	kills, _ := strconv.Atoi(os.Getenv("BAYESTREAM_KILLS"))
	kills = max(kills, 3)
	d, s := newDesk(t), &spoken{certain: map[string]string{}, open: map[string]bool{}, heard: make(chan struct{})}
	for kill := range kills {
		d.start()
		var clients sync.WaitGroup
		for c := range 4 {
			clients.Go(func() { d.label(kill*10+c, s) })
		}
		for range 1 + rand.IntN(60) {
			<-s.heard
		}
		d.end(os.Kill)
		clients.Wait()
	}
	d.start()
	if status, a := d.post("/v1/labels?wait", map[string]string{"id": "last", "text": "end", "label": "power"}); status != http.StatusOK || a["outcome"] != "counted" {
		t.Fatalf("the last label: %d %v", status, a)
	}
	if out, err := exec.Command(binary(t, "bayestream"), "verify", "--model=http://"+d.addr+"/v1/snapshot", "--brokers="+d.kafka).CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
	d.end(os.Interrupt)
	out, err := exec.Command(binary(t, "bayestream"), "export", "--model="+d.model).Output()
	if err != nil {
		t.Fatal(err)
	}
	s.compare(t, string(out))
	t.Logf("%d kills, %d labels acknowledged, %d without an answer", kills, len(s.certain), len(s.open))
}

// compare compares the counts of the words with what was said.
func (s *spoken) compare(t *testing.T, export string) {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(export) {
		var cell struct {
			Class, Term string
			Count       int
		}
		if json.Unmarshal([]byte(line), &cell) != nil || !strings.HasPrefix(cell.Term, "wordt") {
			continue
		}
		id := strings.Replace(strings.TrimPrefix(cell.Term, "word"), "x", "-", 1)
		if _, twice := got[id]; twice || cell.Count != 1 {
			t.Errorf("%s is counted more than once: %s", id, line)
		}
		got[id] = cell.Class
		if want, certain := s.certain[id]; certain && want != cell.Class || !certain && !s.open[id] {
			t.Errorf("%s is counted as %s, want %q", id, cell.Class, want)
		}
	}
	for id, label := range s.certain {
		if got[id] == "" {
			t.Errorf("%s was acknowledged as %s, and is not counted", id, label)
		}
	}
}

// TestNewcomerWithoutKafka has a table of 77 queues and reads nothing but what init writes: the
// table is learned, a ticket gets a label, and the label is corrected by the number of the ticket.
func TestNewcomerWithoutKafka(t *testing.T) {
	t.Parallel()
	dir, d := t.TempDir(), newDesk(t)
	table, spec := filepath.Join(dir, "tickets.csv"), filepath.Join(dir, "tickets.yaml")
	var rows strings.Builder
	rows.WriteString("ticket_no,body,queue\n")
	for i := range 77 * 3 {
		fmt.Fprintf(&rows, "N-%d,\"I have a question about matter%d, please\",queue %d\n", i, i%77, i%77)
	}
	if err := os.WriteFile(table, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := exec.Command(binary(t, "bayestream"), "init", table).Output()
	if err == nil {
		err = os.WriteFile(spec, written, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.args = []string{"--spec=" + spec}
	d.start()
	if out, err := exec.Command(binary(t, "bayestream"), "send", "--brokers="+d.kafka, table).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ticket := map[string]string{"ticket_no": "X-1", "body": "a question about matter5"}
	eventually(t, time.Minute, "the table is learned", func() (bool, string) {
		_, decision := d.post("/v1/classify", ticket)
		return decision["label"] == "queue 5", fmt.Sprint(decision)
	})
	for _, id := range []string{"X-1", "N-6"} { // one was labelled, the other learned
		if status, a := d.post("/v1/labels?wait=30s", map[string]string{"id": id, "label": "queue 7"}); status != http.StatusOK || a["outcome"] != "counted" {
			t.Errorf("%s: %d %v", id, status, a)
		}
	}
	d.end(os.Interrupt)
}
