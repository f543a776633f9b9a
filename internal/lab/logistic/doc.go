// Package logistic is L2-regularised logistic regression, the discriminative counterpart of naive
// Bayes: it models P(class|x) alone and learns from all rows at once, so it is for comparison offline,
// not for a stream (Ng and Jordan 2002).
//
// Two classes have one logit, z = w·x + b, for the second class by name: P(second|x) = 1/(1 + e^-z).
// More classes have one each, and P is their softmax. Fit minimises
//
//	1/2 ||w||^2 + C sum over the rows of -ln P(label|x)
//
// where the intercepts b are not penalised: the same objective as scikit-learn's.
//
// Gaussian naive Bayes with variances that the classes share is a logistic regression as well, with
// weights that follow from its means and variances: see FromGaussian.
//
// Caveats: Fit holds all rows in memory, standardised; gonum's optimiser runs goroutines of its own
// while Fit runs, one at a time, so that equal inputs give equal results.
package logistic
