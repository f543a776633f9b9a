package bayestream_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"bayestream"
)

var (
	spamWords = strings.Fields("claim prize winner free cash bonus urgent offer click casino lottery reward cheap pills guaranteed unlimited selected voucher jackpot millions")
	hamWords  = strings.Fields("meeting report project schedule minutes agenda colleague draft review budget quarter server deploy commit branch lunch train ticket office holiday")
)

// trained returns a model of 60 mails of each class, by the preset for mails.
func trained(t *testing.T) *bayestream.Model {
	t.Helper()
	m, err := bayestream.New("name: wrappings\nformat: mail\ntext: {ngrams: 2, punctuation: true, likelihood: multinomial}")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 120 {
		label, words := "spam", spamWords
		if i%2 == 1 {
			label, words = "ham", hamWords
		}
		var text []string
		for range 20 {
			text = append(text, words[r.IntN(len(words))], "the")
		}
		if err := m.Learn(label, bayestream.Document{Record: []byte(page("<p>" + strings.Join(text, " ")))}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

const fields = "From: Dana <dana@shop.example>\nSubject: note\n"

// page returns a mail of HTML.
func page(html string) string {
	return fields + "Content-Type: text/html; charset=utf-8\n\n" + html
}

const (
	message = "please claim your free prize at <a href=\"http://prize.example/\">our page</a>, winner"
	plain   = "please claim your free prize at our page, winner\nhttp://prize.example/\n"
)

func coded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// wide returns a text in UTF-16.
func wide(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(unit))
		b.WriteByte(byte(unit >> 8))
	}
	return b.String()
}

// alternative returns a mail of the page and another type, of which the last is the better.
func alternative(kind, other string) string {
	return fields + "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>" + message +
		"</p>\n--b\nContent-Type: " + kind + "\n\n" + other + "\n--b--\n"
}

// wrappings are one text in forms that a mail program shows alike.
func wrappings() map[string]string {
	head := func(lines string) string { return fields + lines + "\n\n<p>" + message + "</p>\n" }
	return map[string]string{
		"HTML":                          page("<p>" + message),
		"size 0 around a size":          page("<td style='font-size:0px'><div style='font-size:13px'>" + message),
		"no semicolon":                  head("Content-Type: text/html charset=utf-8"),
		"base64 with a semicolon":       fields + "Content-Type: text/html\nContent-Transfer-Encoding: base64;\n\n" + coded("<p>"+message),
		"CR CR LF":                      strings.ReplaceAll(page("<p>"+message+"\n"), "\n", "\r\r\n"),
		"calendar beside":               alternative("text/calendar", "BEGIN:VCALENDAR\nSUMMARY:meeting agenda"),
		"comma":                         head("Content-Type: text/html, charset=utf-8"),
		"colon":                         head("Content-Type: text/html: charset=utf-8"),
		"comment":                       head("Content-Type: text/html (page); charset=utf-8"),
		"two fields in one line":        fields + "Content-Type: text/html; charset=\"utf-8\" Content-Transfer-Encoding: base64\n\n" + coded("<p>"+message),
		"base64 in pieces":              fields + "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + coded("<p>please claim your") + "\n" + coded(" free prize at our page, winner<a href=http://prize.example>"),
		"base64 that is none":           head("Content-Type: text/html\nContent-Transfer-Encoding: base64"),
		"quoted-printable with a comma": fields + "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable, 7bit\n\n<p>please cl=61im your free pri=\nze at our page, winner <a href=3D\"http://prize.example\">",
		"blanks behind a soft break":    fields + "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>please claim your fr= \nee pri=\t\nze at our page, winner <a href=3D\"http://prize.example\">",
		"UTF-16":                        fields + "Content-Type: text/html; charset=utf-16le\nContent-Transfer-Encoding: base64\n\n" + coded(wide("<p>"+message)),
		"UTF-7":                         fields + "Content-Type: text/html; charset=utf-7\n\n<p>please +AGMAbABhAGkAbQ- your free prize at our page, winner <a href='http://prize.example'>",
		"an unknown set":                head("Content-Type: text/html; charset=x-none"),
		"a set of 16 bits that is none": head("Content-Type: text/html; charset=utf-16"),
		"CR alone":                      strings.ReplaceAll(page("<p>"+message), "\n", "\r"),
		"a blank in the empty line":     fields + "Content-Type: text/html\n \n<p>" + message,
		"a line that is no field":       fields + "no field\nContent-Type: text/html\n\n<p>" + message,
		"another boundary":              strings.ReplaceAll(alternative("text/x-vcard", "BEGIN:VCARD"), "boundary=b", "boundary=c"),
		"no boundary":                   strings.ReplaceAll(alternative("text/rtf", "{\\rtf1 agenda}"), "; boundary=b", ""),
		"a size by a sheet":             page("<style>.a{font-size:0}.b{font-size:1rem}</style><div class=a><p class=b>" + message),
		"a sheet for paper":             page("<style>@media print{p{display:none}}</style><p>" + message),
		"a rule that is overruled":      page("<style>.a{display:none}</style><p class=a style='display:block'>" + message),
		"a value that is none":          page("<p style='display:nonee;visibility:hid den'>" + message),
		"a semicolon in a URL":          page("<p style='background:url(x;display:none)'>" + message),
		"the last declaration":          page("<p style='display:none;display:block'>" + message),
		"visible in invisible":          page("<div style='visibility:hidden'><p style='visibility:visible'>" + message),
		"a paragraph behind a hidden":   page("<p hidden><p>" + message),
		"a table that is left":          page("<table hidden><p>" + message + "</table>"),
		"lines that are none":           page("<p>" + strings.ReplaceAll(strings.ReplaceAll(message, "claim", "cl<br hidden>a<div style='display:inline'>im</div>"), "free", "fr<td>e</center>e")),
		"a table in a hidden one":       page("<table><tr><center hidden><table><td>" + message),
		"escapes":                       page("<p>" + strings.ReplaceAll(strings.ReplaceAll(message, "claim", "&#99;laim"), "prize at", "&#x70;rize at")),
		"cut words":                     page("<p>" + strings.ReplaceAll(strings.ReplaceAll(message, "claim", "cl<b></b>aim"), "free", "f<!-- x -->ree")),
		"a drawing":                     page("<svg><text>" + message + "</text></svg>"),
		"slashes in the link":           page("<p>" + strings.ReplaceAll(message, "http://prize", "http:\\\\\\prize")),
		"plain text":                    fields + "\n" + plain,
		"flowed inside of words":        fields + "Content-Type: text/plain; format=flowed; delsp=yes\n\n" + strings.ReplaceAll(plain, "claim", "cl \naim"),
	}
}

// TestWrappings: a text is judged by its words, however they are wrapped.
func TestWrappings(t *testing.T) {
	m := trained(t)
	want := posterior(t, m, page("<p>"+message))
	for name, mail := range wrappings() {
		if got := posterior(t, m, mail); math.Abs(got-want) > 0.01 || got < 0.5 {
			t.Errorf("%s: spam by %.4f, want %.4f", name, got, want)
		}
	}
}

// TestFillerIsOutvoted: a thousand words of ham that no reader sees do not make spam ham.
func TestFillerIsOutvoted(t *testing.T) {
	m := trained(t)
	filler := strings.Repeat(strings.Join(hamWords, " ")+" ", 50)
	for i := range 20 { // mails of the office hide text too
		mail := page("<div style='display:none'>" + strings.Join(hamWords[i%10:], " ") + "</div><p>" + strings.Join(hamWords, " "))
		if err := m.Learn("ham", bayestream.Document{Record: []byte(mail)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, hidden := range []string{
		"<div style='display:none'>%s</div>", "<div style='font-size:0'>%s</div>", "<div style='opacity:0'>%s</div>",
		"<div style='visibility:hidden'>%s</div>", "<div hidden>%s</div>", "<style>.a{display:none}</style><div class=a>%s</div>",
		"<div style='max-height:0;overflow:hidden'>%s</div>", "<template>%s</template>", "<noframes>%s</noframes>", "<!-- %s -->",
		"<script>%s</script>", "<title>%s</title>", "<img width=1 height=1 alt='%s'>", "<input type=hidden value='%s'>",
		"<details>%s</details>", "<select>%s</select>", "<svg>%s</svg>", "<math>%s</math>", "<canvas>%s</canvas>", "<ruby><rp>%s</rp></ruby>",
	} {
		if got := posterior(t, m, page("<p>"+message+"</p>"+fmt.Sprintf(hidden, filler))); got < 0.5 {
			t.Errorf("%s: spam by %.4f", hidden, got)
		}
	}
	decoy := fields + "Content-Type: multipart/alternative; boundary=b\n\n" + filler + "\n--b\n\n" + filler + "\n--b\nContent-Type: text/html\n\n<p>" +
		message + "\n--b--\n" + filler
	if got := posterior(t, m, decoy); got < 0.5 {
		t.Errorf("around the parts: spam by %.4f", got)
	}
}

func posterior(t *testing.T, m *bayestream.Model, mail string) float64 {
	t.Helper()
	d, err := m.Classify(bayestream.Document{Record: []byte(mail)})
	if err != nil {
		t.Fatal(err)
	}
	return d.Posterior("spam")
}
