package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
)

// grace returns how long the pods of a worker may take to stop, by its manifest.
func grace(t *testing.T, worker string) time.Duration {
	t.Helper()
	text := filetest.Read(t, filepath.Join(modeltest.Root(), "deploy", "kubernetes", worker+".yaml"))
	found := regexp.MustCompile(`(?m)^ +terminationGracePeriodSeconds: (\d+)$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("the manifest of %s has no terminationGracePeriodSeconds", worker)
	}
	seconds, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds) * time.Second
}

// owners waits until each partition has one owner in the set, and returns it.
func (c *chaos) owners(set []*process) map[int]int {
	c.t.Helper()
	owner := map[int]int{}
	eventually(c.t, patience, "divided", func() (bool, string) {
		clear(owner)
		n := 0
		for i, pod := range set {
			_, body := send(http.MethodGet, "http://"+pod.address()+"/v1/worker", nil)
			var v struct{ Partitions []int }
			if err := json.Unmarshal(body, &v); err != nil {
				return false, string(body)
			}
			n += len(v.Partitions)
			for _, p := range v.Partitions {
				owner[p] = i
			}
		}
		return n == chaosPartitions && len(owner) == n, fmt.Sprint(owner)
	})
	return maps.Clone(owner)
}

// logIdle logs how long a partition was at most without work since a time: between two deltas that
// counted records of it. Records are written to each several times a second.
func (c *chaos) logIdle(since time.Time, after string) {
	c.t.Helper()
	last := map[int32]time.Time{}
	longest := map[int32]time.Duration{}
	log, err := kafkatest.Read(c.t.Context(), c.client, c.name+"-model", 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, rec := range log {
		d := codec.Describe(rec.Value, rec.Offset)
		if d.Kind != "delta" {
			continue
		}
		for _, r := range d.Ranges {
			if before, ok := last[r.Partition]; ok && rec.Time.After(since) {
				longest[r.Partition] = max(longest[r.Partition], rec.Time.Sub(before))
			}
			last[r.Partition] = rec.Time
		}
	}
	c.t.Logf("%s: longest without work, by partition: %v", after, longest)
}

// equal checks each pod of the set against the recount.
func (c *chaos) equal(after string, set []*process) {
	c.t.Helper()
	want, _ := c.recount()
	for i, pod := range set {
		c.settle(pod)
		got, err := pod.state()
		if err != nil {
			c.t.Fatal(err)
		}
		same(c.t, fmt.Sprintf("after %s pod %d", after, i), got, want)
	}
}

// TestRollingUpdateOfIngest does to a set of pods what Kubernetes does to the StatefulSet: it
// replaces them from the last to the first, each within its grace and when the one before is ready.
// Then a volume is lost, and a node comes back with an old one. Records come all the time.
func TestRollingUpdateOfIngest(t *testing.T) {
	t.Parallel()
	c := newChaos(t)
	var set []*process
	for i := range chaosPartitions {
		set = append(set, c.worker(fmt.Sprint("pod", i), "ingest", "--training-topic", c.training))
		set[i].start()
	}
	owner := c.owners(set)
	limit := grace(t, "ingest")
	again := func(pod *process) {
		pod.start()
		pod.ready(patience)
		now := c.owners(set)
		moved := 0
		for p := range now {
			if now[p] != owner[p] {
				moved++
			}
		}
		t.Logf("%d of %d partitions have another owner", moved, len(now))
		owner = now
	}

	stop := c.write()
	updated := time.Now()
	var old []byte
	for i, pod := range slices.Backward(set) {
		begin := time.Now()
		pod.stop(limit)
		t.Logf("pod %d stopped within %v of %v", i, time.Since(begin), limit)
		others := slices.Delete(slices.Clone(set), i, i+1)
		c.owners(others)
		if i == 0 {
			old = filetest.Read(t, pod.flag("--state"))
		}
		again(pod)
	}
	stop()
	c.logIdle(updated, "a rolling update")
	c.equal("a rolling update", set)

	stop = c.write()
	set[1].stop(limit)
	if err := os.Remove(set[1].flag("--state")); err != nil {
		t.Fatal(err)
	}
	again(set[1])
	stop()
	c.equal("a lost volume", set)

	stop = c.write()
	killed := time.Now()
	set[0].kill()
	c.owners(set[1:])
	filetest.Write(t, set[0].flag("--state"), old)
	again(set[0])
	stop()
	c.logIdle(killed, "a pod was killed")
	c.equal("an old volume", set)
	c.compare(set[0])
}

// TestRollingUpdateOfClassify does what Kubernetes does to the Deployment: each new pod is ready
// before an old one is stopped, and has no model file.
func TestRollingUpdateOfClassify(t *testing.T) {
	t.Parallel()
	p, _, classify := taught(t, 3)
	classify.stop()
	set := []*process{p.process("pod0"), p.process("pod1")}
	for _, pod := range set {
		pod.start()
		pod.ready(patience)
	}
	stop := p.mixture(rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 9)), .02)
	limit := grace(t, "classify")
	for i := range set {
		surge := p.process(fmt.Sprint("new", i))
		surge.start()
		surge.ready(patience)
		set[i].stop(limit)
		set[i] = surge
	}
	p.answeredOnce(stop())
}
