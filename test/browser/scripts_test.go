//go:build browser

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ofScripts are labels with the words of their texts: long German ones, and some that are written
// from right to left.
var ofScripts = []struct{ label, words string }{
	{"Überweisungsrückläufer", "die Überweisung kam zurück auf mein Konto"},
	{"Kontoschließungsbestätigung", "bitte bestätigen Sie die Schließung des Kontos"},
	{"Rechtsschutzversicherungsgesellschaften", "der Rechtsschutz der Versicherung zahlt nicht"},
	{"Geschwindigkeitsbeschränkung", "die Übertragung ist langsam seit gestern"},
	{"Straßenbahnhaltestelle", "an der Haltestelle fährt keine Bahn"},
	{"شحن البطاقة", "لا أستطيع شحن البطاقة من حسابي"},
	{"فقدان كلمة المرور", "نسيت كلمة المرور ولا أستطيع الدخول"},
	{"תשלום נכשל", "התשלום שלי נכשל פעמיים היום"},
	{"כרטיס אבד (Visa 4711)", "איבדתי את הכרטיס ברחוב אתמול"},
}

// TestScripts looks at all pages with nine labels in German, Arabic and Hebrew: no page scrolls
// sideways, and a name from right to left does not turn what stands beside it.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	serve := run(t, "serve", "--model="+filepath.Join(dir, "m.db"), "--addr=127.0.0.1:0", "--kafka=127.0.0.1:0")
	page := serve.address()
	brokers := "--brokers=" + strings.Fields(serve.after("kafka "))[1]
	serve.after("ready")
	sendScripts(t, dir, brokers)
	p := load(open(t), t, page)
	p.until("decisions", `document.querySelectorAll(".decision").length >= 27`)
	origin, _, _ := strings.Cut(page, "/#")
	p.judge("scripts, live", wholly)
	p.picture("scripts-live")
	if !evaluate[bool](p, `[...document.querySelectorAll(".label:not(.none)")].every((e) => e.querySelector("bdi"))`) {
		t.Error("a label from right to left turns the text beside it")
	}
	evaluate[any](p, `location.hash = [...document.querySelectorAll(".decision")].find((e) => /[\u0590-\u06ff]/.test(e.textContent)).getAttribute("href")`)
	p.until("the choices", `document.querySelectorAll(".choices button").length === 9`)
	p.judge("scripts, message", wholly)
	p.picture("scripts-message")
	for _, v := range []struct{ name, hash, ready string }{
		{"quality", "#/quality", `[...document.querySelectorAll(".tile small")].some((s) => s.textContent.includes("before they were learned"))`},
		{"model", "#/model", `document.querySelectorAll(".strong-words li").length > 0`},
		{"review", "#/review", `document.querySelector(".queue [data-label]")`},
		{"try", "#/try", `document.querySelector("textarea")`},
	} {
		evaluate[any](p, fmt.Sprintf("location.hash = %q", v.hash))
		p.until(v.name, v.ready)
		p.judge("scripts, "+v.name, wholly)
		p.picture("scripts-" + v.name)
	}
	p.quiet(origin)
}

// sendScripts sends labelled records of each label, some once others are learned so that they are
// scored before, and three documents.
func sendScripts(t *testing.T, dir, brokers string) {
	t.Helper()
	var training, later, documents strings.Builder
	for i, x := range ofScripts {
		for n := range 4 {
			fmt.Fprintf(&training, `{"id":"t%d-%d","text":%q,"label":%q}`+"\n", i, n, fmt.Sprint(x.words, " ", n), x.label)
			fmt.Fprintf(&later, `{"id":"l%d-%d","text":%q,"label":%q}`+"\n", i, n, fmt.Sprint(n, " ", x.words), x.label)
		}
		for n := range 3 {
			fmt.Fprintf(&documents, `{"id":"d%d-%d","text":%q}`+"\n", i, n, fmt.Sprint(n+7, " ", x.words))
		}
	}
	for name, text := range map[string]string{"training": training.String(), "later": later.String(), "documents": documents.String()} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "send", brokers, "--wait", filepath.Join(dir, "training.jsonl")).after("records learned")
	run(t, "send", brokers, "--wait", filepath.Join(dir, "later.jsonl")).after("records learned")
	run(t, "send", brokers, "--documents", filepath.Join(dir, "documents.jsonl")).after("sent")
}
