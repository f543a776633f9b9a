"""scikit-learn's MultinomialNB: hashed words learned in batches, or counted words learned at once."""

from texts import arguments, report, seconds

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

BATCH = 1000
ONE_BY_ONE = 200  # texts; the rate does not depend on how many


def main():
    configuration, (labels, texts), (_, test), out = arguments()
    classes = sorted(set(labels))
    model = MultinomialNB()
    if configuration.startswith("hash"):
        words = HashingVectorizer(n_features=2**18, alternate_sign=False, norm=None)
    else:
        words = CountVectorizer()

    def learn():
        if configuration == "count":
            model.fit(words.fit_transform(texts), labels)
            return
        for i in range(0, len(texts), BATCH):
            model.partial_fit(words.transform(texts[i : i + BATCH]), labels[i : i + BATCH], classes=classes)

    def label():
        return model.predict(words.transform(test))

    def label_each():
        for text in test[:ONE_BY_ONE]:
            model.predict(words.transform([text]))

    train, _ = seconds(learn)
    classify, predicted = seconds(label)
    if configuration == "hash-single":
        classify, _ = seconds(label_each)
        report(out, predicted, train, classify, min(ONE_BY_ONE, len(test)))
        return
    report(out, predicted, train, classify)


main()
