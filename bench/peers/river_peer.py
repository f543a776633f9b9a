"""River's MultinomialNB, which learns and labels one text at a time."""

from texts import arguments, report, seconds

from river import feature_extraction, naive_bayes


def main():
    _, (labels, texts), (_, test), out = arguments()
    model = feature_extraction.BagOfWords(lowercase=True) | naive_bayes.MultinomialNB(alpha=1)

    def learn():
        for text, label in zip(texts, labels):
            model.learn_one(text, label)

    train, _ = seconds(learn)
    classify, predicted = seconds(lambda: [model.predict_one(text) for text in test])
    report(out, predicted, train, classify)


main()
