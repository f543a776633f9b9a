// Package logistic implements L2-regularised logistic regression, the discriminative counterpart of
// naive Bayes (Ng and Jordan 2002): it models P(class|x) alone and learns from all rows at once, so
// it serves for comparison, not for a stream.
//
// Two classes have one logit, z = w·x + b, for the second class by name: P(second|x) = 1/(1 +
// e^-z). More classes have one each, and P is their softmax. Fit minimises
//
//	1/2 ||w||^2 + C sum over the rows of -ln P(label|x)
//
// where the intercepts b are not penalised: the same objective as scikit-learn's.
//
// Gaussian naive Bayes with variances that the classes share is a logistic regression too.
// FromGaussian computes its weights from the means and variances.
//
// Fit holds a standardised copy of all rows in memory. gonum's optimiser starts goroutines, of
// which one runs at a time: equal inputs give equal results.
package logistic
