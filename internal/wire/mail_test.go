package wire

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"bayestream/internal/model"
)

// TestMail shows what the model sees of each mail in testdata/mail.
func TestMail(t *testing.T) {
	files, err := filepath.Glob("testdata/mail/*.eml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no mails in testdata/mail: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".eml")
		t.Run(name, func(t *testing.T) {
			value, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var in model.Input
			if err := readMail(value, &in); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			for _, s := range in.Segments {
				fmt.Fprintf(&out, "[%s]\n%s\n", s.Mark, s.Text)
			}
			golden(t, filepath.Join("mail", name+".txt"), out.Bytes())
		})
	}
}

func TestMailRejects(t *testing.T) {
	d := mustDecoder(t, Schema{Format: FormatMail, HasText: true, LabelHeader: "label", MaxRecordBytes: 1000})
	for _, value := range []string{"", "\n\n", "no header here\n", "\x00\xff\x00", "From x Thu\n"} {
		var dst Document
		wantReject(t, d.Document(record(value), &dst), BadMail)
	}
	var dst Training
	wantReject(t, d.Training(record(strings.Repeat("a", 1001), header("label", "x")), &dst), TooLarge)
	wantReject(t, d.Training(record("Subject: x\n\ny"), &dst), NoLabel)
	wantReject(t, d.Training(record("", header("label", "x")), &dst), BadMail)
}

func TestMailTraining(t *testing.T) {
	d := mustDecoder(t, Schema{Format: FormatMail, HasText: true, LabelHeader: "label", IDFromKey: true, NumberFields: []string{"n"}})
	rec := record("Subject: win\r\n\r\na prize", header("label", "spam"))
	rec.Key = []byte("<1@example.com>")
	var got Training
	if err := d.Training(rec, &got); err != nil {
		t.Fatal(err)
	}
	want := model.Input{Segments: []model.Segment{{Mark: MarkSubject, Text: []byte("win")}, {Text: []byte("a prize")}}, Numbers: make([]model.Number, 1)}
	if got.Label != "spam" || got.ID != "<1@example.com>" || !reflect.DeepEqual(got.Input.Segments, want.Segments) || len(got.Input.Numbers) != 1 || got.Input.Numbers[0].Present {
		t.Errorf("got %+v", got)
	}
}

// TestGuard: a panic of the mail parser is an error, not the end of the worker.
func TestGuard(t *testing.T) {
	if err := guard(func() error { panic("index out of range") }); err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("got %v", err)
	}
	if err := guard(func() error { return errNoHeader }); !errors.Is(err, errNoHeader) {
		t.Errorf("got %v", err)
	}
}

// TestMailTime: what is made to be slow is read in time that grows with its size.
// Each takes a fraction of a second; without the bounds on structure and on media
// types, the second and others take minutes at the size of a record.
func TestMailTime(t *testing.T) {
	var nested, parameters strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&nested, "--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n", i, i+1)
	}
	for i := range 20000 {
		fmt.Fprintf(&parameters, "; a*%d=b", i)
	}
	for _, c := range []struct{ name, value string }{
		{"many parts", "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n", 100000)},
		{"continued parameters", "Content-Type: text/plain" + parameters.String() + "\n\nx"},
		{"nested multiparts", "Content-Type: multipart/mixed; boundary=b0\n\n" + nested.String() + strings.Repeat("x\n", 50000)},
		{"nested elements", "Content-Type: text/html\n\n" + strings.Repeat("<b>", 100000)},
		{"links", "Content-Type: text/html\n\n" + strings.Repeat("<a href=x><p>", 30000)},
		{"tables", "Content-Type: text/html\n\n" + strings.Repeat("<table><a>", 30000)},
		{"encoded words", "Subject: " + strings.Repeat("=?utf-8?q?a?= ", 30000) + "\n\nx"},
		{"broken base64", "Content-Transfer-Encoding: base64\n\n" + strings.Repeat("!", 300000)},
		{"colons", "A: b\n\n" + strings.Repeat("http://", 50000)},
		{"www", "A: b\n\n" + strings.Repeat("www.", 80000)},
	} {
		start := time.Now()
		var in model.Input
		if err := readMail([]byte(c.value), &in); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %d bytes took %v", c.name, len(c.value), took)
		}
	}
}

// TestMailPastTheBounds: what stands before the part that is one too many counts.
func TestMailPastTheBounds(t *testing.T) {
	var in model.Input
	many := "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n" + strings.Repeat("--b\n\nmore\n", maxParts) + "--b\n\nlast\n--b--\n"
	if err := readMail([]byte(many), &in); err != nil {
		t.Fatal(err)
	}
	if got := text(in); !strings.HasPrefix(got, "first") || strings.Contains(got, "last") || strings.Count(got, "more") != maxParts-1 {
		t.Errorf("got %d more, last: %t", strings.Count(got, "more"), strings.Contains(got, "last"))
	}
	quoted := "Subject: s\n\n" + strings.Repeat("-- a plain mail has no parts, so lines like this do not count --\n", 2*maxParts) + "last"
	in = model.Input{}
	if err := readMail([]byte(quoted), &in); err != nil || !strings.HasSuffix(text(in), "last") {
		t.Errorf("a plain mail was cut, or %v", err)
	}
}

func TestHosts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no links: a.b, c://d.e, http:/f.g", ""},
		{"http://a.example/x https://B.Example:443? FTP://c.example", "a.example b.example c.example"},
		{"http://good.example@evil.example/", "evil.example"},
		{"http://user:pa+ss@h.example:80/", "h.example"},
		{"see www.a.example, WWW.B.example. www.", "www.a.example www.b.example www"},
		{"http://www.a.example and awww.no.example", "www.a.example"},
		{"http://a.example http://a.example/2", "a.example"},
		{"http://ex\u00e4mple.example", "ex\u00e4mple.example"},
		{"http:// http://. http://" + strings.Repeat("a", 300), ""},
		{"xhttp://a.example", "a.example"},
	} {
		var h hosts
		h.addText([]byte(c.text))
		if got := strings.Join(h.names, " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ html, want string }{
		{"", ""},
		{"plain", "plain"},
		{"<p>a<p>b", "a\nb"},
		{"v<b>i</b>ag<!-- x -->ra", "viagra"},
		{"<div style='visibility:hidden'>a</div>b", "b"},
		{"<div style='display:block'>a</div>b", "a\nb"},
		{"<div style='font-size: 0.0em'>a</div>b", "b"},
		{"<div style='font-size: large'>a</div>b", "a\nb"},
		{"<p hidden>a<div>b</div>", "b"},
		{"<noscript>a</noscript>", "a"},
		{"<textarea>a</textarea>", "a"},
		{"a<br>b<br/>c", "a\nb\nc"},
		{"<select><option>a</select>b", "b"},
		{"<script>a", ""},
		{strings.Repeat("<div>", 600) + "<i hidden>deep</i>", "deep"},
		{strings.Repeat("<div>", 600) + "a<br>b</p>", "a\nb"},
	} {
		// The end of the body ends the last line, where the document has a tree.
		if got := strings.TrimSuffix(string(appendVisible(nil, []byte(c.html), &hosts{})), "\n"); got != c.want {
			t.Errorf("%.60q: got %q, want %q", c.html, got, c.want)
		}
	}
	var deep hosts
	appendVisible(nil, []byte(strings.Repeat("<div>", 600)+"<a href='http://a.example'><img src='//b.example'/>"), &deep)
	if got := strings.Join(deep.names, " "); got != "a.example b.example" {
		t.Errorf("hosts below the parser's depth: %q", got)
	}
}
