"""Functions of the peers in Python: they read a set, measure processor time and report."""

import json
import re
import sys
import time
from math import isfinite

WORD = re.compile(r"\b\w\w+\b")  # a word as scikit-learn defines it


def read(path):
    """Returns the labels and the texts of a file of JSON Lines."""
    labels, texts = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            labels.append(item["label"])
            texts.append(item["text"])
    return labels, texts


def arguments():
    """Returns the configuration, the set to learn, the set to label and the file for the labels."""
    configuration, train, test, out = sys.argv[1:]
    return configuration, read(train), read(test), out


def seconds(work):
    """Returns the processor seconds of all threads for a call of work, and what it returned."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def words(texts):
    """Returns each text as its words in lower case, separated by blanks, for tools that do not split texts."""
    return [" ".join(WORD.findall(text.lower())) for text in texts]


def report(out, labels, train, classify, classified=None):
    """Writes a label a line, and the seconds for learning and for labelling the first `classified` texts."""
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(f"{label}\n" for label in labels)
    print(json.dumps({"train": train, "classify": classify, "classified": classified or len(labels)}))


def write_scores(out, truth, classes, posterior):
    """Writes a line of JSON for each document: its label, the predicted one, and the log posterior of each class, null for -inf."""
    with open(out, "w", encoding="utf-8") as file:
        for label, row in zip(truth, posterior):
            best = max(range(len(classes)), key=lambda i: row[i])
            line = {"label": label, "predicted": classes[best], "log_posterior": {name: float(value) if isfinite(value) else None for name, value in zip(classes, row)}}
            file.write(json.dumps(line) + "\n")
