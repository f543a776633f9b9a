package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// inSteps is pick in several goes over the value: it is checked by another's validator, then its members are
// walked. It says why a value is none that can be read.
func inSteps(d *Decoder, value []byte) (found fields, err error) {
	reject := func(reason Reason, format string, args ...any) (fields, error) {
		return fields{}, Rejectf(reason, format, args...)
	}
	if at := invalidUTF8(value); at >= 0 {
		return reject(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	}
	if tooDeep(value) {
		return reject(NotJSON, "the value nests deeper than %d levels", MaxDepth)
	}
	if !gjson.ValidBytes(value) {
		return reject(NotJSON, "the value %s is not valid JSON", show(value))
	}
	if v := raw(bytes.TrimSpace(value)); v[0] != '{' {
		return reject(NotJSON, "the value %s is %s", v.shown(), v.kind())
	}
	for m, sc := walk(value), (&scratch{}); m.next(sc); {
		for _, s := range d.plain {
			if found[s.at] == nil && string(m.key) == s.name {
				found[s.at] = m.value
			}
		}
	}
	for _, s := range d.paths {
		found[s.at] = lookUp(value, s.name)
	}
	return found, nil
}

// checkScan compares pick with inSteps, and what counts as JSON with encoding/json.
func checkScan(t *testing.T, d *Decoder, value []byte) {
	t.Helper()
	if got, want := validJSON(value), json.Valid(value); got != want {
		t.Fatalf("%q is valid: %t, encoding/json says %t", value, got, want)
	}
	var got fields
	ok := d.pick(value, &scratch{}, &got)
	want, err := inSteps(d, value)
	if ok != (err == nil) {
		t.Fatalf("%q was picked: %t, want the error %v", value, ok, err)
	}
	if !ok {
		if got := notObject(value); got.Error() != err.Error() {
			t.Fatalf("%q: got the error %v, want %v", value, got, err)
		}
		return
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) || got[i].missing() != want[i].missing() {
			t.Fatalf("%q: got the field %d as %q, want %q", value, i, got[i], want[i])
		}
	}
}

// scanDecoder has use for all fields, and for one by a path.
func scanDecoder(tb testing.TB) *Decoder {
	return mustDecoder(tb, Schema{HasText: true, IDField: "a.id", NumberFields: []string{"n"}, CategoryFields: []string{"c"}})
}

// FuzzScan compares one scan with several.
func FuzzScan(f *testing.F) {
	for _, s := range append(scanned(), seeds...) {
		f.Add([]byte(s))
	}
	d := scanDecoder(f)
	f.Fuzz(func(t *testing.T, value []byte) { checkScan(t, d, value) })
}

// scanned are values that are nearly JSON, or just so.
func scanned() (values []string) {
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
	return values
}

func TestScan(t *testing.T) {
	d := scanDecoder(t)
	for _, v := range append(scanned(), seeds...) {
		checkScan(t, d, []byte(v))
	}
	// Every character at every place among the eight that are looked at together.
	for c := range rune(0x180) {
		for before := range 17 {
			for _, char := range []string{string(c), string([]byte{byte(c)}), "\\" + string(c), fmt.Sprintf(`\u%04x`, c)} {
				checkScan(t, d, []byte(`{"text":"`+strings.Repeat("x", before)+char+`yyyyyyyyy"}`))
				checkScan(t, d, []byte(`"`+strings.Repeat("\u00e4", before)+char+`"`))
			}
		}
	}
	// Cut off anywhere.
	whole := `{"id":"m1","numbers":{"n":-1.5e-3},"text":"a \"text\" with \u00e4 and ä","x":[true,false,null,{}]}`
	for i := range len(whole) {
		checkScan(t, d, []byte(whole[:i]))
	}
}

func TestScanBoundsDepth(t *testing.T) {
	d := scanDecoder(t)
	for _, n := range []int{MaxDepth - 1, MaxDepth} {
		nested := strings.Repeat("[", n) + strings.Repeat("]", n)
		checkScan(t, d, []byte(nested))
		checkScan(t, d, []byte(`{"x":`+nested+`}`))
		checkScan(t, d, []byte(strings.Repeat(`{"a":`, n)+"1"+strings.Repeat("}", n)))
	}
	if deep := bytes.Repeat([]byte("["), 1<<20); validJSON(deep) || d.pick(deep, &scratch{}, &fields{}) || !strings.Contains(notObject(deep).Error(), "deeper") {
		t.Error("a million brackets are not refused as too many")
	}
}
