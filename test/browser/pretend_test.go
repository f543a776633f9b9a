//go:build browser

package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pages "bayestream/internal/tools/console/page"
	"bayestream/internal/tools/demo/news"
)

// A pretender answers as the console's API does, with made data: what is rare, hostile or too much
// on a real stream.
type pretender struct {
	*httptest.Server
	perSecond atomic.Int64 // events of each stream
	refuses   atomic.Bool  // every call of the API fails
	streams   atomic.Int64 // that are open
	number    atomic.Int64
}

type object = map[string]any
type list = []any

func pretend(t testing.TB) *pretender {
	t.Helper()
	p := &pretender{}
	p.perSecond.Store(20)
	mux := http.NewServeMux()
	mux.Handle("/", pages.Handler())
	mux.HandleFunc("GET /v1/events", p.events)
	for path, answer := range pretended() {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if p.refuses.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = fmt.Fprint(w, `{"error":{"reason":"not_ready","message":"The brokers do not answer."}}`)
				return
			}
			_ = json.NewEncoder(w).Encode(answer())
		})
	}
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	t.Cleanup(p.CloseClientConnections)
	return p
}

// hostile are texts of people who mean no good, or whose mail program does not.
var hostile = []string{
	`<script>document.title = "broken"</script><img src=x onerror="document.title='broken'">`,
	"Pay \u202egnp.exe\u202c now \x1b[31m red \x00 zero\u200bwidth",
	"דחוף: זכית בפרס! Call 555-0100 now",
}

// story makes up a decision on a piece of news.
func (p *pretender) story(g *news.Generator, skipped int64) object {
	n := p.number.Add(1)
	x := g.Next()
	text, label := x.Text, x.Label
	if n%37 == 0 {
		text = hostile[n/37%int64(len(hostile))]
	}
	sure, status := 0.5+0.4999*math.Abs(math.Sin(float64(n)*1.7)), "ok"
	if sure < 0.6 {
		status = "unsure"
	}
	var truth any
	if n%9 == 0 {
		truth = "sports"
	}
	return object{
		"number": n, "place": fmt.Sprintf("labels/%d/%d", n%4, n), "time": time.Now().UTC().Format(time.RFC3339Nano), "id": fmt.Sprintf("n-%d", n), "source": fmt.Sprintf("documents/%d/%d", n%4, n),
		"label": label, "status": status, "confidence": sure, "margin": math.Log(sure / (1 - sure)), "posterior": object{"election": 1 - sure, "sports": sure}, "snippet": text,
		"evidence":    list{object{"term": "debat", "as": list{"Debate"}, "weight": 2.31}, object{"term": "ballot", "weight": 1.2}, object{"term": "goal", "weight": -0.8}},
		"evidence_by": "decision", "model_offset": 412, "truth": truth, "correction": nil, "skipped": skipped,
	}
}

func (p *pretender) events(w http.ResponseWriter, r *http.Request) {
	p.streams.Add(1)
	defer p.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	g := news.New(3)
	flush := http.NewResponseController(w)
	send := func() {
		d, _ := json.Marshal(p.story(g, 0))
		_, _ = fmt.Fprintf(w, "id: %d\ndata: %s\n\n", p.number.Load(), d)
	}
	for range 60 {
		send()
	}
	_ = flush.Flush()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	owed := 0.0
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
		for owed += float64(p.perSecond.Load()) / 20; owed >= 1; owed-- {
			send()
		}
		_ = flush.Flush()
	}
}

// pretended are the answers by pattern.
func pretended() map[string]func() any {
	return map[string]func() any{
		"GET /v1/session": func() any {
			return object{"version": "0.9.0", "role": "editor", "token_required": true, "authorized": true, "read_only": false, "model": "news", "classes": list{"election", "sports"}, "hashed": false,
				"topics": object{"model": "model", "training": list{"training"}, "documents": list{"documents"}, "labels": list{"labels"}}, "ready": true, "detail": "", "keep": 2000}
		},
		"GET /v1/stats":                 pretendedStats,
		"GET /v1/message":               pretendedMessage,
		"GET /v1/corrections":           pretendedCorrections,
		"GET /v1/model":                 pretendedModel,
		"GET /v1/model/numbers":         pretendedNumbers,
		"GET /v1/model/classes/{class}": pretendedWordsOf,
		"GET /v1/model/terms/{term}":    pretendedTerm,
		"GET /v1/review":                func() any { return pretendedReview() },
		"GET /v1/history": func() any {
			p, g := &pretender{}, news.New(5)
			return object{"decisions": list{p.story(g, 0), p.story(g, 0), p.story(g, 0)}, "next": nil, "kept": 100, "more": false}
		},
		"POST /v1/try": func() any {
			step := func(name string, items ...any) object { return object{"name": name, "items": items} }
			return object{"now": pretendedView(), "steps": list{object{"segment": "text", "steps": list{step("bytes", "Goal keeper votes on the ballot zxq"), step("normalised", "goal keeper votes on the ballot zxq"),
				step("words", "goal", "keeper", "votes", "on", "the", "ballot", "zxq"), step("stems", "goal", "keeper", "vote", "on", "the", "ballot", "zxq"), step("terms", "goal", "keeper", "vote", "on", "the", "ballot", "zxq")}}}}
		},
		"GET /v1/quality": pretendedQuality,
	}
}

func pretendedStats() any {
	now := time.Now().UTC()
	var history list
	for i := range 60 {
		history = append(history, object{"time": now.Add(time.Duration(i-60) * time.Second).Format(time.RFC3339), "decisions": 18 + int(4*math.Sin(float64(i)/4))})
	}
	return object{
		"time": now.Format(time.RFC3339), "decisions": 10421, "per_second": 19.6, "labels": list{object{"label": "election", "per_second": 9.1, "decisions": 5020}, object{"label": "sports", "per_second": 10.5, "decisions": 5401}},
		"statuses": object{"ok": 10001, "unsure": 380, "cold": 40, "empty": 0, "impossible": 0}, "lag": object{"documents": 0, "training": 3, "model": 0}, "latency": object{"p50_ms": 31, "p99_ms": 120, "decisions": 196},
		"streams": 2, "sampled": false, "behind": 0, "documents": 10400, "model_offset": 412, "corrections": object{"written": 0, "counted": 4},
		"history": history, "status": object{
			"topics": list{object{"role": "training", "name": "training", "partitions": 4, "records": 10403, "waiting": 3, "still": false, "recent": 400, "refused": 0}}, "learned": 10400, "classes": 2, "labelled": 10421, "drifts": 0,
			"dead_letters": object{"total": 0, "read": 0, "reasons": list{}}, "agree": true,
			"workers": list{object{"name": "127.0.0.1:7431", "url": "http://127.0.0.1:7431", "role": "ingest", "named": true, "up": true, "ready": true, "detail": ""}, object{"name": "127.0.0.1:7432", "url": "http://127.0.0.1:7432", "role": "classify", "named": true, "up": true, "ready": true, "detail": ""},
				object{"name": "127.0.0.1:7433", "url": "http://127.0.0.1:7433", "role": "classify", "named": true, "up": true, "ready": false, "detail": "broker: no answer since 20s"}},
			"findings": list{object{"level": "warn", "part": "classify", "says": "classify at 127.0.0.1:7433 is not ready: broker: no answer since 20s", "next": "are the brokers there?"}}},
	}
}

func pretendedQuality() any {
	var series, reliability, coverage list
	start := time.Now().UTC().Add(-20 * time.Minute)
	for i := range 120 {
		x := float64(i)
		a := 0.97 - 0.4*math.Exp(-x/12) + 0.01*math.Sin(x)
		series = append(series, object{"time": start.Add(time.Duration(i) * 10 * time.Second).Format(time.RFC3339), "joined": 80, "accuracy": a, "macro_f1": a - 0.01, "log_loss": 0.1 + 0.6*math.Exp(-x/15)})
	}
	for i := range 10 {
		low := float64(i) / 10
		reliability = append(reliability, object{"low": low, "high": low + 0.1, "count": 20 + i*i*10, "confidence": low + 0.05, "accuracy": math.Min(1, low+0.05+0.03*math.Sin(float64(i)))})
	}
	for i := range 20 {
		x := float64(i) / 20
		coverage = append(coverage, object{"threshold": x, "coverage": 1 - x*x*0.7, "accuracy": 0.96 + 0.035*x})
	}
	places := list{"labels/3/41", "labels/1/17"}
	return object{"scored": list{object{"newest": 100, "records": 112, "accuracy": 0.982, "log_loss": 0.08, "ece": nil}, object{"newest": 1000, "records": 1040, "accuracy": 0.975, "log_loss": 0.1, "ece": 0.014}, object{"newest": 0, "records": 12000, "accuracy": 0.97, "log_loss": 0.11, "ece": nil}},
		"decisions": 10421, "joined": 10300, "accuracy": 0.9712, "macro_f1": 0.968, "log_loss": 0.11, "unscored": 0, "ece": 0.021, "series": series, "reliability": reliability, "coverage": coverage,
		"confusion": object{"classes": list{"election", "sports"}, "cells": list{object{"truth": "election", "label": "election", "count": 4903, "documents": places}, object{"truth": "election", "label": "sports", "count": 117, "documents": places},
			object{"truth": "sports", "label": "election", "count": 180, "documents": places}, object{"truth": "sports", "label": "sports", "count": 5100, "documents": places}}},
		"race": object{"leader": "complement/0.5", "candidates": list{object{"name": "multinomial/1", "errors": 310, "log_loss": 0.14, "documents": 10300}, object{"name": "complement/0.5", "errors": 297, "log_loss": 0.11, "documents": 10300}}, "series": pretendedRace(start)},
		"drift": object{"records": 12000, "errors": 340, "excess": 2.5, "found": 1, "alarms": list{object{
			"offset": 412, "time": start.Add(9 * time.Minute).Format(time.RFC3339), "topic": "training", "partition": 1, "end": 9120,
			"since": 405, "since_time": start.Add(8 * time.Minute).Format(time.RFC3339), "measure": "errors", "before": 0.1, "after": 0.4, "scored": 220,
			"classes": list{object{"name": "election", "share_before": 0.5, "share_after": 0.3, "errors_before": 0.02, "errors_after": 0.6, "g2": 140.5}},
			"words": list{
				object{"term": "vote", "table": "text", "class": "election", "before": 0.02, "after": 0.11, "g2": 88.1}, object{"term": "goal", "table": "text", "class": "sports", "before": 0.09, "after": 0.03, "g2": -31.2},
				object{"term": "24-31", "table": "length", "class": "sports", "before": 0.11, "after": 0.31, "g2": 40.2},
			},
		}}},
		"teachers": list{object{"by": "llm", "labels": 412, "agreed": 30, "corrected": 4}, object{"by": "anna", "labels": 17, "agreed": 0, "corrected": 0}},
	}
}

func pretendedRace(start time.Time) list {
	var series list
	for i := range 60 {
		x := float64(i)
		series = append(series, object{"time": start.Add(time.Duration(i) * 20 * time.Second).Format(time.RFC3339), "log_loss": list{0.14 + 0.3*math.Exp(-x/10), 0.11 + 0.5*math.Exp(-x/8)}})
	}
	return series
}

// A word of the made message: what it says for sports against election, by a temper of 0.8.
var pretendedWords = []struct {
	text, term string
	weight     float64 // 0: unknown
}{
	{"The", "the", 0.02}, {"keeper", "keeper", 1.84}, {"of", "of", -0.05}, {"Westbrook", "westbrook", 1.12}, {"Villa", "villa", 0.9}, {"saved", "save", 0.7}, {"a", "a", -0.01},
	{"penalty", "penalti", 1.31}, {"before", "befor", -0.12}, {"the", "the", 0.02}, {"mayor's", "mayor", -1.7}, {"vote", "vote", -1.46}, {"on", "on", 0.03}, {"the", "the", 0.02},
	{"new", "new", -0.2}, {"stadium", "stadium", 1.02}, {hostile[1], "hostil", 0}, {"zxqwort", "zxqwort", 0}, {hostile[0], "script", 0}, {strings.Repeat("a", 100_000), "aaa", 0},
}

const pretendedTemper = 0.8

func pretendedView() object {
	var terms, pieces, evidence list
	at, margin := map[string]int{}, -0.08*pretendedTemper
	for _, w := range pretendedWords {
		if _, known := at[w.term]; !known {
			at[w.term] = len(terms)
			term := object{"term": w.term, "as": list{w.text}, "count": 1, "known": w.weight != 0, "weight": nil, "plain": nil}
			if w.weight != 0 {
				term["weight"], term["plain"] = w.weight*pretendedTemper, w.weight
				margin += w.weight * pretendedTemper
				evidence = append(evidence, object{"term": w.term, "as": list{w.text}, "count": 1, "weight": w.weight * pretendedTemper})
			}
			terms = append(terms, term)
		}
		pieces = append(pieces, object{"text": w.text, "terms": list{at[w.term]}}, object{"text": " ", "terms": list{}})
	}
	slices.SortFunc(evidence, func(a, b any) int {
		return -cmp.Compare(math.Abs(a.(object)["weight"].(float64)), math.Abs(b.(object)["weight"].(float64)))
	})
	evidence = append(evidence, object{"block": "numbers[0]", "fields": list{"length"}, "weight": 0.4 * pretendedTemper})
	margin += 0.4 * pretendedTemper
	sure := 1 / (1 + math.Exp(-margin))
	class := func(name string, mean, share float64) object {
		return object{"class": name, "mean": mean, "deviation": 11.0, "log_density": -3.2, "share": share}
	}
	return object{
		"decision": object{
			"id": "n-1041", "label": "sports", "runner_up": "election", "status": "ok", "margin": margin, "tokens": object{"total": 19, "known": 16},
			"posterior": object{"election": 1 - sure, "sports": sure}, "log_posterior": object{"election": math.Log(1 - sure), "sports": math.Log(sure)},
			"prior": object{"election": 0.0, "sports": -0.08 * pretendedTemper}, "evidence": evidence, "rest": 0.0, "source": nil,
			"scoring": object{"candidate": "multinomial/1", "temper": pretendedTemper}, "model": object{"name": "news", "spec": "05e719a105dcad916f36e36145eb4422", "offset": 413, "documents": 10400},
		},
		"compared": nil,
		"terms":    terms, "segments": list{object{"name": "text", "mark": "", "lines": false, "pieces": pieces, "cut": 0}},
		"numbers": list{object{"block": "numbers[0]", "kind": "lda", "weight": 0.32, "abstained": false, "fields": list{object{"field": "length", "value": 24.5, "weight": nil, "classes": list{class("election", 40.2, 0.2), class("sports", 22, 0.8)}}}}},
		"values": list{object{"block": "categories[0]", "field": "place", "value": "town", "votes": true, "weight": 0.1, "counts": list{object{"class": "election", "count": 3}, object{"class": "sports", "count": 14}}},
			object{"block": "length", "field": "length in tokens", "value": "16-23", "votes": false, "weight": nil, "counts": list{object{"class": "election", "count": 30}, object{"class": "sports", "count": 40}}}},
		"flip": object{"without": list{"keeper", "penalti", "westbrook"}, "label": "election", "margin": 0.32, "words": 3}, "hashed": false,
	}
}

func pretendedMessage() any {
	view := pretendedView()
	return object{
		"id": "n-1041", "place": "labels/3/41", "source": "documents/3/41", "time": time.Now().UTC().Format(time.RFC3339Nano), "key": "n-1041", "found": true, "why_not": "", "decided": view["decision"], "now": view,
		"learned":    object{"label": "sports", "topic": "training", "partition": 3, "offset": 40, "time": time.Now().UTC().Format(time.RFC3339Nano)},
		"correction": object{"place": "training/3/57", "action": "correct", "label": "election", "outcome": "counted", "reason": ""},
		"before":     object{"number": 1040, "place": "labels/2/39"}, "after": nil, "may": object{"correct": true, "forget": true, "undo": true, "why_not": ""},
	}
}

func pretendedCorrections() any {
	var all list
	for i := range 7 {
		all = append(all, object{"number": 7 - i, "time": time.Now().UTC().Add(time.Duration(-i*i) * time.Minute).Format(time.RFC3339), "by": []string{"anna", ""}[i%2], "way": []string{"console", "other"}[i%2], "id": fmt.Sprintf("n-%d", 1041-i),
			"source": fmt.Sprintf("documents/3/%d", 41-i), "place": fmt.Sprintf("training/3/%d", 57-i), "action": []string{"correct", "correct", "forget", "undo"}[i%4], "label": []any{"election", "sports", nil, "sports"}[i%4], "was": "sports",
			"outcome": []string{"counted", "counted", "counted", "written", "skipped"}[i%5], "reason": []string{"", "", "", "", "unknown_id"}[i%5], "undoes": "", "undone": i == 1, "may_undo": i != 1,
			"before": object{"label": "sports", "class": "election", "posterior": 0.0412}, "after": object{"label": "election", "class": "election", "posterior": 0.613}, "counts": list{object{"class": "election", "documents": 1}, object{"class": "sports", "documents": -1}}})
	}
	return object{"corrections": all, "next": nil, "more": false}
}

func pretendedReview() any {
	p, g := &pretender{}, news.New(7)
	var items list
	for i := range 12 {
		p.number.Store(int64(36 * (i + 1)))
		d := p.story(g, 0)
		d["status"], d["confidence"] = "unsure", 0.51
		items = append(items, object{"decision": d, "score": 0.98, "why": "election 49 %, sports 51 %", "like": i % 3})
	}
	return object{"order": "unsure", "classes": list{"election", "sports"}, "waiting": 31, "items": items, "conflicts": list{object{"text": "A vote on the goal",
		"labels": list{object{"label": "election", "documents": list{"labels/0/4"}}, object{"label": "sports", "documents": list{"labels/3/41", "labels/3/42"}}}}}}
}

func pretendedModel() any {
	var size list
	start := time.Now().UTC().Add(-20 * time.Minute)
	for i := range 100 {
		size = append(size, object{"time": start.Add(time.Duration(i) * 12 * time.Second).Format(time.RFC3339), "documents": 104 * i, "vocabulary": int(2400 * (1 - math.Exp(-float64(i)/30)))})
	}
	class := func(name string, documents int, share float64) object {
		return object{"name": name, "documents": documents, "share": share, "min_documents": 20, "tokens": documents * 14}
	}
	return object{
		"name": "news", "offset": 413, "behind": 0, "documents": 10400, "classes": list{class("election", 5000, 0.48), class("sports", 5394, 0.519), class("weather and traffic", 6, 0.001)}, "vocabulary": 2312, "frozen": false,
		"imbalance": 899.0, "min_documents": 20, "spec": "name: news\ntext:\n  field: text\n  likelihood: multinomial\n  alpha: 1\nnumbers:\n  - fields: [length, words]\n    likelihood: lda\n",
		"fingerprint": object{"counting": "05e719a105dcad91", "scoring": "6f36e36145eb4422"}, "digest": "0123456789abcdef", "blocks": list{object{"name": "text", "kind": "multinomial", "fields": list{"text"}, "detail": "alpha 1"}, object{"name": "numbers[0]", "kind": "lda", "fields": list{"length", "words"}, "detail": ""}},
		"race": nil, "drift": nil, "temper": "{t: 0.8, gamma: 0}", "window": pretendedWindow(), "problems": list{}, "size": size,
	}
}

func pretendedWindow() any {
	var partitions list
	for i := range 4 {
		partitions = append(partitions, object{"topic": "training", "partition": i, "inside": 2600, "oldest": time.Now().UTC().AddDate(0, 0, -30).Format(time.RFC3339), "newest": time.Now().UTC().Format(time.RFC3339)})
	}
	return object{"holds": "documents that are not more than 30d older than the newest of their partition", "exact": false, "detail": "{age: 30d}, not exact: documents that have left the window stay counted, because their texts are gone: 2", "inside": 10400, "owed": 17, "gone": 2, "partitions": partitions}
}

func pretendedNumbers() any {
	class := func(name string, x, y float64) object {
		return object{"class": name, "documents": 50, "mean": list{x, y}, "covariance": list{list{90.0, 14.0}, list{14.0, 8.0}}, "problem": ""}
	}
	bin := func(hour string, a, b int) object {
		return object{"value": hour, "counts": list{object{"class": "election", "count": a}, object{"class": "sports", "count": b}}}
	}
	return object{"blocks": list{object{"name": "numbers[0]", "kind": "lda", "fields": list{"length", "words"}, "classes": list{class("election", 40, 9), class("sports", 22, 4)},
		"lines": list{object{"class": "election", "against": "sports", "fields": list{"length", "words"}, "normal": list{0.14, 0.38}, "offset": 6.8}}}},
		"values": list{object{"block": "histograms[0]", "field": "hour", "bins": list{bin("9", 40, 12), bin("12", 22, 20), bin("20", 8, 61)}}}}
}

func pretendedWordsOf() any {
	var forIt, against list
	for i, w := range []string{"goal", "keeper", "coach", "season", "stadium", "playoff", "penalti", "striker", hostile[1], "quarterback"} {
		against = append(against, object{"term": w, "weight": -4.1 + float64(i)*0.3, "count": i, "others": 211 - 17*i})
	}
	for i, w := range []string{"vote", "senat", "ballot", "romney", "obama", "poll", "candid", "governor", "tax", "mayor"} {
		forIt = append(forIt, object{"term": w, "weight": 4.4 - float64(i)*0.3, "count": 230 - 19*i, "others": i})
	}
	return object{"name": "election", "documents": 5000, "tokens": 70000, "against": "", "words_for": forIt, "words_against": against, "hashed": false}
}

func pretendedTerm() any {
	var series list
	for i := range 80 {
		series = append(series, object{"time": time.Now().UTC().Add(time.Duration(i-80) * 10 * time.Second).Format(time.RFC3339), "offset": i * 5, "counts": list{i / 9, i * 3}})
	}
	return object{"term": "goal", "asked": "Goals", "known": true, "counts": list{object{"class": "election", "count": 9, "per_thousand": 1.3, "weight": -3.1}, object{"class": "sports", "count": 237, "per_thousand": 27.4, "weight": 3.1}},
		"series": series, "classes": list{"election", "sports"}, "decisions": list{"labels/3/41"}}
}
