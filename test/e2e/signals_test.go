package e2e

import (
	"errors"
	"net/http"
	"os/exec"
	"syscall"
	"testing"

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
	case <-classify.Exited():
		t.Fatal("it ended at the first signal: the coordinator did not keep it")
	case <-leaves:
	}
	if status, body := send(http.MethodGet, "http://"+classify.address()+"/livez", nil); status != http.StatusOK {
		t.Errorf("while it stops, /livez answers %d: %s", status, body)
	}
	var err error
	eventually(t, patience, "ended by the second signal", func() (bool, string) {
		_ = classify.Signal(syscall.SIGINT) // the first come too soon; it may have ended
		var runs bool
		runs, err = classify.Running()
		return !runs, "it runs on"
	})
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("after the second signal it ended with %v, want exit code 1, and not that of an orderly end", err)
	}
}
