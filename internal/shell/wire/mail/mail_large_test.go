//go:build largesets

package mail

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"bayestream/internal/testing/modeltest"
)

// TestMailOfLargeSet reads real mail, spam and worse: each gives a subject, a
// sender or a text, and the same one when it is read again.
func TestMailOfLargeSet(t *testing.T) {
	f, err := os.Open(modeltest.LargeData(t, "spamassassin_half.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	mails := json.NewDecoder(unpacked)
	n := 0
	for ; mails.More(); n++ {
		var mail struct {
			ID  string
			Raw []byte
		}
		if err := mails.Decode(&mail); err != nil {
			t.Fatal(err)
		}
		if n%5 != 4 { // a fifth is enough for each run
			continue
		}
		first := read(t, mail.Raw)
		if second := read(t, mail.Raw); !reflect.DeepEqual(first, second) {
			t.Errorf("%s: two readings differ", mail.ID)
		}
		if len(first) == 0 {
			t.Errorf("%s: nothing was read", mail.ID)
		}
	}
	if n != 3011 {
		t.Errorf("%d mails, want 3011", n)
	}
}
