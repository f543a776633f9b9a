package e2e

import (
	"errors"
	"net/http"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestSecondSignal: a worker whose coordinator does not answer takes its time to leave the group; a
// second signal ends it at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t)
	p := newPipelineAt(t, cluster.ListenAddrs(), "signals")
	p.createTopic(p.training, 1, nil)
	p.createTopic(p.documents, 1, nil)
	ingest := p.startIngest()
	classify := p.process("classify")
	classify.start()
	classify.ready(patience)
	ingest.stop() // it would wait for the coordinator, too
	leaves := make(chan struct{}, 100)
	cluster.ControlKey(int16(kmsg.LeaveGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		leaves <- struct{}{}
		return nil, nil, true // no answer
	})
	classify.signal(syscall.SIGTERM)
	select {
	case err := <-classify.done:
		t.Fatalf("it ended at the first signal, %v: the coordinator did not keep it", err)
	case <-leaves:
	}
	if status, body := send(http.MethodGet, "http://"+classify.address()+"/livez", nil); status != http.StatusOK {
		t.Errorf("while it stops, /livez answers %d: %s", status, body)
	}
	var err error
	late := time.After(patience)
	for ended := false; !ended; {
		_ = classify.cmd.Process.Signal(syscall.SIGINT) // the first come too soon; it may have ended
		select {
		case err = <-classify.done:
			ended = true
		case <-time.After(100 * time.Millisecond):
		case <-late:
			t.Fatal("it runs on after the second signal")
		}
	}
	classify.cmd = nil
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("after the second signal it ended with %v, want exit code 1, and not that of an orderly end", err)
	}
}
