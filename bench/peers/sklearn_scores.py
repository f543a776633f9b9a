"""scikit-learn's classifiers, and the log posteriors of each document that they decide."""

from texts import arguments, write_scores

import numpy
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

COSTS = (1, 10, 100)  # of LogisticRegression: C


def tf_idf(least=1, of="word"):
    """Returns the weights of words (or "char") and pairs of them that are in so many documents at least."""
    return TfidfVectorizer(analyzer=of, ngram_range=(1, 2), sublinear_tf=True, min_df=least, dtype=numpy.float32)


def logistic(rows, labels):
    """Returns the logistic regression whose C has the least log loss on a tenth of the rows."""
    labels = numpy.array(labels)
    learned, asked = train_test_split(numpy.arange(len(labels)), test_size=0.1, random_state=1)
    known = set(labels[learned])
    asked = [i for i in asked if labels[i] in known]

    def loss(c):
        model = LogisticRegression(C=c, max_iter=100).fit(rows[learned], labels[learned])
        return log_loss(labels[asked], model.predict_proba(rows[asked]), labels=model.classes_)

    return LogisticRegression(C=min(COSTS, key=loss), max_iter=100).fit(rows, labels)


def log_softmax(scores):
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))


def main():
    configuration, (labels, texts), (truth, test), out = arguments()
    if configuration == "multinomial":
        words = CountVectorizer()
        model = MultinomialNB().fit(words.fit_transform(texts), labels)
        posterior = model.predict_log_proba(words.transform(test))
    elif configuration.startswith("svc"):
        words = tf_idf(of="char" if configuration.endswith("characters") else "word")
        model = LinearSVC(random_state=1).fit(words.fit_transform(texts), labels)
        scores = model.decision_function(words.transform(test))
        if scores.ndim == 1:  # of two classes: the score of the second
            scores = numpy.column_stack((-scores, scores))
        posterior = log_softmax(scores)
    else:
        words = tf_idf(2)  # or a fit of many classes takes an hour
        model = logistic(words.fit_transform(texts), labels)
        posterior = model.predict_log_proba(words.transform(test))
    write_scores(out, truth, list(model.classes_), posterior)


main()
