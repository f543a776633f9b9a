"""Loads what `bayestream export --format=sklearn` wrote into scikit-learn: model, vocabulary = load("sms.json")."""
import json
import numpy as np
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

def load(path):
    m = json.load(open(path, encoding="utf-8"))
    kinds = {"multinomial": MultinomialNB, "complement": ComplementNB, "one_vs_all": OneVsAllNB, "bernoulli": BernoulliNB}
    nb = kinds[m["likelihood"]](alpha=m["alpha"])
    nb.classes_, nb.n_features_in_ = np.array(m["classes"]), len(m["vocabulary"])
    nb.class_count_, nb.feature_count_ = np.array(m["class_count"], float), np.array(m["feature_count"], float)
    nb.class_log_prior_ = np.array(m["class_log_prior"])
    nb.feature_all_, nb.norm = nb.feature_count_.sum(axis=0), m["norm"]
    nb._update_feature_log_prob(m["alpha"])
    if m["temper"]:
        temper(nb, m["calibration"], **m["temper"])
    return nb, m["vocabulary"]

class OneVsAllNB(ComplementNB):
    """One against all: the logarithm of the quotient of MultinomialNB's and ComplementNB's probabilities."""
    def _update_feature_log_prob(self, alpha):
        super()._update_feature_log_prob(alpha)
        own = self.feature_count_ + alpha
        self.feature_log_prob_ += np.log(own / own.sum(axis=1, keepdims=True))

def temper(nb, calibration, t, gamma, amplifies):
    """Makes the posteriors as sure as they should be: scikit-learn has no place for it. No label changes."""
    joint = nb._joint_log_likelihood
    def tempered(X):
        scores, n = joint(X), np.asarray(X.sum(axis=1), float).ravel()
        for i, row in enumerate(scores):
            if n[i] > 0:
                tau = t / n[i]**gamma if amplifies else min(1, t / n[i]**gamma)
                row *= calibrated(row, tau, calibration) if calibration else tau
        return scores
    nb._joint_log_likelihood = tempered

def calibrated(row, tau, knots):
    """The factor at which the best class is as sure as the calibration says, by Newton's method."""
    others = np.sort(row)[::-1][1:] - row.max()
    if len(others) == 0 or others[0] == 0:
        return tau
    def odds(tau):  # the logarithm of those of all other classes, and its derivative
        each = np.exp(tau * (others - others[0]))
        return tau * others[0] + np.log(each.sum()), others[0] + (others - others[0]) @ each / each.sum()
    target, least, most = -confidence(-odds(tau)[0], knots), tau / 16, tau * 4
    for _ in range(30):
        log, slope = odds(tau)
        tau = min(max(tau + (target - log) / slope, least), most)
    return tau

def confidence(odds, knots):
    """The log odds of being right, by those of the confidence: linear between the knots."""
    (first, to), (last, end) = knots[0], knots[-1]
    if odds <= first:
        return odds + to - first
    return end + np.log1p(odds - last) if odds >= last else np.interp(odds, *zip(*knots))
