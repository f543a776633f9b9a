package jsonread_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/shell/wire/jsonread"
)

// A member is a name, unescaped, and a value as it stands.
type member struct{ name, value string }

// read returns the members of an object by the Reader.
func read(r *jsonread.Reader, object []byte) (members []member, err error) {
	for r.Reset(object); r.Next(); {
		members = append(members, member{string(r.Name()), string(r.Value())})
	}
	return members, r.Err()
}

// reference is read by encoding/json, whose names are unescaped by the same rules.
func reference(object []byte) (members []member, ok bool) {
	if !json.Valid(object) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, false
		}
		members = append(members, member{name.(string), string(value)})
	}
	return members, true
}

// check compares the package with encoding/json: what is valid, the members of an object, the texts
// of strings.
func check(t *testing.T, r *jsonread.Reader, value []byte) {
	t.Helper()
	valid := json.Valid(value)
	if got := jsonread.Valid(value); got != valid {
		t.Fatalf("%q is valid: %t, encoding/json says %t", value, got, valid)
	}
	if !utf8.Valid(value) {
		_, _ = read(r, value)
		return // encoding/json replaces the bytes, the Reader leaves them
	}
	want, ok := reference(value)
	got, err := read(r, value)
	if ok != (err == nil) {
		t.Fatalf("%q: got the error %v, encoding/json accepts it: %t", value, err, ok)
	}
	if !ok {
		return
	}
	if len(got) != len(want) {
		t.Fatalf("%q: got the members %q, want %q", value, got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%q: got the member %q, want %q", value, got[i], want[i])
		}
		checkText(t, want[i].value)
	}
}

// checkText compares the text of a string with encoding/json.
func checkText(t *testing.T, value string) {
	t.Helper()
	if !jsonread.Value(value).IsString() {
		return
	}
	var want string
	if err := json.Unmarshal([]byte(value), &want); err != nil {
		t.Fatal(err)
	}
	text, buf := jsonread.Value(value).Text([]byte("before"))
	if string(text) != want || !bytes.HasPrefix(buf, []byte("before")) {
		t.Fatalf("%q: got the text %q behind %q, want %q", value, text, buf, want)
	}
}

func FuzzReader(f *testing.F) {
	for _, v := range values() {
		f.Add([]byte(v))
	}
	var used jsonread.Reader
	f.Fuzz(func(t *testing.T, value []byte) {
		check(t, &used, value)
		check(t, new(jsonread.Reader), value)
	})
}

// values are JSON, or nearly.
func values() (values []string) {
	for _, v := range []string{
		`0`, `-0`, `00`, `01`, `-`, `-a`, `1.`, `.5`, `1.5`, `1.e5`, `1e`, `1e+`, `1E-07`, `1e5.`, `+1`, `0x1`, `1_0`, `NaN`, `--1`,
		`true`, `tru`, `truex`, `false`, `null`, `nul`, `True`, `nulls`,
		`""`, `"`, `"\`, `"\"`, `"\u12`, `"\u12"`, `"\u123g"`, `"\uABcd"`, `"\x"`, `"\u"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\n\"", `'a'`, "\"\xff\"", "\"\u00e4\"", "\"\xc3\"",
		`[]`, `[ ]`, `[,]`, `[1,]`, `[1 2]`, `[1,2]`, `[`, `]`, `[]]`, `[1`, `[1,`, `[[[]]]`, `[{}]`, `{"a":{"b":[{}]}}`,
		`{}`, `{ }`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`, `{"a" : 1 , "b" : 2}`, `{a:1}`, `{"a":1,,"b":2}`, `{"a"::1}`, `{`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `}`, `{}}`, `{1:2}`,
		"\u00a0{}", "\xef\xbb\xbf{}", "{}\x00", "\v{}", "\f1", " \t\r\n{}\n",
	} {
		values = append(values, v, ` `+v+` `, `{"text":`+v+`}`, `{"weight":1,"text":`+v+` ,"label":"l"}`, `[`+v+`]`)
	}
	return append(values,
		`{"a":1,"a":2,"\u0061":3}`, `{"t\u0065xt":"\ud800|\udc00|\ud800\u0041|\ud83d\ud83d\ude00","\ud800":null}`,
		` { "text" : "a" , "a" : { "text" : "b" } } `, `{"n":1e999,"m":-0.0,"big":123456789012345678901234567890}`,
		`{"html":"<b>&amp;</b>","x":[{"y":[1,2,"}"]},true,false,null]}`,
	)
}

func TestReader(t *testing.T) {
	var r jsonread.Reader
	for _, v := range values() {
		check(t, &r, []byte(v))
	}
	// Each character, escaped or not, in the middle of a string.
	for c := range rune(0x180) {
		for _, char := range []string{string(c), string([]byte{byte(c)}), "\\" + string(c), fmt.Sprintf(`\u%04x`, c)} {
			check(t, &r, []byte(`{"text":"xx`+char+`yyyyyyyyy"}`))
			check(t, &r, []byte(`{"ää`+char+`":1}`))
		}
	}
	// A value cut off anywhere.
	whole := `{"id":"m1","numbers":{"n":-1.5e-3},"text":"a \"text\" with \u00e4 and ä","x":[true,false,null,{}]}`
	for i := range len(whole) {
		check(t, &r, []byte(whole[:i]))
	}
}

func TestReaderBoundsDepth(t *testing.T) {
	var r jsonread.Reader
	for _, n := range []int{jsonread.MaxDepth - 1, jsonread.MaxDepth, jsonread.MaxDepth + 1} {
		nested := strings.Repeat("[", n) + strings.Repeat("]", n)
		check(t, &r, []byte(nested))
		check(t, &r, []byte(`{"x":`+nested+`}`))
		check(t, &r, []byte(strings.Repeat(`{"a":`, n)+"1"+strings.Repeat("}", n)))
	}
	if deep := bytes.Repeat([]byte("["), 1<<20); jsonread.Valid(deep) {
		t.Error("a million brackets are not refused")
	}
}

func TestReaderAllocations(t *testing.T) {
	object := []byte(`{"id":"m1","t\u0065xt":"a \"text\"","numbers":{"n":1.5},"x":[true,false,null,{}]}`)
	var r jsonread.Reader
	var buf []byte
	if n := testing.AllocsPerRun(100, func() {
		for r.Reset(object); r.Next(); {
			if r.Value().IsString() {
				_, buf = r.Value().Text(buf[:0])
			}
		}
	}); n != 0 || r.Err() != nil {
		t.Errorf("%v allocations, error %v", n, r.Err())
	}
}

func TestFind(t *testing.T) {
	object := []byte(` {"a":{"b":["x",[["y"]],{"0":"z"}]},"a.b":1,"n":null,"x*y":{"#":2},"c\\d":3,"":{"":4},"0":5,"a":6,"s":"[7]"}`)
	for _, c := range []struct{ path, want string }{
		{"a.b.1", `[["y"]]`}, {"a.b.1.0.0", `"y"`}, {"a.b.2.0", `"z"`}, {"a.b.3", ""}, {"a.b.-1", ""}, {"a.b.x", ""},
		{"a.b.4294967296", ""}, {`a\.b`, "1"}, {"a.c", ""}, {"n", "null"}, {"n.a", ""}, {"x*y.#", "2"}, {`c\\d`, "3"},
		{".", "4"}, {"0", "5"}, {"0.0", ""}, {"s.0", ""}, {"a.b.0", `"x"`}, {"a.b.0.0", ""},
	} {
		var r jsonread.Reader
		got := jsonread.NewPath(c.path).Find(&r, object)
		if string(got) != c.want || got.IsMissing() != (c.want == "") {
			t.Errorf("%s: got %q, want %q", c.path, got, c.want)
		}
	}
}

func TestDecode(t *testing.T) {
	var dst struct {
		A *int `json:"a"`
		B *int `json:"b"`
	}
	if err := jsonread.Decode([]byte(`{"a":1,"b":null,"c":1}`), &dst); err != nil || *dst.A != 1 || dst.B != nil {
		t.Errorf("got %+v, %v", dst, err)
	}
	for _, c := range []struct{ value, want string }{
		{`{"a":1}{}`, "follows"}, {`{"a":1`, io.ErrUnexpectedEOF.Error()}, {`{"a":"1"}`, "string"},
	} {
		if err := jsonread.Decode([]byte(c.value), &dst); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.value, err, c.want)
		}
	}
}

func TestKind(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"null", "null"}, {`"a"`, "a string"}, {"-1", "a number"}, {"{}", "an object"}, {"[]", "an array"}, {"true", "a boolean"}, {"false", "a boolean"},
	} {
		if got := jsonread.Value(c.value).Kind(); got != c.want {
			t.Errorf("%s is %s, want %s", c.value, got, c.want)
		}
	}
	if got := jsonread.Value(nil).Kind(); got != "missing" {
		t.Errorf("nil is %s", got)
	}
}
