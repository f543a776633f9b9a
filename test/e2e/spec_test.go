package e2e

import (
	"math"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// TestOtherCountingSpec: a spec that counts differently is refused, by what differs.
func TestOtherCountingSpec(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec("text: {field: text, ngrams: 1}"))
	p.learn(0, `{"text":"one","label":"ham"}`)
	next := p.counted(ingest).Next()
	ingest.stop()
	for _, c := range []struct{ spec, says string }{
		{"text: {field: text, ngrams: 2}", "text.ngrams is 2 here and 1 there"},
		{"text: {field: body}", "text.field is body here and text there"},
		{"text: {field: text, stem: false}", "text.stem is false here and true there"},
		{"text: {field: text, likelihood: bernoulli}", "text.likelihood is bernoulli here and multinomial there"},
		{"{text: {field: text}, limits: {terms: 1000}}", "limits.terms is 1000 here and 2000000 there"},
		{"{text: {field: text}, numbers: [{fields: [n]}]}", "numbers is"},
		{"{text: {field: text}, classes: [ham, spam]}", "classes is [ham, spam] here and"},
	} {
		p.runIngest(p.spec(c.spec)).failure("counts differently", p.model, "--model-topic", c.says)
	}
	if state := p.startIngest().folded(next); state.Next() != next {
		t.Errorf("the model log has %d records, it had %d before specs were refused", state.Next(), next)
	}
}

// TestScoringSpecIsReplaced changes alpha: nothing is learned again, and the next decisions of a
// classify that runs on show it.
func TestScoringSpecIsReplaced(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	ingest := p.startIngest(p.spec("{name: first, text: {field: text, stem: false, alpha: 1}}"))
	p.learn(0, `{"text":"prize prize money","label":"spam"}`, `{"text":"lunch","label":"ham"}`)
	before := p.counted(ingest)
	classify := p.startClassify()
	classify.folded(before.Next())
	ingest.stop()
	p.produce(p.documents, 0, document("a", "prize lunch"))
	p.decided(1)

	second := p.startIngest(p.spec("{name: first, text: {field: text, stem: false, alpha: 0.1}}"))
	after := classify.folded(before.Next() + 1)
	if after.Next() != before.Next()+1 {
		t.Errorf("the model log grew by %d records, want one: the spec", after.Next()-before.Next())
	}
	if n := second.metric("bayestream_learned_records_total"); n != 0 {
		t.Errorf("%v records were learned again", n)
	}
	p.produce(p.documents, 0, document("b", "prize lunch"))
	answers := p.decided(2)[0]
	var specs []string
	for i, alpha := range []float64{1, 0.1} {
		d, err := wire.ParseDecision(answers[i].Value)
		if err != nil {
			t.Fatal(err)
		}
		// Of three terms: prize 2 of 3 in spam and 0 of 1 in ham, lunch the other way round.
		spam := math.Log((2+alpha)/(3+3*alpha)) + math.Log(alpha/(3+3*alpha))
		ham := math.Log(alpha/(1+3*alpha)) + math.Log((1+alpha)/(1+3*alpha))
		margin := math.Abs(spam - ham)
		if math.Abs(d.Decision.Margin-margin) > 1e-9 {
			t.Errorf("with alpha %v the margin is %v, want %v", alpha, d.Decision.Margin, margin)
		}
		specs = append(specs, d.Decision.ModelInfo.Spec)
	}
	if specs[0] == specs[1] {
		t.Errorf("both decisions name the spec %s", specs[0])
	}
	p.learn(0, `{"text":"prize","label":"spam"}`)
	dump, _ := p.recount() // these words have no other stems
	same(t, "ingest", p.counted(second), dump)
}

// TestFirstSpecWins starts two ingests with different specs on an empty log at once: one is
// refused, and the other's spec is the model.
func TestFirstSpecWins(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	one, two := p.file("one.yaml", "text: {field: text, ngrams: 1}"), p.file("two.yaml", "text: {field: text, ngrams: 2}")
	workers := []*running{p.runIngest("--spec=" + one), p.runIngest("--spec="+two, "--state="+p.dir+"/two.db")}
	var winner, loser *running
	select {
	case <-workers[0].done:
		winner, loser = workers[1], workers[0]
	case <-workers[1].done:
		winner, loser = workers[0], workers[1]
	}
	loser.failure("counts differently")
	p.produce(p.training, 0, stream.Record{Value: []byte(`{"text":"one two","label":"ham"}`)})
	terms := map[*running]int{workers[0]: 2, workers[1]: 3}[winner]
	if got := p.counted(winner.ready()).Model().Text().Vocabulary(); got != terms {
		t.Errorf("%d terms were counted, want %d by the spec of the winner", got, terms)
	}
}
