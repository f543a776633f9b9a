package model_test

import (
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// drawDocument makes a document with whatever blocks a spec of these laws has: up to two numbers,
// one category, words out of few.
func drawDocument(t *rapid.T, labels []string) modeltest.Document {
	f := &model.Features{}
	for _, w := range rapid.SliceOfN(rapid.StringMatching(`[u-z]`), 0, 8).Draw(t, "words") {
		f.Bag.Add([]byte(w))
		modeltest.EndWith(&f.Bag, w)
	}
	for range 2 {
		f.Numbers = append(f.Numbers, model.Number{Value: rapid.Int64Range(-1e12, 1e12).Draw(t, "number"), Present: rapid.IntRange(0, 4).Draw(t, "present") > 0})
	}
	f.Categories = append(f.Categories, model.Category{
		Value: []byte(rapid.SampledFrom([]string{"", "FR", "DE", "IT"}).Draw(t, "category")), Present: rapid.Bool().Draw(t, "given"),
	})
	return modeltest.Document{Label: rapid.SampledFrom(labels).Draw(t, "label"), Weight: rapid.Int64Range(1, 3).Draw(t, "weight"), Features: f}
}

func TestLaws(t *testing.T) {
	for name, s := range map[string]string{
		"multinomial": "text: {likelihood: multinomial}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]",
		"bernoulli":   "text: {likelihood: bernoulli, alpha: 0.5}\nnumbers: [{fields: [x]}, {fields: [y]}]\ncategories: [{field: c, values: [FR, ES]}]",
		"shared":      "text: {alpha: 0.01}\nnumbers: [{fields: [x, y], variance: shared, denominator: unbiased}]\ncategories: [{field: c}]\nprior: uniform",
		"isotropic":   "text: {alpha: 100}\nnumbers: [{fields: [x, y], variance: isotropic, var_smoothing: 1e-3}]\ncategories: [{field: c}]\nprior: {a: 0.5, b: 0.3, c: 0.2}",
		"lda":         "numbers: [{fields: [x, y], likelihood: lda, shrinkage: oas}]\ncategories: [{field: c}]",
		"qda":         "numbers: [{fields: [x, y], likelihood: qda, reg_param: 0.1}]\ncategories: [{field: c}]\nprior: {pseudo: {a: 1, b: 2, c: 3}}",
		"complement":  "text: {likelihood: complement, weight: 0.5}\ncategories: [{field: c}]\nhistograms: [{field: x, from: -1000, to: 1000, bins: 7}, {field: y, from: 0, to: 10, bins: 3}]",
		"one_vs_all":  "text: {likelihood: one_vs_all, weight: 0.5}\ncategories: [{field: c}]",
		"normalised":  "text: {likelihood: complement, norm: true, alpha: 0.3, weight: 2}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]",
		"tempered":    "text: {temper: {t: 0.7, gamma: 0.25}}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]",
		"raced":       "text: {weight: 0.5}\nscoring: {candidates: [{likelihood: one_vs_all, alpha: 0.1}, {likelihood: multinomial, alpha: 0.1}]}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]",
		"expected":    "text: {likelihood: bernoulli}\ncategories: [{field: c}]\nhistograms: [{field: x, from: 0, to: 10, bins: 3}]\nprior: {pseudo: {a: 2, c: 1}}",
		"closed":      "classes: [a, b, c]\nprior: uniform\nscoring: {candidates: [{likelihood: multinomial, alpha: 0.1}, {likelihood: multinomial, alpha: 1, sublinear: true}]}",
		"amplified":   "text: {likelihood: complement, norm: true, temper: {t: 50, gamma: 0}}",
	} {
		t.Run(name, func(t *testing.T) { modeltest.Laws(t, modeltest.Spec(t, s), drawDocument) })
	}
}
