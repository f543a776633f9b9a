package dataset_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/dataset"

	"pgregory.net/rapid"
)

// A row with a quote that is in no quotes is passed over: where it ends is known.
func TestBareQuoteIsOfOneRow(t *testing.T) {
	const want = "2 a x\n-:3: bad row: byte 4 is a quote in a cell that does not begin with one: put the cell in quotes, and write \"\" for a quote\n4 b y"
	o := dataset.Options{Spec: parse(t, ""), Format: dataset.CSV}
	if got := texts(t, o, "label,text\na,x\nb,5\" pipe\nb,y\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// In a table with tabs quotes are text from the first row on that no quoting gives.
func TestQuotesBetweenTabs(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "limits: {record_bytes: 200}"), Format: dataset.CSV}
	long := strings.Repeat("long ", 50)
	for _, c := range []struct{ name, rows, want string }{
		{"quoted", "\"a\"\t\"two\nlines, \"\"quoted\"\" and a\ttab\"\nb\ty\n", "2 a two\nlines, \"quoted\" and a\ttab\n4 b y"},
		{"bare", "a\t5\" pipe\nb\t\"not closed\n\"b\"\t\"the \"\"end\"\"\"\r\nb\t\"", "2 a 5\" pipe\n3 b \"not closed\n4 b the \"end\"\n5 b \""},
		{"open before a quote", "a\t\"Er, hello\nb\ty\na\t\"x\" and more\n", "2 a \"Er, hello\n3 b y\n4 a \"x\" and more"},
		{"open to the end", "\na\t\"Er\n\nb\ty", "3 a \"Er\n5 b y"},
		{"another width", "a\t5\" x\nb\ty\tz\n", "2 a 5\" x\n-:3: bad row: the header has 2 columns and this row has 3"},
		{"too long", "a\t" + long + "5\" x\nb\ty\n", "-:2: record too large: the row has more than 200 bytes, the limit\n3 b y"},
		{"open for too long", "a\t\"" + long + "\nb\ty\n", "-:2: a cell in quotes is not closed, or a quote inside of it is not doubled: write \"\" for a quote"},
	} {
		if got := texts(t, o, "label\ttext\n"+c.rows); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// No table that is quoted as RFC 4180 says is read otherwise, whatever separates its cells.
func TestQuotedTablesAreReadAsWritten(t *testing.T) {
	o := dataset.Options{Spec: parse(t, ""), Format: dataset.CSV}
	rapid.Check(t, func(r *rapid.T) {
		cell := rapid.StringMatching(`[a",;|\t\n ]{0,6}`)
		var table, want strings.Builder
		w := csv.NewWriter(&table)
		w.Comma = rapid.SampledFrom([]rune(",;\t|")).Draw(r, "separator")
		_ = w.Write([]string{"text", "label"}) // Flush returns no error of a Builder
		line := 2
		for _, text := range rapid.SliceOfN(cell, 1, 5).Draw(r, "texts") {
			_ = w.Write([]string{text, "x"})
			fmt.Fprintf(&want, "%d x %s\n", line, text)
			line += 1 + strings.Count(text, "\n")
		}
		w.Flush()
		if got := texts(t, o, table.String()) + "\n"; got != want.String() {
			r.Fatalf("%q is read as\n%s\nwant\n%s", table.String(), got, want.String())
		}
	})
}
