// Package evaluate says how good a classifier is: how to divide documents into what it may learn from
// and what it is asked, and how to score its answers.
//
// An Outcome is one answered document: its true label, the label it got, and the log posteriors. A
// Scores adds up outcomes one at a time and gives a Report: the contingency table with everything that
// follows from it (Confusion), log loss, Brier score, calibration, and the areas under the curves. A
// Tracker does the same for a stream that never ends, in bounded memory. A Plan divides documents into
// folds. Paired, Matches and Summarise compare models on the same folds.
//
// # Nothing depends on the order
//
// Counts are integers, and the sums of losses are fixed-point integers too (type total), so that the
// report of outcomes in any order, or of parts that were scored apart and merged, is the same to the
// last bit. Areas are ratios of integers: twice the number of pairs ranked right.
//
// # Conventions
//
//   - Rows of a contingency table are true labels, columns are predicted ones; both sorted by name.
//   - Classes are those that are a true or a predicted label; macro averages run over them. A ratio
//     with nothing below the line is 0 where it is a precision, a recall, a rate or an F1, and
//     undefined (NaN, null in JSON) elsewhere.
//   - A document that got no label, because the model had no class yet, counts as wrong. It stands in
//     no column. Labels count whatever the status of the decision: unsure and cold as well.
//   - Curves rank by log-odds, not by posterior: beyond a margin of 37 a posterior is 1 in float64, and
//     the documents a model is surest of would all be tied.
//   - The positive class of a two-class problem is the one that is named, else the last by name.
//
// Where scikit-learn has the same score the values agree to 1e-12.
package evaluate
