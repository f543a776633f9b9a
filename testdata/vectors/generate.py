"""Computes the reference values of this folder with scikit-learn and numpy.

    python3 -m venv venv && venv/bin/pip install -r test/parity/requirements.txt
    venv/bin/python testdata/vectors/generate.py            writes the files
    venv/bin/python testdata/vectors/generate.py --check    compares them with what it computes

A file is one JSON object:

    about    what the cases are and what they are computed with
    inputs   name -> what cases share: rows, labels, test rows
    cases    a list of {name, params, input, want}; input is a name of inputs, or the input itself

Matrices are lists of rows, logarithms are natural, class c is the number c. All files draw from one
generator of random numbers, in a fixed order: a new case draws from a generator of its own, or all later ones change.
"""

import argparse
import gzip
import json
import math
import pathlib
import sys

import numpy as np
from sklearn import covariance, datasets, discriminant_analysis, linear_model, metrics, model_selection, naive_bayes, neighbors

FOLDER = pathlib.Path(__file__).parent
TOLERANCE = 1e-9  # of --check, times max(1, |value|): the last digits depend on the processor


# ---- discrete naive Bayes over counts


def draw_counts(rng, classes, documents, terms):
    """Returns counts of terms, labels, weights and documents to classify, the first of which is empty."""
    y = rng.integers(0, classes, documents)
    y[:classes] = np.arange(classes)
    parameters = rng.dirichlet(np.full(terms, 0.3), classes)
    train = np.array([rng.multinomial(rng.integers(0, 30), parameters[c]) for c in y])
    test = np.array([rng.multinomial(rng.integers(0, 30), parameters[c]) for c in rng.integers(0, classes, 12)])
    test[0] = 0
    # scikit-learn counts a column without any occurrence as a term of the vocabulary; here such a term does not exist.
    seen = train.sum(axis=0) > 0
    return {"X": train[:, seen], "y": y, "weight": rng.integers(1, 4, documents), "T": test[:, seen]}


def discrete_settings():
    """Yields (alpha, prior, weighted): every alpha with every prior, and the first of each with weights as well."""
    for alpha in (1.0, 0.5, 0.01, 100.0):
        for prior in ("empirical", "uniform", "given"):
            yield alpha, prior, False
            if alpha == 1.0 and prior == "empirical":
                yield alpha, prior, True


def discrete(rng):
    models = (
        (naive_bayes.MultinomialNB, {}),
        (naive_bayes.BernoulliNB, {"binarize": 0.0}),
        (naive_bayes.ComplementNB, {"norm": False}),
        (naive_bayes.ComplementNB, {"norm": True}),
    )
    inputs, cases = {}, []
    for classes, documents, terms in ((2, 40, 12), (3, 60, 25), (7, 150, 60)):
        data = inputs[f"k{classes}"] = draw_counts(rng, classes, documents, terms)
        given = rng.dirichlet(np.ones(classes) * 3)
        for model, options in models:
            for alpha, prior, weighted in discrete_settings():
                class_prior = given if prior == "given" else None
                m = model(alpha=alpha, fit_prior=prior != "uniform", class_prior=class_prior, **options)
                m.fit(data["X"], data["y"], sample_weight=data["weight"] if weighted else None)
                suffix = ("-norm" if options.get("norm") else "") + ("-weighted" if weighted else "")
                cases.append({
                    "name": f"{model.__name__}-k{classes}-a{alpha}-{prior}{suffix}",
                    "params": {
                        "model": model.__name__,
                        "alpha": alpha,
                        "prior": prior,
                        "class_prior": class_prior,
                        "norm": bool(options.get("norm")),
                        "weighted": weighted,
                    },
                    "input": f"k{classes}",
                    "want": {
                        "class_log_prior": m.class_log_prior_,
                        "feature_log_prob": m.feature_log_prob_,
                        "joint_log_likelihood": m.predict_joint_log_proba(data["T"]),
                        "log_posterior": m.predict_log_proba(data["T"]),
                        "predict": m.predict(data["T"]),
                    },
                })
    about = (
        "Multinomial, Bernoulli and complement naive Bayes over counts of terms: X, y and weight to learn, T to classify. "
        "feature_log_prob of ComplementNB are its weights: negated logarithms of the parameters, or normalised ones."
    )
    return about, inputs, cases


# ---- categorical naive Bayes


def categorical(_):
    digits = datasets.load_digits()
    train, test, y, ty = model_selection.train_test_split(digits.data.astype(int), digits.target, test_size=0.25, random_state=0, stratify=digits.target)
    test, ty = test[:40], ty[:40]
    cases = []
    for alpha in (1.0, 0.1, 100.0):
        m = naive_bayes.CategoricalNB(alpha=alpha, min_categories=17).fit(train, y)
        cases.append({
            "name": f"digits-a{alpha}",
            "params": {"alpha": alpha, "categories_per_feature": 17},
            "input": "digits",
            "want": {"class_log_prior": m.class_log_prior_, "log_posterior": m.predict_log_proba(test), "accuracy": m.score(test, ty)},
        })
    about = "Categorical naive Bayes over the 64 pixels, 0 to 16, of scikit-learn's digits of 8x8 pixels."
    return about, {"digits": {"train": train, "y": y, "T": test, "ty": ty}}, cases


# ---- densities of numbers


def numeric_sets():
    """Returns the splits of the numeric sets: three quarters to learn, one to classify."""
    splits = {}
    for name, load in (("iris", datasets.load_iris), ("wine", datasets.load_wine), ("cancer", datasets.load_breast_cancer)):
        data = load()
        train, test, y, ty = model_selection.train_test_split(data.data, data.target, test_size=0.25, random_state=0, stratify=data.target)
        splits[name] = {"train": train, "y": y, "T": test, "ty": ty}
    return splits


def log_softmax(joint):
    return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)


def log_posteriors(decision):
    """Returns the log posteriors of a decision function; that of two classes is the log-odds of the second."""
    if decision.ndim == 1:
        decision = np.column_stack([np.zeros(len(decision)), decision])
    return log_softmax(decision)


def covariances(kind, rows, unbiased):
    """Returns the covariance matrix of each class; rows has an array for each."""
    fields = rows[0].shape[1]
    own = [np.cov(r.T, ddof=int(unbiased)).reshape(fields, fields) for r in rows]
    scatter = sum(np.cov(r.T, ddof=0).reshape(fields, fields) * len(r) for r in rows)
    pooled = scatter / (sum(len(r) for r in rows) - (len(rows) if unbiased else 0))
    if kind == "naive":
        return [np.diag(np.diag(s)) for s in own]
    if kind == "full":
        return own
    shared = {
        "naive-shared": np.diag(np.diag(pooled)),
        "isotropic": np.eye(fields) * np.trace(pooled) / fields,
        "pooled": pooled,
    }[kind]
    return [shared] * len(rows)


def gaussian_joint(kind, data, unbiased):
    """Returns the means and ln P(c) + ln p(x|c) of the rows to classify, from the formulas."""
    rows = [data["train"][data["y"] == c] for c in np.unique(data["y"])]
    means = [r.mean(axis=0) for r in rows]
    joint = []
    for r, mean, matrix in zip(rows, means, covariances(kind, rows, unbiased)):
        off = data["T"] - mean
        distance = np.einsum("ij,jk,ik->i", off, np.linalg.inv(matrix), off)
        log_density = -0.5 * (len(mean) * np.log(2 * np.pi) + np.linalg.slogdet(matrix)[1] + distance)
        joint.append(log_density + np.log(len(r) / len(data["train"])))
    return means, np.column_stack(joint)


def gaussian_formulas(name, data):
    """Yields the cases that numpy computes."""
    for kind in ("naive", "naive-shared", "isotropic", "full", "pooled"):
        for denominator in ("mle", "unbiased"):
            means, joint = gaussian_joint(kind, data, denominator == "unbiased")
            yield {
                "name": f"{name}-{kind}-{denominator}",
                "params": {"kind": kind, "denominator": denominator, "var_smoothing": 0},
                "input": name,
                "want": {
                    "mean": means,
                    "joint_log_likelihood": joint,
                    "log_posterior": log_softmax(joint),
                    "accuracy": float((joint.argmax(axis=1) == data["ty"]).mean()),
                },
            }


def gaussian_discriminants(name, data):
    """Yields the cases that scikit-learn computes by inverting a matrix, to a tolerance of their own."""
    lda, qda = discriminant_analysis.LinearDiscriminantAnalysis, discriminant_analysis.QuadraticDiscriminantAnalysis
    for kind, model in (
        ("LDA", lda(solver="lsqr")),
        ("LDA-shrinkage-0.3", lda(solver="lsqr", shrinkage=0.3)),
        ("LDA-oas", lda(solver="lsqr", covariance_estimator=covariance.OAS())),
        ("QDA", qda()),
        ("QDA-reg-0.1", qda(reg_param=0.1)),
    ):
        try:
            model.fit(data["train"], data["y"])
        except np.linalg.LinAlgError:
            continue  # QDA of cancer: its covariance matrices are numerically singular, and scikit-learn refuses them
        yield {
            "name": f"{name}-sklearn-{kind}",
            "params": {"kind": kind},
            "input": name,
            "want": {
                "log_posterior": log_posteriors(model.decision_function(data["T"])),
                "tolerance": 1e-6,
                "accuracy": model.score(data["T"], data["ty"]),
            },
        }


def gaussian(_):
    inputs, cases = numeric_sets(), []
    for name, data in inputs.items():
        m = naive_bayes.GaussianNB().fit(data["train"], data["y"])
        cases.append({
            "name": f"{name}-sklearn-GaussianNB",
            "params": {"kind": "naive", "denominator": "mle", "var_smoothing": 1e-9},
            "input": name,
            "want": {
                "mean": m.theta_,
                "variance": m.var_,
                "log_posterior": m.predict_log_proba(data["T"]),
                "accuracy": m.score(data["T"], data["ty"]),
            },
        })
        cases.extend(gaussian_formulas(name, data))
        cases.extend(gaussian_discriminants(name, data))
    about = (
        "Gaussian naive Bayes with own, shared and isotropic variances, full covariances (QDA) and pooled ones (LDA); unbiased pooled ones are "
        "divided by n - L. LDA of scikit-learn pools maximum-likelihood covariances weighted by the priors, each shrunk before."
    )
    return about, inputs, cases


def moments(rng):
    wine = numeric_sets()["wine"]
    rows, y = wine["train"], wine["y"]
    offset = 1e9 + rng.normal(size=2000)
    cases = [
        {
            "name": "wine-seven-parts",
            "params": {},
            "input": {"X": rows, "y": y, "sizes": [len(part) for part in np.array_split(rows, 7)]},
            "want": {
                "mean": [rows[y == c].mean(axis=0) for c in range(3)],
                "variance": [rows[y == c].var(axis=0) for c in range(3)],
            },
        },
        {
            "name": "large-offset",
            "params": {},
            "input": {"X": offset[:, None], "y": np.zeros(len(offset), dtype=int), "sizes": [len(offset)]},
            "want": {"mean": [[np.mean(offset)]], "variance": [[np.var(offset)]]},
        },
    ]
    about = (
        "Means and maximum-likelihood variances by class: the parts of a set, in sizes rows each, merge to those of the whole; and a "
        "mean a billion times the standard deviation, where a difference of floating-point sums has no digit left."
    )
    return about, {}, cases


# ---- classifiers to compare with


def discriminative(_):
    inputs, cases = numeric_sets(), []
    for name, data in inputs.items():
        for k in (1, 5, 15):
            m = neighbors.KNeighborsClassifier(k, algorithm="brute").fit(data["train"], data["y"])
            cases.append({
                "name": f"{name}-knn-{k}",
                "params": {"k": k},
                "input": name,
                "want": {"posterior": m.predict_proba(data["T"]), "accuracy": m.score(data["T"], data["ty"])},
            })
        mean, deviation = data["train"].mean(axis=0), data["train"].std(axis=0)
        train, test = (data["train"] - mean) / deviation, (data["T"] - mean) / deviation
        m = linear_model.LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(train, data["y"])
        cases.append({
            "name": f"{name}-logistic",
            "params": {"C": 1.0, "tolerance": 1e-6},
            "input": name,
            "want": {
                "coef": m.coef_,
                "intercept": m.intercept_,
                "log_posterior": m.predict_log_proba(test),
                "accuracy": m.score(test, data["ty"]),
            },
        })
    about = (
        "k nearest neighbours by Euclidean distance; of equal distances the lower row is nearer. Logistic regression on standardised "
        "fields, one logit for two classes, else softmax: it minimises 1/2 ||w||^2 + C times the sum of the log losses."
    )
    return about, inputs, cases


# ---- scores


def draw_predictions(rng, classes, documents):
    """Returns labels and posteriors that are right more often than not; those of the smallest case have ties."""
    y = rng.integers(0, classes, documents)
    y[:classes] = np.arange(classes)
    logits = rng.normal(size=(documents, classes)) * 1.5 + np.eye(classes)[y] * 1.2
    posterior = np.exp(log_softmax(logits))
    if documents == 30:
        posterior = np.round(posterior, 1)
        posterior[:, 1] = 1 - posterior[:, 0]
    return y, posterior


def scores(y, posterior, predicted):
    precision, recall, f1, support = metrics.precision_recall_fscore_support(y, predicted, zero_division=0)
    want = {
        "confusion_true_by_predicted": metrics.confusion_matrix(y, predicted),
        "accuracy": metrics.accuracy_score(y, predicted),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "support": support,
        "macro_f1": metrics.f1_score(y, predicted, average="macro"),
        "micro_f1": metrics.f1_score(y, predicted, average="micro"),
        "weighted_f1": metrics.f1_score(y, predicted, average="weighted"),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "matthews": metrics.matthews_corrcoef(y, predicted),
        "cohen_kappa": metrics.cohen_kappa_score(y, predicted),
        "log_loss": metrics.log_loss(y, np.clip(posterior, 1e-15, 1), labels=range(posterior.shape[1])),
    }
    if posterior.shape[1] > 2:
        want["auc_ovr_macro"] = metrics.roc_auc_score(y, posterior, multi_class="ovr")
        want["auc_ovo_macro"] = metrics.roc_auc_score(y, posterior, multi_class="ovo")
        return want
    positive = posterior[:, 1]
    want["roc_fpr"], want["roc_tpr"], want["roc_thresholds"] = metrics.roc_curve(y, positive, drop_intermediate=False)
    want["pr_precision"], want["pr_recall"], want["pr_thresholds"] = metrics.precision_recall_curve(y, positive)
    want["auc"] = metrics.roc_auc_score(y, positive)
    want["average_precision"] = metrics.average_precision_score(y, positive)
    want["brier"] = metrics.brier_score_loss(y, positive)
    return want


def evaluation(rng):
    cases = []
    for classes, documents in ((2, 30), (2, 500), (3, 200), (10, 1000)):
        y, posterior = draw_predictions(rng, classes, documents)
        predicted = posterior.argmax(axis=1)
        cases.append({
            "name": f"k{classes}-n{documents}",
            "params": {},
            "input": {"y": y, "posterior": posterior, "predicted": predicted},
            "want": scores(y, posterior, predicted),
        })
    return "Scores of predictions. Class 1 is the positive one of two; the log loss takes no posterior as less than 1e-15.", {}, cases


# ---- worked examples of the lectures


def normal(x, mean, variance):
    return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def children_and_adults():
    child = [60, 50, 40, 40, 40, 30, 60, 70, 50, 90, 90, 90]
    adult = [170, 180, 160, 170]
    mean, variance = np.mean(child), np.var(child)
    return {
        "name": "children-and-adults",
        "input": {"child": [[v, v] for v in child], "adult": [[v, v] for v in adult], "x": [120, 120]},
        "want": {
            "mean": {"child": mean, "adult": np.mean(adult)},
            "variance": {"child": variance, "adult": np.var(adult)},
            "density": {"child": normal(120, mean, variance) ** 2, "adult": normal(120, 170, 50) ** 2},
            "density printed parameters": normal(120, 60, 425) ** 2,
            "label": "child",
        },
        "printed": {
            "mean child": 60,
            "variance child": 425,
            "p(x|adult)": 6.14e-25,
            "p(x|child)": "5.56e-7, a slip: the slide's own parameters give 7.85e-8",
        },
    }


def temperature():
    yes, no = [25.2, 19.3, 18.5, 21.7, 20.1, 24.3, 22.8, 23.1, 19.8], [27.3, 30.1, 17.4, 29.5, 15.1]
    return {
        "name": "temperature",
        "input": {"yes": yes, "no": no},
        "want": {"mean": [np.mean(yes), np.mean(no)], "deviation": [np.std(yes, ddof=1), np.std(no, ddof=1)]},
        "printed": [21.64, 2.35, 23.88, 7.09],
    }


def lectures(_):
    cases = [
        {
            "name": "election-or-sports",
            "input": {
                "P(word=1|E)": {"romney": 0.8, "obama": 0.9, "clinton": 0.9, "football": 0.1},
                "P(word=1|S)": {"romney": 0.1, "obama": 0.05, "clinton": 0.05, "football": 0.7},
                "x": {"romney": 1, "obama": 1, "clinton": 1, "football": 0},
            },
            "want": {"joint": {"E": 0.5 * 0.8 * 0.9 * 0.9 * 0.9, "S": 0.5 * 0.1 * 0.05 * 0.05 * 0.3}},
        },
        children_and_adults(),
        temperature(),
        {
            "name": "play-tennis",
            "input": {"data": "playtennis.csv", "x": {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "TRUE"}},
            "want": {"joint": {"yes": 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9 * 9 / 14, "no": 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5 * 5 / 14}, "label": "no"},
            "printed": [0.0053, 0.0206],
        },
        {
            "name": "balls",
            "input": {"red": 2, "blue": 1},
            "want": {"alpha 1": [3 / 5, 2 / 5], "alpha 100": [102 / 203, 101 / 203], "maximum likelihood": [2 / 3, 1 / 3]},
        },
        {
            "name": "insects",
            "input": {"3": {"grasshopper": 10, "katydid": 2}, "7": {"grasshopper": 3, "katydid": 9}},
            "want": {"3": [10 / 12, 2 / 12], "7": [3 / 12, 9 / 12]},
        },
        {
            "name": "iris-contingency",
            "input": {"predicted by true": [[10, 0, 0], [0, 7, 5], [0, 3, 5]]},
            "want": {
                "accuracy": 22 / 30,
                "error": 8 / 30,
                "precision": [1, 7 / 12, 5 / 8],
                "recall": [1, 7 / 10, 5 / 10],
                "f1": [1, 14 / 22, 10 / 18],
                "macro_f1": (1 + 14 / 22 + 10 / 18) / 3,
            },
        },
        {
            "name": "iris-binary",
            "input": {"TP": 7, "FP": 7, "FN": 3, "TN": 13},
            "want": {"precision": [7 / 14, 13 / 16], "sensitivity": 7 / 10, "specificity": 13 / 20, "FNR": 3 / 10, "FPR": 7 / 20},
        },
        {
            "name": "roc-with-ties",
            "input": {"positive": [0.9, 0.8, 0.8], "negative": [0.8, 0.1]},
            "want": {"points": [[0, 0], [0, 1 / 3], [0.5, 1], [1, 1]], "auc": 5 / 6},
        },
        {"name": "lda-midpoint", "input": {"means": [-1.25, 1.25], "variance": 1}, "want": {"boundary": 0}},
        {
            "name": "gnb-is-logistic",
            "input": {"p": 0.3, "m0": -1.0, "m1": 2.0, "v": 1.5, "x": 0.25},
            "want": logistic_of_gaussian(0.3, -1.0, 2.0, 1.5, 0.25),
        },
    ]
    return "Worked examples of the lectures. want is what the formula gives; printed is what the slide says, where it rounds or slips.", {}, cases


def logistic_of_gaussian(p, m0, m1, v, x):
    w0, w1 = math.log((1 - p) / p) + (m1**2 - m0**2) / (2 * v), (m0 - m1) / v
    return {"w0": w0, "w1": w1, "P(1|x)": 1 / (1 + math.exp(w0 + w1 * x))}


# ---- files


def plain(value):
    """Returns the value as JSON can say it; infinity is the string inf."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def differences(got, want, path=""):
    """Yields where two values differ by more than the tolerance."""
    if isinstance(got, dict) and isinstance(want, dict) and got.keys() == want.keys():
        for key in got:
            yield from differences(got[key], want[key], f"{path}.{key}")
    elif isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        for i, (g, w) in enumerate(zip(got, want)):
            yield from differences(g, w, f"{path}[{i}]")
    elif isinstance(got, float) and isinstance(want, (int, float)):
        if abs(got - want) > TOLERANCE * max(1, abs(want)):
            yield f"{path}: computed {got}, the file has {want}"
    elif got != want:
        yield f"{path}: computed {got}, the file has {want}"


def write(name, document):
    if name == "lectures":  # to be read by people
        (FOLDER / "lectures.json").write_text(json.dumps(document, indent=1) + "\n")
        return
    text = json.dumps(document, separators=(",", ":")) + "\n"
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def read(name):
    plain_file = FOLDER / f"{name}.json"
    if plain_file.exists():
        return json.loads(plain_file.read_text())
    return json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))


def main():
    parser = argparse.ArgumentParser(description="Computes the reference values of the tests.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare with the files")
    check = parser.parse_args().check
    rng = np.random.default_rng(20261121)
    total = 0
    bad = []
    for make in (discrete, categorical, gaussian, moments, discriminative, evaluation, lectures):
        about, inputs, cases = make(rng)
        document = plain({"about": about, "inputs": inputs, "cases": cases})
        total += len(cases)
        if check:
            bad.extend(differences(document, read(make.__name__), make.__name__))
        else:
            write(make.__name__, document)
        print(f"{make.__name__}: {len(cases)} cases")
    print(f"{total} cases, {len(bad)} differences" if check else f"{total} cases")
    if bad:
        sys.exit("\n".join(bad[:20]))


if __name__ == "__main__":
    main()
