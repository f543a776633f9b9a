package console

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/wire"
)

// The whole console on a real pipeline: every call answers as the contract says, a correction moves
// the counts by exactly its document, is undone without a trace, and another console knows all of
// it.
func TestConsole(t *testing.T) {
	b := newBench(t)
	s := b.open()
	b.teach(s, 60)
	d := b.label(s, "m1", "a prize for the lunch <script>alert(1)</script> zxq")
	b.label(s, "m2", "you won a prize, call now")
	t.Run("contract", func(t *testing.T) { checkContract(t, s, d) })
	t.Run("message", func(t *testing.T) { checkMessage(t, s, d) })
	t.Run("correct and undo", func(t *testing.T) { checkUndo(t, s, d) })
	t.Run("learned before", func(t *testing.T) { checkRelabel(t, s) })
	t.Run("restart", func(t *testing.T) { checkRestart(t, b, s) })
}

// checkContract asks every call of the contract and holds its answer against the schema.
func checkContract(t *testing.T, s *site, d decisionJSON) {
	c := readContract(t)
	asked := map[string]bool{}
	check := func(method, pattern, path string, body any) {
		t.Helper()
		asked[strings.ToLower(method)+" "+pattern] = true
		status, answer := s.ask(method, path, body)
		op := at(c.root, "paths", pattern, strings.ToLower(method))
		content, _ := at(op, "responses", statusName(status), "content").(map[string]any)
		if content == nil {
			t.Errorf("%s %s: the contract has no answer %d: %s", method, path, status, answer)
			return
		}
		var v any
		if err := json.Unmarshal(answer, &v); err != nil {
			t.Fatalf("%s: %v: %s", path, err, answer)
		}
		for _, media := range content {
			for _, problem := range c.check(v, at(media, "schema"), method+" "+path) {
				t.Error(problem)
			}
		}
	}
	place := url.QueryEscape(d.Place)
	for _, path := range []string{
		"/v1/session", "/v1/events?label=" + url.QueryEscape(*d.Label), "/v1/stats", "/v1/history", "/v1/history?word=prize&min=0.1&max=1&limit=1", "/v1/message?place=" + place, "/v1/message?id=m1",
		"/v1/corrections", "/v1/review", "/v1/review?order=word&word=prize", "/v1/review?order=conflicts", "/v1/quality?points=10", "/v1/model", "/v1/model/numbers",
	} {
		pattern, _, _ := strings.Cut(path, "?")
		check(http.MethodGet, pattern, path, nil)
	}
	check(http.MethodGet, "/v1/model/classes/{class}", "/v1/model/classes/spam?against=ham&limit=5", nil)
	check(http.MethodGet, "/v1/model/terms/{term}", "/v1/model/terms/Prizes", nil)
	check(http.MethodPost, "/v1/try", "/v1/try", map[string]any{"format": "text", "document": "a prize zxq"})
	check(http.MethodPost, "/v1/corrections", "/v1/corrections", map[string]any{"documents": []string{"nobody"}, "label": "ham"})
	for path, item := range at(c.root, "paths").(map[string]any) {
		for method := range item.(map[string]any) {
			if !asked[method+" "+path] {
				t.Errorf("%s %s was not asked", method, path)
			}
		}
	}
}

func statusName(status int) string {
	return map[int]string{http.StatusOK: "200", http.StatusAccepted: "202"}[status]
}

// checkMessage: the pieces are the text, the words stand where they stand, and the waterfall adds
// up.
func checkMessage(t *testing.T, s *site, d decisionJSON) {
	var m messageJSON
	s.get("/v1/message?place="+url.QueryEscape(d.Place), &m)
	if !m.Found || m.Now == nil || m.Decided == nil || m.ID != "m1" || *m.Source != *d.Source {
		t.Fatalf("the message is %+v", m)
	}
	var text strings.Builder
	unknown := false
	for _, p := range m.Now.Segments[0].Pieces {
		text.WriteString(p.Text)
		for _, i := range p.Terms {
			term := m.Now.Terms[i]
			if !strings.HasPrefix(strings.ToLower(p.Text), term.Term[:1]) {
				t.Errorf("the term %q is said to stand at %q", term.Term, p.Text)
			}
			unknown = unknown || p.Text == "zxq" && !term.Known
		}
	}
	if text.String() != "a prize for the lunch <script>alert(1)</script> zxq" || !unknown {
		t.Errorf("the pieces are %q, and zxq is unknown: %v", text.String(), unknown)
	}
	for _, d := range []*wire.Decision{m.Now.Decision, m.Decided} {
		sum := d.Rest
		for _, c := range d.Classes {
			switch c.Name {
			case d.Label:
				sum += c.LogPrior
			case d.RunnerUp:
				sum -= c.LogPrior
			}
		}
		for _, e := range d.Evidence {
			sum += e.Weight
		}
		if math.Abs(sum-d.Margin) > 1e-9 || len(d.Evidence) == 0 {
			t.Errorf("the parts add up to %v, and the margin is %v", sum, d.Margin)
		}
	}
	var other messageJSON
	s.get("/v1/message?place="+url.QueryEscape(d.Place)+"&for="+m.Now.Decision.RunnerUp, &other)
	if got := other.Now.Compared; math.Abs(got.Margin+m.Now.Decision.Margin) > 1e-9 || m.Now.Compared != nil {
		t.Errorf("the margin of the other class is %v", got.Margin)
	}
}

// digestOf returns the digest of the counts.
func (s *site) digestOf() (counts digest.Sum) {
	s.console.replica.Read(func(state *fold.State) { counts, _ = state.Digests() })
	return counts
}

// judgedNow returns the posterior of a class.
func (s *site) judgedNow(place, class string) float64 {
	s.t.Helper()
	var m messageJSON
	s.get("/v1/message?place="+url.QueryEscape(place), &m)
	for _, c := range m.Now.Decision.Classes {
		if c.Name == class {
			return c.Posterior
		}
	}
	s.t.Fatalf("no class %s", class)
	return 0
}

// post corrects and returns the receipt, which must say that it is counted.
func (s *site) post(body map[string]any) receiptJSON {
	s.t.Helper()
	body["wait_seconds"] = 20
	status, answer := s.ask(http.MethodPost, "/v1/corrections", body)
	var out receiptsJSON
	if err := json.Unmarshal(answer, &out); err != nil || len(out.Receipts) != 1 {
		s.t.Fatalf("%v gets %d %s", body, status, answer)
	}
	r := out.Receipts[0]
	if r.Outcome == "written" {
		s.await("the correction is counted", func() bool {
			x, _ := s.console.corrections.find(*r.Place)
			r.Outcome = x.Outcome
			return x.Outcome == "counted"
		})
	}
	return r
}

// checkUndo corrects a message that was not learned, and undoes it.
func checkUndo(t *testing.T, s *site, d decisionJSON) {
	digest, sure, documents := s.digestOf(), s.judgedNow(d.Place, "ham"), s.documents()
	r := s.post(map[string]any{"documents": []string{d.Place}, "label": "hams"})
	if r.Outcome != "refused" || r.Reason != "new_label" || s.digestOf() != digest {
		t.Errorf("a label that no document has: %+v", r)
	}
	r = s.post(map[string]any{"documents": []string{d.Place}, "label": "ham", "by": "anna"})
	if r.Outcome != "counted" || s.documents() != documents+1 || s.judgedNow(d.Place, "ham") <= sure {
		t.Fatalf("%+v, and the model has %d documents: %d before", r, s.documents(), documents)
	}
	var list correctionsJSON
	s.get("/v1/corrections?limit=1", &list)
	x := list.Corrections[0]
	if x.By != "anna" || x.Outcome != "counted" || !x.MayUndo || !slices.Equal(x.Counts, []countShiftJSON{{"ham", 1}}) || x.Before == nil || *x.Source != *d.Source {
		t.Errorf("the list says %+v", x)
	}
	r = s.post(map[string]any{"documents": []string{*r.Place}, "undo": true})
	if r.Outcome != "counted" || s.documents() != documents || s.digestOf() != digest {
		t.Errorf("%+v, and the counts are not as before", r)
	}
	if got := s.judgedNow(d.Place, "ham"); math.Abs(got-sure) > 1e-12 {
		t.Errorf("the posterior is %v and was %v", got, sure)
	}
	if r = s.post(map[string]any{"documents": []string{x.Place}, "undo": true}); r.Outcome != "refused" || r.Reason != "superseded" {
		t.Errorf("what was undone is undone again: %+v", r)
	}
}

// checkRelabel corrects and forgets a document that was learned by a training record, and undoes
// both.
func checkRelabel(t *testing.T, s *site) {
	digest, documents := s.digestOf(), s.documents()
	for _, body := range []map[string]any{{"documents": []string{"t1"}, "label": "ham"}, {"documents": []string{"t1"}, "forget": true}} {
		r := s.post(body)
		if r.Outcome != "counted" || s.digestOf() == digest {
			t.Fatalf("%v: %+v, and the counts are as before", body, r)
		}
		if r = s.post(map[string]any{"documents": []string{*r.Place}, "undo": true}); r.Outcome != "counted" || s.digestOf() != digest || s.documents() != documents {
			t.Fatalf("%v is not undone: %+v", body, r)
		}
	}
}

// checkRestart: another console shows the same history and the same corrections, and may undo one
// of the first.
func checkRestart(t *testing.T, b *bench, first *site) {
	digest := first.digestOf()
	r := first.post(map[string]any{"documents": []string{"m2"}, "label": "ham", "by": "anna"})
	places := func(s *site) (out []string) {
		var h historyJSON
		s.get("/v1/history", &h)
		for _, d := range h.Decisions {
			out = append(out, d.Place+" "+nameOf(d.Snippet)+" "+nameOf(d.Truth))
		}
		slices.Sort(out)
		return out
	}
	said := func(s *site) (out []string) {
		var list correctionsJSON
		s.get("/v1/corrections", &list)
		for _, x := range list.Corrections {
			out = append(out, strings.Join([]string{x.Place, x.By, x.Way, x.Action, nameOf(x.Label), nameOf(x.Was), x.Outcome, x.Undoes}, " "))
		}
		slices.Sort(out)
		return out
	}
	first.await("its own record to be read again", func() bool {
		return slices.ContainsFunc(places(first), func(s string) bool { return strings.HasSuffix(s, " ham") })
	})
	history, corrections := places(first), said(first)
	first.stop()
	second := b.open()
	if got := places(second); !slices.Equal(got, history) || len(got) < 2 {
		t.Errorf("the history is\n%s\nand was\n%s", strings.Join(got, "\n"), strings.Join(history, "\n"))
	}
	if got := said(second); !slices.Equal(got, corrections) {
		t.Errorf("the corrections are\n%s\nand were\n%s", strings.Join(got, "\n"), strings.Join(corrections, "\n"))
	}
	if r = second.post(map[string]any{"documents": []string{*r.Place}, "undo": true}); r.Outcome != "counted" || second.digestOf() != digest {
		t.Errorf("the second console does not undo what the first one did: %+v", r)
	}
}
