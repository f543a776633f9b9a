"""Loads what `bayestream export --format=sklearn` wrote into scikit-learn: model, vocabulary = load("sms.json")."""
import json
import numpy as np
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

def load(path):
    m = json.load(open(path, encoding="utf-8"))
    nb = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}[m["likelihood"]](alpha=m["alpha"])
    nb.classes_, nb.n_features_in_ = np.array(m["classes"]), len(m["vocabulary"])
    nb.class_count_, nb.feature_count_ = np.array(m["class_count"], float), np.array(m["feature_count"], float)
    nb.class_log_prior_ = np.array(m["class_log_prior"])
    nb._update_feature_log_prob(m["alpha"])
    return nb, m["vocabulary"]
