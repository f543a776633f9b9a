// Package evaluate measures a classifier: it divides documents into training and test sets, and
// scores the decisions on the test set.
//
// An Outcome is one scored document: its true label, the label it got, and the log posteriors.
// Scores adds up outcomes one at a time and gives a Report: the contingency table with everything
// that follows from it (Confusion), log loss, Brier score, calibration, and the areas under the
// curves. A Tracker does the same for an endless stream, in bounded memory. A Plan divides
// documents into splits. ComparePaired and Summarise compare models on the same splits.
//
// # Nothing depends on the order
//
// Counts are integers, and the sums of losses are fixed-point integers too (type total), so that
// the report of the same outcomes in any order is the same to the last bit. Areas are ratios of
// integers: twice the number of pairs ranked right.
//
// # Conventions
//
//   - Rows of a contingency table are true labels, columns are predicted ones; both sorted by name.
//   - Classes are those that are a true or a predicted label; macro averages run over them. A ratio
//     with nothing below the line is 0 where it is a precision, a recall, a rate or an F1, and
//     undefined (NaN, null in JSON) elsewhere.
//   - A document that got no label, because the model had no class yet, counts as wrong. It is in
//     no column. Labels count whatever the status of the decision: unsure and cold as well.
//   - Curves rank by log-odds, not by posterior: beyond a margin of 37 a posterior is 1 in float64,
//     and the documents with the largest posteriors would all be tied.
//   - The positive class of a two-class problem is the class that is named, else the last by name.
//
// Where scikit-learn has the same score the values agree to 1e-12.
package evaluate
