"""Vowpal Wabbit's driver, one pass over a file of words, and the log posteriors of each document that it decides."""

import math
import os
import tempfile

from texts import arguments, words, write_scores

from vowpalwabbit import Workspace


def drive(options):
    """Runs over the file that the options name, as the command line does."""
    space = Workspace("--quiet " + options)
    space.run_parser()
    space.finish()


def main():
    _, (labels, texts), (truth, test), out = arguments()
    classes = sorted(set(labels))
    number = {label: i + 1 for i, label in enumerate(classes)}
    with tempfile.TemporaryDirectory() as folder:
        learn, ask, model, answers = (os.path.join(folder, name) for name in ("learn", "ask", "model", "answers"))
        with open(learn, "w", encoding="utf-8") as file:
            file.writelines(f"{number[label]} | {text}\n" for label, text in zip(labels, words(texts)))
        with open(ask, "w", encoding="utf-8") as file:
            file.writelines(f"| {text}\n" for text in words(test))
        drive(f"-b 22 --loss_function logistic --oaa {len(classes)} --probabilities -d {learn} -f {model}")
        drive(f"-t -i {model} -d {ask} --probabilities -p {answers}")
        with open(answers, encoding="utf-8") as file:
            posterior = [probabilities(line, len(classes)) for line in file if line.strip()]
    write_scores(out, truth, classes, posterior)


def probabilities(line, classes):
    """Returns the logarithms of the probabilities in a line like "1:0.25 2:0.75"."""
    found = [1e-300] * classes
    for pair in line.split():
        name, value = pair.split(":")
        found[int(name) - 1] = max(float(value), 1e-300)
    total = sum(found)
    return [math.log(value / total) for value in found]


main()
