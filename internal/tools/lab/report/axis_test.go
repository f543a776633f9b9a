package report

import (
	"math"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a    axis
		want string
	}{
		{axis{from: 0, to: 1}, "0 0.2 0.4 0.6 0.8 1"},
		{axis{from: 0.6, to: 1}, "0.6 0.7 0.8 0.9 1"},
		{axis{from: 0, to: 2225}, "0 500 1000 1500 2000"},
		{axis{from: 0, to: 2e6}, "0 0.5M 1M 1.5M 2M"},
		{axis{from: 0, to: 25000}, "0 5k 10k 15k 20k 25k"},
		{axis{from: -3, to: 3}, "-3 -2 -1 0 1 2 3"},
		{axis{from: 1e6, to: 1e6 + 10}, "1000000 1000002 1000004 1000006 1000008 1000010"},
		{axis{from: 2e-8, to: 9e-8}, "2e-08 3e-08 4e-08 5e-08 6e-08 7e-08 8e-08 9e-08"},
		{axis{from: 1e-4, to: 7e-4}, "0.0001 0.0002 0.0003 0.0004 0.0005 0.0006 0.0007"},
		{axis{from: 1, to: 1}, "1"},
		{axis{from: 10, to: 800, log: true}, "10 20 50 100 200 500"},
		{axis{from: 10, to: 6552, log: true}, "10 30 100 300 1000 3000"},
		{axis{from: 10, to: 200000, log: true}, "10 100 1000 10000 100000"},
		{axis{from: 7, to: 9, log: true}, ""},
	} {
		c.a.End = 100
		var got []string
		last := math.Inf(-1)
		for _, x := range c.a.ticks() {
			got = append(got, x.Text)
			if !(x.At > last && x.At >= 0 && x.At <= 100) {
				t.Errorf("%+v: the tick %s stands at %v after %v", c.a, x.Text, x.At, last)
			}
			last = x.At
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v: ticks %s, want %s", c.a, s, c.want)
		}
	}
}

// A curve of many points is drawn with few of them, among them the first and the last.
func TestPathLeavesOutWhatCannotBeSeen(t *testing.T) {
	c := newChart("", "", "", "", unit, unit)
	p := c.path(100_000, func(i int) (x, y float64) { return float64(i) / 99_999, 0.5 })
	if n := strings.Count(p, "L"); n > 1000 || !strings.HasPrefix(p, "M57 132L") || !strings.HasSuffix(p, "L384 132") {
		t.Errorf("%d points, %.20s ... %s", n, p, p[max(0, len(p)-20):])
	}
	if p := c.path(3, func(i int) (x, y float64) { return []float64{0, 0.5, 1}[i], []float64{math.NaN(), 2, 0}[i] }); p != "M220.5 10L384 254" {
		t.Errorf("without what is no number, and no higher than the plane: %s", p)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
