"""fastText, five passes over a file of words; it does not learn from a stream.

The package is fasttext-wheel, which is compiled in advance: fasttext 0.9.3 compiled with GCC 12 fails with
"Encountered NaN" on every set.
"""

import os
import tempfile

from texts import arguments, report, seconds, words

import fasttext


def main():
    _, (labels, texts), (_, test), out = arguments()
    classes = sorted(set(labels))
    number = {label: i for i, label in enumerate(classes)}
    asked = words(test)
    with tempfile.TemporaryDirectory() as folder:
        learn = os.path.join(folder, "learn")
        with open(learn, "w", encoding="utf-8") as file:
            file.writelines(f"__label__{number[label]} {text}\n" for label, text in zip(labels, words(texts)))
        train, model = seconds(lambda: fasttext.train_supervised(learn, epoch=5, lr=0.5, dim=10, minCount=1, thread=1, verbose=0))
    classify, (predicted, _) = seconds(lambda: model.predict(asked))
    report(out, [classes[int(first[0].removeprefix("__label__"))] if first else "" for first in predicted], train, classify)


main()
