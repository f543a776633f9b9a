"""Loads what `bayestream export --format=sklearn` wrote into scikit-learn: model, vocabulary = load("sms.json").

The columns of a document are how often it has each term of the vocabulary, at most as often as model.cap_ says. Where its shape enters
(model.has_shape_), three more columns behind them are the number of all its tokens, each term capped likewise (the vocabulary may lack some),
the bytes of its longest word, and the number of its tokens that are no words. Where its first and its last word enter (model.has_edges_),
the last two columns are their places in model.first_ and model.last_, -1 for a word that is not there."""
import json
import numpy as np
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

def load(path):
    m = json.load(open(path, encoding="utf-8"))
    kinds = {"multinomial": MultinomialNB, "complement": ComplementNB, "one_vs_all": OneVsAllNB, "bernoulli": BernoulliNB}
    nb = kinds[m["likelihood"]](alpha=m["alpha"])
    nb.has_shape_, nb.has_edges_, nb.cap_ = m["shape"] is not None, m["edges"] is not None, m["cap"] or float("inf")
    nb.classes_, nb.n_features_in_ = np.array(m["classes"]), len(m["vocabulary"]) + 3 * nb.has_shape_ + 2 * nb.has_edges_
    nb.class_count_, nb.feature_count_ = np.array(m["class_count"], float), np.array(m["feature_count"], float)
    nb.class_log_prior_ = np.array(m["class_log_prior"])
    nb.feature_all_, nb.norm = nb.feature_count_.sum(axis=0), m["norm"]
    nb._update_feature_log_prob(m["alpha"])
    if "corrections" in m:
        nb.feature_log_prob_ += m["lambda"] * np.array(m["corrections"])
    if m["sublinear"]:
        sublinear(nb)
    if m["likelihood"] == "bernoulli":
        presence(nb)
    if m["weight"] != 1:
        weight(nb, m["weight"])
    if nb.has_shape_:
        shape(nb, [m["shape"][size] for size in ("length", "longest", "nonwords")])
    if nb.has_edges_:
        nb.first_, nb.last_ = ({word: i for i, word in enumerate(m["edges"][edge])} for edge in ("first", "last"))
        edges(nb, m["edges"]["first"], m["edges"]["last"])
    if m["temper"]:
        temper(nb, len(m["vocabulary"]), m["calibration"], **m["temper"])
    return nb, m["vocabulary"]

class OneVsAllNB(ComplementNB):
    """One against all: the logarithm of the quotient of MultinomialNB's and ComplementNB's probabilities."""
    def _update_feature_log_prob(self, alpha):
        super()._update_feature_log_prob(alpha)
        own = self.feature_count_ + alpha
        self.feature_log_prob_ += np.log(own / own.sum(axis=1, keepdims=True))

def sublinear(nb):
    """A term that comes x times weighs 1 + ln x."""
    joint = nb._joint_log_likelihood
    nb._joint_log_likelihood = lambda X: joint(np.where(dense(X) > 1, 1 + np.log(np.maximum(dense(X), 1)), dense(X)))

def presence(nb):
    """BernoulliNB makes all columns 0 or 1 at once: shapes and tempers have to see the counts."""
    joint, nb.binarize = nb._joint_log_likelihood, None
    nb._joint_log_likelihood = lambda X: joint(np.where(dense(X) > 0, 1.0, 0.0))

def weight(nb, w):
    """The weight of a score that is no likelihood."""
    joint = nb._joint_log_likelihood
    nb._joint_log_likelihood = lambda X: w * joint(X)

def shape(nb, counts):
    """The shape of a text says something too: the share of the documents of each class that have the same sizes, smoothed by 1."""
    joint, of = nb._joint_log_likelihood, [{size: np.array(row, float) for size, row in c.items()} for c in counts]
    all = [sum(rows.values()) + len(rows) for rows in of]
    def with_shape(X):
        scores = joint(X[:, :-3])
        for i, sizes in enumerate(dense(X[:, -3:])):
            for n, rows, total in zip(sizes, of, all):
                low = max(0, int(n).bit_length() - 2)
                least = int(n) >> low << low
                size = f"{least}-{least + (1 << low) - 1}" if low else f"{least}"
                if size in rows:
                    scores[i] += np.log((rows[size] + 1) / total)
        return scores
    nb._joint_log_likelihood = with_shape

def edges(nb, *counts):
    """So does the word that it begins with, and the one that it ends with, likewise."""
    joint, of = nb._joint_log_likelihood, [np.array(list(c.values()), float).reshape(-1, len(nb.classes_)) for c in counts]
    logs = [np.log((c + 1) / (c.sum(axis=0) + len(c))) for c in of]
    def with_edges(X):
        scores = joint(X[:, :-2])
        for i, places in enumerate(dense(X[:, -2:]).astype(int)):
            scores[i] += sum(log[place] for log, place in zip(logs, places) if place >= 0)
        return scores
    nb._joint_log_likelihood = with_edges

def dense(X):
    return np.asarray(X.todense() if hasattr(X, "todense") else X, float)

def temper(nb, terms, calibration, t, gamma, amplifies):
    """Makes the posteriors as sure as they should be: scikit-learn has no place for it. No label changes."""
    joint = nb._joint_log_likelihood
    def tempered(X):
        scores, n = joint(X), np.asarray(X[:, :terms].sum(axis=1), float).ravel()
        for i, row in enumerate(scores):
            if n[i] > 0:
                tau = t / n[i]**gamma if amplifies else min(1, t / n[i]**gamma)
                row *= tau if calibration is None else calibrated(nb, row, tau, calibration)
        return scores
    nb._joint_log_likelihood = tempered

def calibrated(nb, row, tau, knots):
    """The factor at which the best class is as sure as the calibration and the documents of the next class say, by Newton's method."""
    order = np.argsort(-row, kind="stable")
    others = row[order[1:]] - row[order[0]]
    if len(others) == 0 or others[0] == 0:
        return tau
    def odds(tau):  # the logarithm of those of all other classes, and its derivative
        each = np.exp(tau * (others - others[0]))
        return tau * others[0] + np.log(each.sum()), others[0] + (others - others[0]) @ each / each.sum()
    sure, least, most = confidence(-odds(tau)[0], knots), tau / 16, tau * 4
    target = -bounded(nb, sure, *order[:2])
    if -target < sure:
        least = min(least, target / others[0])
    for _ in range(30):
        log, slope = odds(tau)
        tau = min(max(tau + (target - log) / slope, least), most)
    return tau

def confidence(odds, knots):
    """The log odds of being right, by those of the confidence: linear between the knots, as far away behind them."""
    at, to = zip(*knots) if knots else ([0], [0])
    return np.interp(odds, at, to) + odds - np.clip(odds, at[0], at[-1])

def bounded(nb, odds, top, next):
    """Against a class of n documents at most ln(8 (n + 1)), and the prior where it speaks for the best class, too."""
    most = np.log(8 * (1 + nb.class_count_[next])) + max(0, nb.class_log_prior_[top] - nb.class_log_prior_[next])
    return odds if odds <= most else most + np.log1p(odds - most)
