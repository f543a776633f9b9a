// Package model joins the event models into one classifier.
//
// A Spec says which blocks a document has: the words of a text, vectors of numbers, categorical
// fields. Given the class the blocks are independent, so
//
//	ln P(c|x) = ln P(c) + ln P(text|c) + sum over blocks of ln P(block|c) - ln P(x)
//
// (docs/mathematics.md, "One sum"; the last term is a log-sum-exp over the classes that have
// documents). One primitive, the joint log likelihood, is computed; posterior, margin, risk and
// evidence follow from it.
//
// Learning and deciding are apart. A Builder turns labelled documents into a Delta, a signed
// difference of integer counts; Model.Apply adds it, or Model.Add many of them before one
// Model.Prepare. Nothing else changes a model, so live processing, replay and recovery share one
// path, and the Delta of a document with negative weight undoes it to the last bit.
//
// Caveats: a Model is not safe for concurrent use while it changes; any number of Scorers may read
// it in between, each in one goroutine.
package model
