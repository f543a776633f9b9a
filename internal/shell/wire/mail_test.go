package wire

import (
	"reflect"
	"strings"
	"testing"

	"bayestream/internal/core/model"
)

func TestMailRejects(t *testing.T) {
	d := mustDecoder(Schema{Format: FormatMail, HasText: true, LabelHeader: "label", MaxRecordBytes: 1000})
	for _, value := range []string{"", "\n\n", "no header here\n", "\x00\xff\x00", "From x Thu\n"} {
		var dst Document
		wantReject(t, d.Document(recordOf(value), &dst), BadMail)
	}
	var dst Training
	wantReject(t, d.Training(recordOf(strings.Repeat("a", 1001), header("label", "x")), &dst), TooLarge)
	wantReject(t, d.Training(recordOf("Subject: x\n\ny"), &dst), NoLabel)
	wantReject(t, d.Training(recordOf("", header("label", "x")), &dst), BadMail)
}

// What has to be guessed of a mail is told to the function that counts it.
func TestMailGuesses(t *testing.T) {
	d := mustDecoder(Schema{Format: FormatMail, HasText: true})
	told := map[string]int{}
	d.Guessed = func(what string) { told[what]++ }
	for _, value := range []string{
		"Subject: a\n\nplain", "Content-Type: text/plain; charset=nobody\n\nma\xf1ana", "Content-Type: text/plain; charset=utf-8\n\nma\xf1ana",
		"Content-Transfer-Encoding: base64\n\nplain words that are no base64 at all\n",
		"Content-Type: multipart/mixed; boundary=a\n\n--b\n\nx\n--b--\n",
	} {
		if err := d.Document(recordOf(value), new(Document)); err != nil {
			t.Fatal(err)
		}
	}
	if want := map[string]int{"charset": 2, "encoding": 1, "boundary": 1}; !reflect.DeepEqual(told, want) {
		t.Errorf("guessed %v, want %v", told, want)
	}
}

func TestMailTraining(t *testing.T) {
	d := mustDecoder(Schema{Format: FormatMail, HasText: true, LabelHeader: "label", IDFromKey: true, NumberFields: []string{"n"}})
	rec := recordOf("Subject: win\r\n\r\na prize", header("label", "spam"))
	rec.Key = []byte("<1@example.com>")
	var got Training
	if err := d.Training(rec, &got); err != nil {
		t.Fatal(err)
	}
	want := model.Input{Segments: []model.Segment{
		{Mark: "subject:", Text: []byte("win")}, {Mark: "type:", Text: []byte("text/plain"), Lines: true}, {Text: []byte("a prize")},
	}, Numbers: make([]model.Number, 1)}
	if got.Label != "spam" || got.ID != "<1@example.com>" || !reflect.DeepEqual(got.Input.Segments, want.Segments) || len(got.Input.Numbers) != 1 || got.Input.Numbers[0].Present {
		t.Errorf("got %+v", got)
	}
}
