package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/httpapi"
)

func TestReadiness(t *testing.T) {
	now := time.Now()
	good := func() httpapi.Facts {
		return httpapi.Facts{RoundTrip: now.Add(-time.Second), Folded: now.Add(-14 * time.Second), Serving: true, Store: true}
	}
	for _, c := range []struct {
		name   string
		change func(*httpapi.Facts)
		failed string // names of the checks that do not hold
	}{
		{"all is well; a member without a partition has no other facts", func(*httpapi.Facts) {}, ""},
		{"a little behind", func(f *httpapi.Facts) { f.Behind = 100 }, ""},
		{"far behind", func(f *httpapi.Facts) { f.Behind = 101 }, "fold"},
		{"end of the log unknown", func(f *httpapi.Facts) { f.Behind = -1 }, "fold"},
		{"log silent", func(f *httpapi.Facts) { f.Folded = now.Add(-15 * time.Second) }, "fold"},
		{"log never read", func(f *httpapi.Facts) { f.Folded = time.Time{} }, "fold"},
		{"brokers silent", func(f *httpapi.Facts) { f.RoundTrip = now.Add(-15 * time.Second) }, "broker"},
		{"no broker yet", func(f *httpapi.Facts) { f.RoundTrip = time.Time{} }, "broker"},
		{"starting, or no spec", func(f *httpapi.Facts) { f.Serving = false }, "start"},
		{"no store", func(f *httpapi.Facts) { f.Store = false }, "store"},
		{"trouble", func(f *httpapi.Facts) {
			f.Trouble = map[string]string{"partition 3": "records were deleted", "model file": "no space"}
		}, "model file,partition 3"},
		{"nothing at all", func(f *httpapi.Facts) { *f = httpapi.Facts{} }, "start,broker,fold,store"},
		{"a clock that went back", func(f *httpapi.Facts) { f.RoundTrip = now.Add(time.Hour) }, ""},
	} {
		f := good()
		c.change(&f)
		r := f.Readiness(now)
		var failed []string
		for _, check := range r.Checks {
			if !check.OK {
				failed = append(failed, check.Name)
			}
			if check.Detail == "" {
				t.Errorf("%s: check %s has no detail", c.name, check.Name)
			}
		}
		if got := strings.Join(failed, ","); got != c.failed || r.Ready != (c.failed == "") {
			t.Errorf("%s: ready %v, failed %q, want %q", c.name, r.Ready, got, c.failed)
		}
	}
}

func TestReadinessSaysWhy(t *testing.T) {
	now := time.Now()
	r := httpapi.Facts{RoundTrip: now.Add(-42 * time.Second), Folded: now, Behind: 7, Serving: true, Store: true}.Readiness(now)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ready":false,"checks":[{"name":"start","ok":true,"detail":"the topics are checked and a spec is in force"},` +
		`{"name":"broker","ok":false,"detail":"a broker answered 42s ago, at most 15s are allowed"},` +
		`{"name":"fold","ok":true,"detail":"7 records behind the model log"},{"name":"store","ok":true,"detail":"the model file is open"}]}`
	if string(b) != want {
		t.Errorf("got\n%s\nwant\n%s", b, want)
	}
}
