"""Loads what `bayestream export --format=sklearn` wrote into scikit-learn: model, vocabulary = load("sms.json")."""
import json
import numpy as np
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

def load(path):
    m = json.load(open(path, encoding="utf-8"))
    nb = {"multinomial": MultinomialNB, "complement": ComplementNB, "bernoulli": BernoulliNB}[m["likelihood"]](alpha=m["alpha"])
    nb.classes_, nb.n_features_in_ = np.array(m["classes"]), len(m["vocabulary"])
    nb.class_count_, nb.feature_count_ = np.array(m["class_count"], float), np.array(m["feature_count"], float)
    nb.class_log_prior_ = np.array(m["class_log_prior"])
    nb.feature_all_, nb.norm = nb.feature_count_.sum(axis=0), m["norm"]
    nb._update_feature_log_prob(m["alpha"])
    if m["temper"]:
        temper(nb, **m["temper"])
    return nb, m["vocabulary"]

def temper(nb, t, gamma, amplifies):
    """Makes the posteriors as sure as they should be: scikit-learn has no place for it. No label changes."""
    joint = nb._joint_log_likelihood
    def tempered(X):
        n = np.maximum(np.asarray(X.sum(axis=1), float).ravel(), 1)
        tau = t / n**gamma if amplifies else np.minimum(1, t / n**gamma)
        return joint(X) * np.where(np.asarray(X.sum(axis=1)).ravel() == 0, 1, tau)[:, None]
    nb._joint_log_likelihood = tempered
