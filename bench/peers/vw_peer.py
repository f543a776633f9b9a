"""Vowpal Wabbit's driver over files of words: logistic regression, one class against all others."""

import os
import tempfile

from texts import arguments, report, seconds, words

from vowpalwabbit import Workspace


def drive(options):
    """Runs over the file that the options name, as the command line does."""
    space = Workspace("--quiet " + options)
    space.run_parser()
    space.finish()


def main():
    _, (labels, texts), (_, test), out = arguments()
    classes = sorted(set(labels))
    number = {label: i + 1 for i, label in enumerate(classes)}
    with tempfile.TemporaryDirectory() as folder:
        learn, ask, nothing, model, answers = (os.path.join(folder, name) for name in ("learn", "ask", "nothing", "model", "answers"))
        with open(learn, "w", encoding="utf-8") as file:
            file.writelines(f"{number[label]} | {text}\n" for label, text in zip(labels, words(texts)))
        with open(ask, "w", encoding="utf-8") as file:
            file.writelines(f"| {text}\n" for text in words(test))
        with open(nothing, "w", encoding="utf-8"):
            pass
        train, _ = seconds(lambda: drive(f"-b 18 --loss_function logistic --oaa {len(classes)} -d {learn} -f {model}"))
        load, _ = seconds(lambda: drive(f"-t -i {model} -d {nothing}"))
        classify, _ = seconds(lambda: drive(f"-t -i {model} -d {ask} -p {answers}"))
        with open(answers, encoding="utf-8") as file:
            predicted = [classes[int(float(line.split()[0])) - 1] for line in file if line.strip()]
    report(out, predicted, train, max(classify - load, 1e-6))


main()
