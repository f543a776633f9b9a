//go:build unix

package main

import (
	"strings"
	"testing"
)

// Three rounds, in the second of which the machine was half as fast: rates differ, ratios do not.
var (
	testLimit = runs{{train: 200, classify: 100}, {train: 100, classify: 50}, {train: 210, classify: 100}}
	testOurs  = runs{{train: 50, classify: 40, right: 0.9}, {train: 25, classify: 20, right: 0.9}, {train: 52.5, classify: 40, right: 0.9}}
	testPeer  = runs{{train: 10, classify: 80, right: 0.8}, {train: 5, classify: 40, right: 0.8}, {train: 10.5, classify: 80, right: 0.8}}
)

func TestFigures(t *testing.T) {
	f := testPeer.figures(testLimit, testOurs)
	if f.train != 10 || f.classify != 80 || f.right != 0.8 {
		t.Errorf("medians %v, %v, %v; want 10, 80, 0.8", f.train, f.classify, f.right)
	}
	if f.ofLimit.train != 0.05 || f.ofLimit.classify != 0.8 {
		t.Errorf("%v and %v of the limit, want 0.05 and 0.8", f.ofLimit.train, f.ofLimit.classify)
	}
	if f.slower.train != 5 || f.slower.classify != 0.5 {
		t.Errorf("bayestream is %v and %v times faster, want 5 and 0.5", f.slower.train, f.slower.classify)
	}
}

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "", 123.4: "123", 9.96: "10", 9.94: "9.9", 0.996: "1.0", 0.5: "0.50", 0.0123: "0.012"} {
		if got := digits(x); got != want {
			t.Errorf("digits(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	h := &held{learnBytes: 2_000_000, testBytes: []int{600_000, 400_000}, labels: []string{"a", "b"}}
	writeTable(&b, &corpus{name: "set", about: "made up"}, h, []peer{{name: limit}, {name: ours}, {name: "Other"}, {name: "Failed"}},
		map[string]runs{limit: testLimit, ours: testOurs, "Other": testPeer})
	want := `### set: made up

2.0 MB of text to learn, 1.0 MB in 2 texts to label

| | train MB/s | of the limit | bayestream is faster | classify MB/s | of the limit | bayestream is faster | right | peak MB |
|---|---|---|---|---|---|---|---|---|
| limit | 200 | 1.0 |  | 100 | 1.0 |  |  | 0 |
| bayestream | 50 | 0.25 |  | 40 | 0.40 |  | 0.9000 | 0 |
| Other | 10 | 0.050 | 5.0 x | 80 | 0.80 | 0.50 x | 0.8000 | 0 |

`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
