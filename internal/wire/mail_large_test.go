//go:build largesets

package wire

import (
	"encoding/json"
	"io"
	"os"
	"reflect"
	"testing"

	"bayestream/internal/model"
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
	lines, err := NewLines(f.Name(), f, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if lines.Number()%5 != 0 { // a fifth is enough for each run
			continue
		}
		var mail struct {
			ID  string
			Raw []byte
		}
		if err := json.Unmarshal(line, &mail); err != nil {
			t.Fatal(err)
		}
		var first, second model.Input
		err = readMail(mail.Raw, &first)
		if errAgain := readMail(mail.Raw, &second); err != nil || errAgain != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%s: %v, %v, or two readings differ", mail.ID, err, errAgain)
		}
		if len(first.Segments) == 0 {
			t.Errorf("%s: nothing was read", mail.ID)
		}
	}
	if lines.Number() < 3011 {
		t.Errorf("%d lines, want 3011", lines.Number())
	}
}
