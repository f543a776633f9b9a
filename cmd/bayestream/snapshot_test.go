package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnapshot puts the model of a log into a folder, which keeps the newest ones, and to an address that takes PUT.
func TestSnapshot(t *testing.T) {
	flags, _ := logOfTwo(t)
	dir := t.TempDir()
	folder := filepath.Join(dir, "snapshots")
	var last string
	for _, until := range []string{"--until=1", "--until=2", "--until=3"} {
		last = filepath.Join(dir, until+".db")
		mustRun(t, append([]string{"rebuild", until, "--model=" + last}, flags...)...)
		mustRun(t, "snapshot", "--model="+last, "--to="+folder, "--keep=2")
	}
	kept, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("the folder holds %v, %v, want the two newest snapshots", kept, err)
	}
	if got, want := exported(t, kept[1]), exported(t, last); got != want {
		t.Errorf("the newest snapshot holds\n%s\nwant\n%s", got, want)
	}

	for _, c := range []struct {
		flags []string
		want  string
	}{{nil, "/v1/snapshot is whole: "}, {flags, "it equals the first 3 records of the model log"}} {
		if out := mustRun(t, append([]string{"verify", "--model=" + served(t, last)}, c.flags...)...); !strings.Contains(out, c.want) {
			t.Errorf("verify of a snapshot says\n%s\nwant %q", out, c.want)
		}
	}

	taken := filepath.Join(dir, "taken.db")
	status := http.StatusCreated
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPut {
			t.Errorf("%s of %d bytes, %v, want a PUT", r.Method, len(body), err)
		}
		if err := os.WriteFile(taken, body, 0o600); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	mustRun(t, "snapshot", "--model="+last, "--to="+server.URL+"/model.db")
	if got, want := exported(t, taken), exported(t, last); got != want {
		t.Errorf("the server got\n%s\nwant\n%s", got, want)
	}
	status = http.StatusForbidden
	if _, err := run(t, "snapshot", "--model="+last, "--to="+server.URL+"/model.db"); err == nil {
		t.Error("a server that refuses the snapshot is no error")
	}
}
