package spec_test

import (
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestSpecDefaults: what is not written down is filled in, block by block.
func TestSpecDefaults(t *testing.T) {
	words := spec.Text{Field: "text", Language: "english", Stem: true, NGrams: 1, Likelihood: "multinomial", Alpha: 1}
	limits := spec.Limits{Terms: 2_000_000, TermsPerDocument: 5000, TermBytes: 64, RecordBytes: 1 << 20, Classes: 1000, Ledger: 1_000_000}
	base := func(change func(*spec.Spec)) *spec.Spec {
		s := &spec.Spec{
			Name: "bayestream", Format: "json", Prior: spec.Prior{Kind: "empirical"},
			Decision: spec.Decision{MinDocuments: 20, Ties: "first"}, Limits: limits,
		}
		change(s)
		if s.Text == &words {
			s.Race = &spec.Race{Share: 32, Candidates: []spec.Candidate{
				{Likelihood: "one_vs_all", Alpha: 0.1, Sublinear: true, Shape: true, Edges: true},
				{Likelihood: "multinomial", Alpha: 0.1, Sublinear: true, Shape: true, Edges: true},
				{Likelihood: "one_vs_all", Alpha: 1, Sublinear: true, Shape: true, Edges: true},
				{Likelihood: "complement", Alpha: 1, Sublinear: true},
				{Likelihood: "one_vs_all", Alpha: 0.1, Sublinear: true, Shape: true},
				{Likelihood: "one_vs_all", Alpha: 0.03, Shape: true},
			}}
		}
		return s
	}
	halved := words
	halved.Alpha, halved.Stem = 0.5, false
	gaussian := spec.Numbers{Fields: []string{"x"}, Likelihood: "gaussian", Variance: "own", Denominator: "mle", Scale: 1e-9}
	lda := spec.Numbers{Fields: []string{"x", "y"}, Likelihood: "lda", Denominator: "mle", Scale: 1e-9, Shrinkage: spec.Shrinkage{OAS: true}}
	for _, c := range []struct {
		yaml string
		want *spec.Spec
	}{
		{"", base(func(s *spec.Spec) { s.Text = &words })},
		{"name: spam\ntext: {}", base(func(s *spec.Spec) { s.Name, s.Text = "spam", &words })},
		{"text: {alpha: 0.5, stem: false}", base(func(s *spec.Spec) { s.Text = &halved })},
		{"numbers: [{fields: [x]}]", base(func(s *spec.Spec) { s.Numbers = []spec.Numbers{gaussian} })},
		{"numbers: [{fields: [x, y], likelihood: lda, shrinkage: oas}]", base(func(s *spec.Spec) { s.Numbers = []spec.Numbers{lda} })},
		{"categories: [{field: c}]", base(func(s *spec.Spec) { s.Categories = []spec.Category{{Field: "c", Alpha: 1}} })},
		{"histograms: [{field: x, from: 0, to: 10, bins: 5}]", base(func(s *spec.Spec) {
			s.Histograms = []spec.Histogram{{Field: "x", To: 10, Bins: 5, Alpha: 1}}
		})},
		{"decision: {ties: random}", base(func(s *spec.Spec) { s.Text, s.Decision.Ties = &words, "random" })},
		{"decision: {min_documents: 0}", base(func(s *spec.Spec) { s.Text, s.Decision.MinDocuments = &words, 0 })},
		{"limits: {classes: 2}", base(func(s *spec.Spec) { s.Text, s.Limits.Classes = &words, 2 })},
	} {
		if diff := cmp.Diff(c.want, modeltest.Spec(t, c.yaml), cmpopts.IgnoreUnexported(spec.Spec{}, spec.Text{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.yaml, diff)
		}
	}
	if diff := cmp.Diff(modeltest.Spec(t, ""), spec.Default(), cmpopts.IgnoreUnexported(spec.Spec{}, spec.Text{})); diff != "" {
		t.Errorf("DefaultSpec (-want +got):\n%s", diff)
	}
}

// TestSpecStopWords: "default" stands for the library's list of the language.
func TestSpecStopWords(t *testing.T) {
	if stop := modeltest.Spec(t, "text: {stop: [default]}").Text.Stop; len(stop) < 100 {
		t.Errorf("%d stop words of English: %v", len(stop), stop)
	}
	if stop := modeltest.Spec(t, "text: {stop: [the, and]}").Text.Stop; len(stop) != 2 {
		t.Errorf("stop words %v, want the two that were given", stop)
	}
	alone := modeltest.Spec(t, "text: {stop: [default]}").Text.Stop
	stop := modeltest.Spec(t, "text: {stop: [foo, default, the, default]}").Text.Stop
	if len(stop) != len(alone)+1 || !slices.Contains(stop, "foo") {
		t.Errorf("%d stop words %v, want foo and the %d of English", len(stop), stop, len(alone))
	}
}

// TestSpecIsRefused names every rule that a spec can break, and the sentence that says so.
func TestSpecIsRefused(t *testing.T) {
	for _, c := range []struct{ yaml, says string }{
		{"nmae: x", "spec: unknown key nmae on line 1; did you mean name?"},
		{"name: x\ntext:\n  alhpa: 1", "spec: text: unknown key alhpa on line 3; did you mean alpha?"},
		{"numbers: [{fields: [x], shrnkage: 1}]", "spec: numbers[0]: unknown key shrnkage on line 1; did you mean shrinkage?"},
		{"categories: [{field: x, value: [a]}]", "categories[0]: unknown key value on line 1; did you mean values?"},
		{"histograms: [{field: x, bin: 3}]", "histograms[0]: unknown key bin on line 1; did you mean bins?"},
		{"decision: {cost: 1}", "decision: unknown key cost on line 1; the keys are loss, min_documents, reject, ties"},
		{"limits: {words: 1}", "limits: unknown key words on line 1; the keys are "},
		{"numbers: [{fields: [x], <<: {liklihood: lda}}]", "numbers[0]: unknown key liklihood on line 1; did you mean likelihood?"},
		{"text: {alhpa: 1, stme: true}", "did you mean alpha?\ntext: unknown key stme on line 1; did you mean stem?"},
		{"name: a\nname: b", "key name occurs twice, on lines 1 and 2"},
		{"text: {stem: true, stem: false}", "text: key stem occurs twice, on lines 1 and 1"},
		{"text: {stem: perhaps}", `text.stem on line 1 is "perhaps": want true or false`},
		{"text:\n  alpha: one", `text.alpha on line 2 is "one": want a number`},
		{"text: {alpha: }", "text.alpha on line 1 is empty: want a number"},
		{"text: {ngrams: [1, 2]}", "text.ngrams on line 1 is a list: want a whole number"},
		{"text: {ngrams: 1.5}", `text.ngrams on line 1 is "1.5": want a whole number`},
		{"text: {field: {a: b}}", "text.field on line 1 is keys and values: want a text"},
		{"text: yes", `text on line 1 is "yes": want keys and their values; the keys are alpha, apart, cap, characters, chars, `},
		{"numbers: {fields: [x]}", "numbers on line 1 is keys and values: want a list, like [a, b]"},
		{"numbers: [x]", `numbers[0] on line 1 is "x": want keys and their values; the keys are denominator, fields, `},
		{"classes: ham", `classes on line 1 is "ham": want a list, like [a, b]`},
		{"decision: {loss: {ham: 3}}", `decision.loss.ham on line 1 is "3": want names and their values, like {spam: 1}`},
		{"decision: {loss: {ham: {spam: much}}}", `decision.loss.ham.spam on line 1 is "much": want a number`},
		{"spam", `the document on line 1 is "spam": want keys and their values; the keys are `},
		{"name: a\n---\nname: b", "a second document follows ---: want one"},
		{"{name: a}\n[rc=0]", "spec: not YAML: line 1: behind the end of a { } or [ ] follows more, here or on the next line"},
		{"decision: {loss: &l {ham: *l}}", "decision.loss.ham.ham"},
		{"text: &t {<<: *t}", "spec: not YAML: anchor 't' value contains itself"},
		{"text: &t {alhpa: 1, <<: *t}", "text: unknown key alhpa on line 1; did you mean alpha?"},
		{"text: {<<: yes}", `text on line 1 is "yes": want keys and their values`},
		{"text: [", "spec: not YAML: line 1: a [ or { is not closed, or a value is missing"},
		{"@x: 1", "spec: not YAML: line 1: a value or key begins with a tab, or with another character that must be in quotes: indent with spaces"},
		{"a: b\n@x: 1", "spec: not YAML: line 2: a value or key begins with a tab, or with another character that must be in quotes: indent with spaces"},
		{"text:\n\talpha: 1", "spec: not YAML: line 2: a value or key begins with a tab, or with another character that must be in quotes: indent with spaces"},
		{"text: field: body", "spec: not YAML: line 1: a second colon: put a value that has one in quotes, or begin a new line for its keys"},
		{"text: {alpha: 1", "spec: not YAML: line 1: a { is not closed, or a comma is missing"},
		{"classes: [a", "spec: not YAML: line 1: a [ is not closed, or a comma is missing"},
		{"text: *x", "spec: not YAML: unknown anchor 'x' referenced"},
		{"format: mail\nnumbers: [{fields: [x]}]", "format is mail, whose records have a text and no numbers, categories or histograms: say text in their place, or use format json"},
		{"limits: {terms: 0}", "limits.terms is 0: want 1 to "},
		{"limits: {window: {records: 0}}", "limits.window.records is 0: want 1 to 1073741824, or leave it out"},
		{"scoring: {share: 0}", "scoring.share is 0: want 1 to 1048576"},
		{"format: xml", `format is "xml": want json, text or mail`},
		{strings.Repeat("[", 300), "spec: values are nested more than 256 deep: want fewer levels"},
		{"text: {likelihood: poisson}", `text.likelihood is "poisson": want multinomial, bernoulli, complement or one_vs_all`},
		{"text: {norm: true}", "text.norm is for complement, not for multinomial"},
		{"text: {likelihood: one_vs_all, norm: true}", "text.norm is for complement, not for one_vs_all"},
		{"text: {likelihood: bernoulli, weight: 1}", "text.weight is for complement and one_vs_all, not for bernoulli"},
		{"text: {likelihood: complement}\nnumbers: [{fields: [x]}]", "it needs text.weight"},
		{"text: {likelihood: one_vs_all}\ncategories: [{field: x}]", "text.likelihood is one_vs_all, whose score is no likelihood: beside other blocks it needs text.weight"},
		{"text: {likelihood: complement, weight: -1}", "text.weight is -1: want a number above 0"},
		{"text: {likelihood: complement, weight: .inf}", "text.weight is +Inf: want a number above 0"},
		{"text: {likelihood: complement, weight: 1e300}", "text.weight is 1e+300: want at most 1e+100"},
		{"text: {alpha: 0}", "text.alpha is 0: want a number above 0: with 0 any word that a class never had would rule it out; categories and histograms take 0"},
		{"text: {alpha: -1}", "text.alpha is -1: want a number above 0"},
		{"text: {alpha: .nan}", "text.alpha is NaN: want a number above 0"},
		{"text: {alpha: .inf}", "text.alpha is +Inf: want a number above 0"},
		{"text: {alpha: 1e300}", "text.alpha is 1e+300: want at most 1e+100"},
		{"text: {temper: 0.5}", `text.temper on line 1 is "0.5": want keys and their values; the keys are gamma, t`},
		{"text: {temper: {t: 0}}", "text.temper.t is 0: want a number above 0"},
		{"text: {temper: {t: .inf}}", "text.temper.t is +Inf: want a number above 0"},
		{"text: {temper: {gamma: -0.1}}", "text.temper.gamma is -0.1: want a number from 0 to 1"},
		{"text: {temper: {gamma: 1.1}}", "text.temper.gamma is 1.1: want a number from 0 to 1"},
		{"text: {temper: {gamma: .nan}}", "text.temper.gamma is NaN: want a number from 0 to 1"},
		{"temper: {t: 1}\nnumbers: [{fields: [x]}]", "unknown key temper on line 1"},
		{"text: {language: klingon}", `language is "klingon"`},
		{"text: {language: klingon, stop: [default]}", "text.stop: "},
		{"text: {stop: [two words]}", `stop word "two words" is not one word`},
		{"text: {ngrams: 0}", "n-grams of 0 words"},
		{"text: {ngrams: 9}", "n-grams of 9 words"},
		{"text: {chars: [3]}", "text.chars is [3]: want [shortest, longest], like [3, 5]"},
		{"text: {chars: [5, 3]}", "character n-grams of 5 to 3"},
		{"numbers: [{}]", "numbers[0] has no fields"},
		{`numbers: [{fields: [x, ""]}]`, "numbers[0].fields has an empty name"},
		{"numbers: [{fields: [x, y, x]}]", `numbers[0].fields has "x" twice`},
		{"numbers: [{fields: [x], likelihood: cauchy}]", `numbers[0].likelihood is "cauchy": want gaussian, lda or qda`},
		{"numbers: [{fields: [x], likelihood: qda, variance: own}]", "numbers[0].variance is for gaussian, not for qda"},
		{"numbers: [{fields: [x], variance: pooled}]", `numbers[0].variance is "pooled": want own, shared or isotropic`},
		{"numbers: [{fields: [x], denominator: n}]", `numbers[0].denominator is "n": want mle or unbiased`},
		{"numbers: [{fields: [x], scale: 0.5}]", "numbers[0].scale is 0.5: want a power of ten from 1 to 1e-15"},
		{"numbers: [{fields: [x], scale: 10}]", "numbers[0].scale is 10: want a power of ten from 1 to 1e-15"},
		{"numbers: [{fields: [x], scale: .nan}]", "numbers[0].scale is NaN: want a power of ten from 1 to 1e-15"},
		{"numbers: [{fields: [x]}, {fields: [y], scale: 1e-3}]", "numbers[1].scale is 0.001, numbers[0].scale 1e-09: all numbers have one scale"},
		{"numbers: [{fields: [x], shrinkage: 0.1}]", "numbers[0].shrinkage is for lda, not for gaussian"},
		{"numbers: [{fields: [x], likelihood: qda, shrinkage: oas}]", "numbers[0].shrinkage is for lda, not for qda"},
		{"numbers: [{fields: [x], likelihood: lda, shrinkage: 1.5}]", "numbers[0].shrinkage is 1.5: want a number from 0 to 1"},
		{"numbers: [{fields: [x], likelihood: lda, shrinkage: much}]", `numbers[0].shrinkage on line 1 is "much": want a number from 0 to 1, or oas`},
		{"numbers: [{fields: [x], likelihood: lda, reg_param: 0.1}]", "numbers[0].reg_param is for qda, not for lda"},
		{"numbers: [{fields: [x], likelihood: qda, reg_param: -0.1}]", "numbers[0].reg_param is -0.1: want a number from 0 to 1"},
		{"numbers: [{fields: [x], var_smoothing: -1}]", "numbers[0].var_smoothing is -1: want 0 or more"},
		{"numbers: [{fields: [x], var_smoothing: .inf}]", "numbers[0].var_smoothing is +Inf: want 0 or more"},
		{"categories: [{}]", "categories[0] has no field"},
		{"categories: [{field: x, alpha: -1}]", "categories[0].alpha is -1: want 0 or a number above 0"},
		{"categories: [{field: x, alpha: .nan}]", "categories[0].alpha is NaN: want a number above 0"},
		{"categories: [{field: x, values: [a, '']}]", "categories[0].values[1] is empty"},
		{"categories: [{field: x, values: [a, a]}]", `categories[0].values has "a" twice`},
		{"categories: [{field: x}, {field: x}]", `categories has "x" twice`},
		{"histograms: [{from: 0, to: 1, bins: 2}]", "histograms[0] has no field"},
		{"histograms: [{field: x, from: 0, to: 1}]", "histograms[0].bins is 0: want 1 to 1000"},
		{"histograms: [{field: x, from: 0, to: 1, bins: 1001}]", "histograms[0].bins is 1001: want 1 to 1000"},
		{"histograms: [{field: x, from: 0, to: 1, bins: 2, alpha: -1}]", "histograms[0].alpha is -1: want 0 or a number above 0"},
		{"histograms: [{field: x, from: 0, to: 1e99, bins: 2}]", "histograms[0]: from 0 or to 1e+99 does not fit the scale of numbers"},
		{"histograms: [{field: x, from: .nan, to: 1, bins: 2}]", "histograms[0]: from NaN or to 1 does not fit the scale of numbers"},
		{"histograms: [{field: x, from: 1, to: 1, bins: 2}]", "histograms[0] goes from 1 to 1: want a range"},
		{"histograms: [{field: x, from: 0, to: 1, bins: 2}, {field: x, from: 0, to: 2, bins: 2}]", `histograms has "x" twice`},
		{`classes: [ham, ""]`, "classes[1] is empty"},
		{`classes: [ham, "a\tb"]`, "classes[1] is \"a\\tb\", with the control character U+0009"},
		{`categories: [{field: k, values: [a, "b\n"]}]`, "categories[0].values[1] is \"b\\n\", with the control character U+000A"},
		{"classes: [ham, ham]", `classes has "ham" twice`},
		{"prior: flat", `prior is "flat": want empirical, uniform, {class: probability} or {pseudo: {class: documents}}`},
		{"prior: {}", "prior has no class"},
		{"prior: {pseudo: {}}", "prior has no class"},
		{"prior: {ham: 0}", `prior of class "ham" is 0: it must be above 0`},
		{"prior: {pseudo: {ham: -1}}", `prior of class "ham" is -1: it must be above 0`},
		{`labels: {Spam: spam, spam: junk}`, `labels.Spam is "spam", which labels calls a spelling itself: want a class`},
		{"classes: [ham, spam]\nlabels: {Spam: junk}", `labels.Spam is "junk", which is not among classes: ["ham" "spam"]`},
		{"classes: [ham, spam]\nlabels: {ham: spam}", `labels.ham: it is a class, by classes, prior or decision.loss`},
		{`labels: {"": spam}`, "a name of labels is empty"},
		{`labels: {Spam: " spam"}`, `labels.Spam is " spam": want it without the space around it`},
		{`classes: [ham, " spam"]`, `classes[1] is " spam": want it without the space around it, which is cut off labels`},
		{`prior: {"": 1}`, "a class of prior or decision.loss is empty"},
		{`prior: {pseudo: {"ham\u0001": 1}}`, `a class of prior or decision.loss is "ham\x01", with the control character U+0001`},
		{"classes: [ham, spam]\nprior: {ham: 1, eggs: 1}", `prior or decision.loss names the class "eggs", which is not among classes: ["ham" "spam"]`},
		{"classes: [ham, spam]\ndecision: {loss: {ham: {sapm: 9}}}", `prior or decision.loss names the class "sapm", which is not among classes: ["ham" "spam"]`},
		{"prior: {ham: .inf}", `prior of class "ham" is +Inf: it must be above 0`},
		{"prior: {ham: much}", "prior on line 1 is keys and values: want empirical, uniform, {class: probability} or {pseudo: {class: documents}}"},
		{"scoring: {}\nnumbers: [{fields: [x]}]", "scoring is for words, and the spec has no text block: add one, or leave scoring away"},
		{"scoring: {}\ntext: {alpha: 1}", "scoring and text.alpha are both set: want scoring, whose candidates race, or one way to score the words"},
		{"scoring: {}\ntext: {likelihood: bernoulli, temper: {}}", "scoring and text.likelihood, text.temper are both set"},
		{"scoring: {}\ntext: {norm: true}", "scoring and text.norm are both set"},
		{"scoring: {}\ntext: {shape: true}", "scoring and text.shape are both set"},
		{"text: {likelihood: complement, norm: true, shape: true}", "text.norm and text.shape are both set: the normalised score has no unit"},
		{"text: {likelihood: bernoulli, sublinear: true}", "text.sublinear is for likelihoods that count how often a term occurs, not for bernoulli"},
		{"scoring: {}\ntext: &t {field: x, <<: {alpha: 3}}", "scoring and text.alpha are both set"},
		{"scoring: {share: -1}", "scoring.share is -1: want 1 to 1048576"},
		{"scoring: {share: 2e6}", "scoring.share is 2000000: want 1 to 1048576"},
		{"scoring: {candidates: [{likelihood: bernoulli, alpha: 1}]}", `scoring.candidates[0].likelihood is "bernoulli": want multinomial, complement or one_vs_all`},
		{"scoring: {candidates: [{likelihood: multinomial}]}", "scoring.candidates[0].alpha is missing or 0: want a number above 0"},
		{"scoring: {candidates: [{alpha: 1}]}", "scoring.candidates[0].likelihood is missing: want multinomial, complement or one_vs_all"},
		{"scoring: {shadow: {likelihood: complement, alpha: 1, sublinear: true}}", "scoring.shadow is complement/1/sublinear, as is scoring.candidates[3]: want different ones"},
		{"scoring: {candidates: [{likelihood: complement, alpha: 1}]}\nprior: {a: 0.2, b: 0.8}", "scoring.candidates[0] is complement/1, which can race only with the prior empirical, or one that is the same for all classes"},
		{"scoring: {by: errors}", `scoring.by is "errors": want accuracy, balanced or loss`},
		{"scoring: {by: loss}", "scoring.by is loss, and decision.loss says of no error what it costs: say it there, or want accuracy or balanced"},
		{"scoring: {shadow: {likelihood: complement, alpha: 1}}\ntext:\ncategories: [{field: x}]", "scoring is for words"},
		{"scoring: {shadow: {likelihood: complement, alpha: 1}}\ntext: {}\ncategories: [{field: x}]", "scoring.shadow is complement/1, which can race only with the prior empirical, or one that is the same for all classes, and beside other blocks with text.weight, say 1"},
		{"scoring: {}\ntext: {weight: -1}", "text.weight is -1: want 0 or a number above 0"},
		{"scoring: {}\ntext: {weight: 1}\nprior: {pseudo: {a: 1}}", "text.weight is for complement and one_vs_all, not for multinomial"},
		{"scoring: {candidates: [" + strings.Repeat("{likelihood: multinomial, alpha: 1},", 17) + "]}", "scoring.candidates has 17: want at most 16"},
		{"scoring: {candidate: []}", "scoring: unknown key candidate on line 1; did you mean candidates?"},
		{"decision: {ties: last}", `decision.ties is "last": want first or random`},
		{"decision: {min_documents: -1}", "decision.min_documents is -1: want 0 or more"},
		{"decision: {reject: -0.1}", "decision.reject is -0.1: want the cost of no decision, 0 or more"},
		{"decision: {loss: {ham: {spam: 100001}}}", `decision.loss of deciding "spam" when it is "ham" is 100001: want at most 100000, so that an error of cost 1 still counts where candidates race`},
		{"decision: {reject: .nan}", "decision.reject is NaN: want the cost of no decision, 0 or more"},
		{"decision: {loss: {ham: {spam: -1}}}", `decision.loss of deciding "spam" when it is "ham" is -1: want 0 or more`},
		{"decision: {loss: {ham: {spam: .inf}}}", `decision.loss of deciding "spam" when it is "ham" is +Inf: want 0 or more`},
		{"limits: {terms: -1}", "limits.terms is -1: want 1 to 1073741824"},
		{"limits: {terms_per_document: 200001}", "limits.terms_per_document is 200001: want 1 to 200000"},
		{"limits: {term_bytes: 3}", "limits.term_bytes is 3: want 16 to 64"},
		{"limits: {record_bytes: -1}", "limits.record_bytes is -1: want 1 to 134217728"},
		{"limits: {classes: 1000000}", "limits.classes is 1000000: want 1 to "},
		{"limits: {ledger: -1}", "limits.ledger is -1: want 1 to 1073741824"},
	} {
		_, err := spec.Parse([]byte(c.yaml))
		if err == nil {
			t.Errorf("%q is accepted, want %q", c.yaml, c.says)
		} else if !strings.HasPrefix(err.Error(), "spec: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q is refused by %q, want %q in it", c.yaml, err, c.says)
		}
	}
}

// everything is a spec with all that a spec can say.
const everything = `
name: all
format: mail
classes: [ham, spam]
text: {field: body, language: french, stem: false, ngrams: 2, stop: [et], html: true, likelihood: complement, alpha: 0.3, norm: true, weight: 0.5, temper: {t: 3, gamma: 0}}
numbers:
  - {fields: [a, b], likelihood: lda, denominator: unbiased, shrinkage: oas, scale: 1e-6}
  - {fields: [c], variance: isotropic, var_smoothing: 1e-9, scale: 1e-6}
  - {fields: [d], likelihood: qda, reg_param: 0.2, scale: 1e-6}
categories: [{field: k, alpha: 2, values: [x, y]}]
histograms: [{field: a, from: -1, to: 1, bins: 3, alpha: 0.1}]
prior: {pseudo: {ham: 2, spam: 3}}
decision: {loss: {ham: {spam: 10}}, reject: 0.2, min_documents: 3, ties: random}
limits: {terms: 10, terms_per_document: 20, term_bytes: 30, record_bytes: 40, classes: 50, ledger: 60}
`

// TestSpecRoundTrip: YAML writes all there is, and what it writes reads back to the same spec.
// What is no spec is not repeated in the error, however long it is.
func TestErrorsOfWhatIsNoSpecAreShort(t *testing.T) {
	long := strings.Repeat("é,1.5 ", 2000)
	many := ""
	for i := range 1000 {
		many += fmt.Sprintf("%s%d: 1\n", strings.Repeat("key", 100), i)
	}
	for _, text := range []string{long, "text: [" + long + "]", "text: " + long, many, "'" + long[:900] + "': 1"} {
		_, err := spec.Parse([]byte(text))
		if err == nil || len(err.Error()) > 20_000 || len(strings.SplitN(err.Error(), "\n", 2)[0]) > 400 || !utf8.ValidString(err.Error()) {
			t.Errorf("the error of %.20q... is %v", text, err)
		}
	}
}

func TestSpecRoundTrip(t *testing.T) {
	for _, yaml := range []string{
		"", everything, "text: {chars: [2, 4]}", "text: {temper: {}}", "prior: uniform", "prior: {ham: 0.25, spam: 0.75}", "decision: {min_documents: 0}", "decision: {reject: 0}",
		"limits: {terms: 2e6}", "prior: {pseudo: {pseudo: 3}}", "# nothing", "text:\nprior: uniform", "text: &t {alpha: 2}\nname: a",
		"numbers: [{fields: [x], likelihood: lda, shrinkage: 0.25}]", "numbers: [{fields: [x], scale: 1}]",
		"scoring: {}", "scoring: {share: 7, shadow: {likelihood: multinomial, alpha: 3}}", "scoring: {candidates: [{likelihood: complement, alpha: 1e-300}]}\ntext: {weight: 3}",
	} {
		s := modeltest.Spec(t, yaml)
		text := s.YAML()
		again, err := spec.Parse(text)
		if err != nil {
			t.Errorf("%q is written as something that does not read back: %v\n%s", yaml, err, text)
			continue
		}
		if diff := cmp.Diff(s, again, cmpopts.IgnoreUnexported(spec.Spec{}, spec.Text{})); diff != "" {
			t.Errorf("%q (-before +after):\n%s", yaml, diff)
		}
		if !bytes.Equal(text, again.YAML()) {
			t.Errorf("%q is written differently the second time:\n%s\n%s", yaml, text, again.YAML())
		}
		if s.Counting() != again.Counting() || s.Scoring() != again.Scoring() {
			t.Errorf("%q has other fingerprints after being written", yaml)
		}
	}
}

// clone returns a deep copy: the spec as it reads back.
func clone(t *testing.T, s *spec.Spec) *spec.Spec {
	t.Helper()
	return modeltest.Spec(t, string(s.YAML()))
}

// TestSpecFields: each field once, in the order of first mention.
func TestSpecFields(t *testing.T) {
	s := modeltest.Spec(t, "numbers: [{fields: [b, a]}, {fields: [c, b]}]\nhistograms: [{field: d, from: 0, to: 1, bins: 2}, {field: a, from: 0, to: 1, bins: 2}]\ncategories: [{field: z}, {field: y}]")
	if diff := cmp.Diff([]string{"b", "a", "c", "d"}, s.NumberFields()); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"z", "y"}, s.CategoryFields()); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
}

const fingerprinted = `
text: {field: body, alpha: 1}
numbers: [{fields: [a, b]}, {fields: [c, d], likelihood: lda}]
categories: [{field: k}]
histograms: [{field: e, from: 0, to: 1, bins: 3}]
`

// TestScoringChangesKeepTheCounts: what changes decisions alone leaves the counting fingerprint as
// it is.
func TestScoringChangesKeepTheCounts(t *testing.T) {
	reject := 0.1
	before := modeltest.Spec(t, fingerprinted)
	for name, change := range map[string]func(*spec.Spec){
		"text.alpha":             func(s *spec.Spec) { s.Text.Alpha = 2 },
		"text.likelihood":        func(s *spec.Spec) { s.Text.Likelihood, s.Text.Weight = spec.Complement, 1 },
		"numbers.variance":       func(s *spec.Spec) { s.Numbers[0].Variance = "shared" },
		"numbers.denominator":    func(s *spec.Spec) { s.Numbers[0].Denominator = "unbiased" },
		"numbers.var_smoothing":  func(s *spec.Spec) { s.Numbers[0].VarSmoothing = 1e-9 },
		"numbers.shrinkage":      func(s *spec.Spec) { s.Numbers[1].Shrinkage.OAS = true },
		"numbers.likelihood":     func(s *spec.Spec) { s.Numbers[1].Likelihood = spec.QDA },
		"categories.alpha":       func(s *spec.Spec) { s.Categories[0].Alpha = 2 },
		"categories.values":      func(s *spec.Spec) { s.Categories[0].Values = []string{"x"} },
		"histograms.alpha":       func(s *spec.Spec) { s.Histograms[0].Alpha = 2 },
		"prior":                  func(s *spec.Spec) { s.Prior = spec.Prior{Kind: spec.Uniform} },
		"decision.loss":          func(s *spec.Spec) { s.Decision.Loss = map[string]map[string]float64{"ham": {"spam": 2}} },
		"decision.reject":        func(s *spec.Spec) { s.Decision.Reject = &reject },
		"decision.min_documents": func(s *spec.Spec) { s.Decision.MinDocuments = 1 },
		"decision.ties":          func(s *spec.Spec) { s.Decision.Ties = "random" },
	} {
		after := clone(t, before)
		change(after)
		after = clone(t, after) // it is still valid
		if after.Counting() != before.Counting() {
			t.Errorf("%s changes the counting fingerprint: %s", name, after.CountingDifference(before))
		}
		if after.Scoring() == before.Scoring() {
			t.Errorf("%s leaves the scoring fingerprint as it is", name)
		}
		if got := after.CountingDifference(before); got != "" {
			t.Errorf("%s: counts differ, it says, by %q", name, got)
		}
	}
	named := clone(t, before)
	named.Name = "another"
	if named.Counting() != before.Counting() || named.Scoring() != before.Scoring() {
		t.Error("the name is in a fingerprint")
	}
}

// A spec in which candidates race counts as one does that names one of them.
func TestRaceCountsAsMultinomial(t *testing.T) {
	if got, want := modeltest.Spec(t, "text: {likelihood: bernoulli}").CountingDifference(modeltest.Spec(t, "")), "text.likelihood is bernoulli here and multinomial there"; got != want {
		t.Errorf("the difference is %q, want %q", got, want)
	}
}

// TestCountingChangesAreTold: what changes the counts changes the counting fingerprint, and the
// sentence says what it was; format, classes and limits are no part of scoring.
func TestCountingChangesAreTold(t *testing.T) {
	before := modeltest.Spec(t, fingerprinted)
	for _, c := range []struct {
		change  func(*spec.Spec)
		says    string
		scoring bool // changes as well
	}{
		{func(s *spec.Spec) { s.Format = "text" }, "format is text here and json there", false},
		{func(s *spec.Spec) { s.Format = "mail" }, "format is mail here and json there; text.cap is 1 here and not set there", true},
		{func(s *spec.Spec) { s.Text.Cap = 3 }, "text.cap is 3 here and not set there", true},
		{func(s *spec.Spec) { s.Text.Shortest = 2 }, "text.shortest is 2 here and not set there", true},
		{func(s *spec.Spec) { s.Text.Punctuation = true }, "text.punctuation is true here and not set there", true},
		{func(s *spec.Spec) { s.Classes = []string{"ham"} }, "classes is [ham] here and not set there", false},
		{func(s *spec.Spec) { s.Limits.Terms = 7 }, "limits.terms is 7 here and 2000000 there", false},
		{func(s *spec.Spec) { s.Limits.Ledger = 7 }, "limits.ledger is 7 here and 1000000 there", false},
		{func(s *spec.Spec) { s.Text.Field = "subject" }, "text.field is subject here and body there", true},
		{func(s *spec.Spec) { s.Text.Stem = false }, "text.stem is false here and true there", true},
		{func(s *spec.Spec) { s.Text.Stop = []string{"the"} }, "text.stop is [the] here and not set there", true},
		{func(s *spec.Spec) { s.Text.Likelihood = spec.Bernoulli }, "text.likelihood is bernoulli here and multinomial there", true},
		{func(s *spec.Spec) { s.Text = nil }, "text is not set here and {field: body, language: english, stem: true, ngrams: 1, likelihood: multinomial, alpha: 1} there", true},
		{func(s *spec.Spec) { s.Numbers[0].Likelihood, s.Numbers[0].Variance = spec.LDA, "" }, "numbers[0].likelihood is lda here and gaussian there", true},
		{func(s *spec.Spec) { s.Numbers[0].Scale, s.Numbers[1].Scale = 1e-3, 1e-3 }, "numbers[0].scale is 0.001 here and 1e-09 there; numbers[1].scale is 0.001 here and 1e-09 there", true},
		{func(s *spec.Spec) { s.Numbers[0].Fields = []string{"b", "a"} }, "numbers[0].fields is [b, a] here and [a, b] there", true},
		{func(s *spec.Spec) { s.Categories[0].Field = "l" }, "categories[0].field is l here and k there", true},
		{func(s *spec.Spec) { s.Histograms[0].Bins = 4 }, "histograms[0].bins is 4 here and 3 there", true},
		{func(s *spec.Spec) { s.Numbers = s.Numbers[:1] }, "numbers[1] is not set here and {fields: [c, d], likelihood: lda, denominator: mle, scale: 1e-09} there", true},
		{func(s *spec.Spec) { s.Categories = nil }, "categories is not set here and [{field: k, alpha: 1}] there", true},
	} {
		after := clone(t, before)
		c.change(after)
		after = clone(t, after) // it is still valid
		if after.Counting() == before.Counting() {
			t.Errorf("want %q, the counting fingerprint is the same", c.says)
		}
		if changed := after.Scoring() != before.Scoring(); changed != c.scoring {
			t.Errorf("%q: the scoring fingerprint changed: %v, want %v", c.says, changed, c.scoring)
		}
		if got := after.CountingDifference(before); got != c.says {
			t.Errorf("it says %q, want %q", got, c.says)
		}
	}
	both := clone(t, before)
	both.Format, both.Text.NGrams, both.Text.Alpha = "text", 2, 3 // alpha counts nothing
	want := `format is text here and json there; text.ngrams is 2 here and 1 there`
	if got := both.CountingDifference(before); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
