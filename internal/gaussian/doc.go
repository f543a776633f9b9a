// Package gaussian models numeric features by normal densities: naive Bayes with a variance per
// class, one shared by the classes or one for all features, linear discriminant analysis (LDA, one
// covariance for all classes) and quadratic discriminant analysis (QDA, one for each).
//
// Learning is exact. A number is a fixed-point decimal: an integer count of the scale, 1e-9 unless
// said otherwise. A class keeps n, the sum of x_i and the sums of x_i x_j as 192-bit integers, so
// that the state does not depend on the order of the rows, unlearning restores it to the bit, and
// mean and covariance suffer no cancellation: they come from integer arithmetic and are rounded to
// float64 once. (The usual sum of squares in float64 loses everything when the mean is large, and
// Welford's update depends on the order: Chan, Golub and LeVeque 1983.)
//
// Units: features have the unit of the record; Value counts scales; variances are in squared units.
package gaussian
