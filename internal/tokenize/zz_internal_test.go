package tokenize

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
)

func cpuNow() float64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Sec) + float64(r.Utime.Usec)/1e6
}

func TestPhases(t *testing.T) {
	b, err := os.ReadFile("/tmp/exp/ag.txt")
	if err != nil {
		t.Skip()
	}
	docs := bytes.Split(b, []byte("\n"))
	o := DefaultOptions()
	o.Stem = os.Getenv("STEM") != ""
	tk, _ := New(o)
	s := tk.NewScanner()
	best := func(name string, f func(d []byte)) {
		m := 1e9
		for range 25 {
			t0 := cpuNow()
			for range 8 {
				for _, d := range docs {
					f(d)
				}
			}
			m = min(m, (cpuNow()-t0)/8)
		}
		fmt.Printf("%-10s %7.1f MB/s  %6.2f ns/B\n", name, float64(len(b))/1e6/m, m*1e9/float64(len(b)))
	}
	n := 0
	best("read", func(d []byte) { s.read(d) })
	best("read+addr", func(d []byte) { s.read(d); s.addresses.reset(s.text) })
	best("split", func(d []byte) { s.read(d); s.split() })
	best("scan", func(d []byte) { s.Scan(d, "", func(term []byte) { n += len(term) }) })
}
