// Package experiment measures models on labelled documents in memory: cross-validation, prequential
// evaluation, learning curves, comparison with other classifiers, and decision regions in a plane.
package experiment
