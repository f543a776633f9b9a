"""Compares log posteriors of bayestream with scikit-learn's on random data sets.

For each family and round a data set is drawn, written as JSON Lines beside a spec, learned by `bayestream train` and
labelled by `bayestream predict --json --classes=all`. scikit-learn fits the same rows. Every log posterior has to agree.

Where the two differ by design, the comparison says so in a comment beside the code that makes them equal.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
from sklearn import covariance, discriminant_analysis, naive_bayes

EXACT = 1e-9  # times max(1, |value|)
INVERTED = 1e-6  # where a covariance matrix is inverted: two ways of doing it differ by its condition

# scikit-learn's LDA computes what its own least squares warns about as soon as features correlate.
warnings.filterwarnings("ignore", category=RuntimeWarning)


class Case:
    """One data set: a spec, records to learn and to label, and scikit-learn's log posteriors."""

    def __init__(self, spec, train, test, want, tolerance):
        self.spec, self.train, self.test, self.want, self.tolerance = spec, train, test, want, tolerance


def log_softmax(joint):
    return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)


def name(c):
    return f"c{c}"


def draw_labels(rng, rows, at_least):
    """Labels of 2 to 6 classes of unequal size, each with at_least rows."""
    k = int(rng.integers(2, 7))
    y = rng.choice(k, size=max(rows, k * at_least), p=rng.dirichlet(np.ones(k) * 2))
    y[: k * at_least] = np.arange(k * at_least) % k
    return rng.permutation(y), k


def draw_alpha(rng):
    return float(10 ** rng.uniform(-3, 2))


def records(y, weights, parts):
    """Training records of labels and weights; parts are dictionaries with the features of each."""
    return [{"id": f"r{i}", "label": name(c), "weight": int(w), **part} for i, (c, w, part) in enumerate(zip(y, weights, parts))]


def draw_weights(rng, n):
    return rng.integers(1, 6, n) if rng.random() < 0.5 else np.ones(n, dtype=int)


def draw_prior(rng, k):
    """A prior as the spec writes it and as scikit-learn takes it."""
    kind = rng.choice(["empirical", "uniform", "given"])
    if kind == "given":
        p = rng.dirichlet(np.ones(k) * 3) + 1e-3
        p /= p.sum()
        return {name(c): float(v) for c, v in enumerate(p)}, {"class_prior": p}
    return str(kind), {"fit_prior": kind == "empirical"}


# ---- words


def texts(counts):
    return [{"text": " ".join(f"w{t}" for t, n in enumerate(row) for _ in range(n))} for row in counts]


def draw_words(rng):
    y, k = draw_labels(rng, int(rng.integers(20, 90)), 1)
    v = int(rng.integers(4, 60))
    base = rng.dirichlet(np.full(v, 0.3), k)
    train = np.array([rng.multinomial(rng.integers(0, 40), base[c]) for c in y])
    test = np.array([rng.multinomial(rng.integers(0, 40), base[c]) for c in rng.integers(0, k, 25)])
    test[0] = 0  # the empty document
    train[0, 0] = max(1, train[0, 0])  # there is a word at all
    return y, k, train, test


def text_case(rng, estimator, likelihood, **extra):
    y, k, train, test = draw_words(rng)
    weights, alpha = draw_weights(rng, len(y)), draw_alpha(rng)
    prior, asked = draw_prior(rng, k)
    # scikit-learn counts a column that nobody has seen as a word; here it is a word that does not vote. The
    # documents to label keep theirs.
    seen = train.sum(0) > 0
    m = estimator(alpha=alpha, **asked, **extra).fit(train[:, seen], y, sample_weight=weights)
    spec = {"text": {"likelihood": likelihood, "alpha": alpha, "stem": False, "language": "none", **extra}, "prior": prior}
    want = log_softmax(m.predict_joint_log_proba(test[:, seen]))
    return Case(spec, records(y, weights, texts(train)), texts(test), want, EXACT)


def multinomial(rng):
    return text_case(rng, naive_bayes.MultinomialNB, "multinomial")


def bernoulli(rng):
    return text_case(rng, naive_bayes.BernoulliNB, "bernoulli")


def complement(rng):
    return text_case(rng, naive_bayes.ComplementNB, "complement", norm=False)


def complement_norm(rng):
    case = text_case(rng, naive_bayes.ComplementNB, "complement", norm=True)
    case.spec["text"]["temper"] = {"t": 1, "gamma": 0}  # the sums as they are: without a temper they are scaled
    return case


# ---- categories


def draw_categories(rng, y, k, fields):
    """Values of each field, numbered from 0 without a gap, as scikit-learn counts them, and their number."""
    sizes = rng.integers(2, 8, fields)
    columns, seen = [], []
    for size in sizes:
        p = rng.dirichlet(np.ones(size), k)
        values, column = np.unique([rng.choice(size, p=p[c]) for c in y], return_inverse=True)
        columns.append(column)
        seen.append(len(values))
    return np.array(columns).T, np.array(seen)


def categories(values):
    """Features of rows; -1 is a missing value."""
    return [{"categories": {f"f{j}": f"v{v}" for j, v in enumerate(row) if v >= 0}} for row in values]


def categorical(rng):
    y, k = draw_labels(rng, int(rng.integers(20, 120)), 1)
    fields, alpha = int(rng.integers(1, 7)), draw_alpha(rng)
    train, seen = draw_categories(rng, y, k, fields)
    known = seen + rng.integers(0, 4, fields) * rng.integers(0, 2)  # given values, some of which nobody has
    weights, (prior, asked) = draw_weights(rng, len(y)), draw_prior(rng, k)
    m = naive_bayes.CategoricalNB(alpha=alpha, min_categories=known, **asked).fit(train, y, sample_weight=weights)
    test = np.array([[rng.integers(-1, n) for n in known] for _ in range(25)])
    test[(test < 0).all(1), 0] = 0  # a record that has none of the fields is refused
    # scikit-learn knows no missing values: its own parameters, summed over those that are there.
    joint = np.array([m.class_log_prior_ + sum(m.feature_log_prob_[j][:, v] for j, v in enumerate(row) if v >= 0) for row in test])
    listed = [{"field": f"f{j}", "alpha": alpha, "values": [f"v{v}" for v in range(n)]} for j, n in enumerate(known)]
    if (known == seen).all():
        for f in listed:
            del f["values"]
    return Case({"categories": listed, "prior": prior}, records(y, weights, categories(train)), categories(test), log_softmax(joint), EXACT)


# ---- numbers


def numbers(rows):
    return [{"numbers": {f"x{j}": v for j, v in enumerate(row) if not np.isnan(v)}} for row in rows.tolist()]


def draw_numbers(rng, at_least):
    """Correlated normals about a mean of each class, in units that differ, decimals that fixed point holds."""
    d = int(rng.integers(1, 7))
    y, k = draw_labels(rng, int(rng.integers(40, 150)), at_least + 2 * d)
    mix = rng.normal(size=(k, d, d)) + 2 * np.eye(d)
    mean, unit = rng.normal(size=(k, d)) * 3, 10.0 ** rng.integers(-1, 3, d)

    def rows(labels):
        return np.round(np.array([mean[c] + mix[c] @ rng.normal(size=d) for c in labels]) * unit, 6)

    return y, k, rows(y), rows(rng.integers(0, k, 25))


def number_case(train, y, weights, test, block, joint, tolerance, prior="empirical"):
    spec = {"numbers": [{"fields": [f"x{j}" for j in range(train.shape[1])], **block}], "prior": prior}
    return Case(spec, records(y, weights, numbers(train)), numbers(test), log_softmax(joint), tolerance)


def gaussian(rng):
    y, k, train, test = draw_numbers(rng, 3)
    weights, smoothing = draw_weights(rng, len(y)), float(rng.choice([0, 1e-9, 1e-3, 0.1]))
    prior, asked = draw_prior(rng, k)
    priors = asked.get("class_prior", None if asked.get("fit_prior", True) else np.full(k, 1 / k))
    # A row of weight 2 is two rows. scikit-learn's sample_weight leaves the variance that is smoothed with unweighted.
    m = naive_bayes.GaussianNB(priors=priors, var_smoothing=smoothing).fit(train.repeat(weights, 0), y.repeat(weights))
    missing = rng.random(test.shape) < 0.1
    missing[missing.all(1), 0] = False  # a record that has none of the fields is refused
    test[missing] = np.nan  # a missing number leaves its factor out
    density = -0.5 * (np.log(2 * np.pi * m.var_)[None] + (test[:, None, :] - m.theta_[None]) ** 2 / m.var_[None])
    joint = np.log(m.class_prior_)[None] + np.nansum(density, axis=2)
    whole = ~np.isnan(test).any(1)
    if whole.any():  # the formula above is scikit-learn's own
        np.testing.assert_allclose(joint[whole], m.predict_joint_log_proba(test[whole]), rtol=1e-11, atol=1e-11)
    block = {"likelihood": "gaussian", "denominator": "mle", "var_smoothing": smoothing}
    return number_case(train, y, weights, test, block, joint, EXACT, prior)


def two_sided(scores):
    """Scores of two classes from their difference, which is all that scikit-learn keeps."""
    return np.stack([np.zeros(len(scores)), scores], axis=1) if scores.ndim == 1 else scores


def lda_case(rng, ours, **asked):
    y, _, train, test = draw_numbers(rng, 3)
    weights = draw_weights(rng, len(y))
    m = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", **asked).fit(train.repeat(weights, 0), y.repeat(weights))
    # scikit-learn pools the covariances by the priors: only the empirical ones give the pooled covariance.
    block = {"likelihood": "lda", "denominator": "mle", **ours}
    return number_case(train, y, weights, test, block, two_sided(m.decision_function(test)), INVERTED)


def lda(rng):
    return lda_case(rng, {})


def lda_shrunk(rng):
    s = float(rng.uniform(0, 1))
    return lda_case(rng, {"shrinkage": s}, shrinkage=s)


def lda_oas(rng):
    return lda_case(rng, {"shrinkage": "oas"}, covariance_estimator=covariance.OAS())


def qda(rng):
    y, _, train, test = draw_numbers(rng, 4)
    weights, r = draw_weights(rng, len(y)), float(rng.choice([0, 1e-3, 0.1, 0.7]))
    # tol decides when scikit-learn calls a matrix singular, in units of the data: not asked for here.
    m = discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=r, tol=1e-30).fit(train.repeat(weights, 0), y.repeat(weights))
    block = {"likelihood": "qda", "denominator": "mle", "reg_param": r}
    return number_case(train, y, weights, test, block, two_sided(m.decision_function(test)), INVERTED)


# ---- everything in one posterior


def mixed(rng):
    y, k, train, test = draw_numbers(rng, 3)
    weights, alpha = draw_weights(rng, len(y)), draw_alpha(rng)
    base = rng.dirichlet(np.full(20, 0.3), k)
    words = np.array([rng.multinomial(rng.integers(1, 20), base[c]) for c in y])
    seen = words.sum(0) > 0
    ask = np.array([rng.multinomial(rng.integers(0, 20), base[c]) for c in rng.integers(0, k, len(test))])
    values, known = draw_categories(rng, y, k, 2)
    value = np.array([[rng.integers(0, n) for n in known] for _ in test])
    g = naive_bayes.GaussianNB(var_smoothing=0).fit(train.repeat(weights, 0), y.repeat(weights))
    t = naive_bayes.MultinomialNB(alpha=alpha).fit(words[:, seen], y, sample_weight=weights)
    c = naive_bayes.CategoricalNB(alpha=alpha).fit(values, y, sample_weight=weights)
    joint = g.predict_joint_log_proba(test) + t.predict_joint_log_proba(ask[:, seen]) + c.predict_joint_log_proba(value) - 2 * t.class_log_prior_
    spec = {
        "text": {"alpha": alpha, "stem": False, "language": "none"},
        "numbers": [{"fields": [f"x{j}" for j in range(train.shape[1])]}],
        "categories": [{"field": f"f{j}", "alpha": alpha} for j in range(2)],
    }

    def join(*parts):
        return [{key: v for part in row for key, v in part.items()} for row in zip(*parts)]

    learned = records(y, weights, join(texts(words), numbers(train), categories(values)))
    return Case(spec, learned, join(texts(ask), numbers(test), categories(value)), log_softmax(joint), EXACT)


FAMILIES = {
    "MultinomialNB": multinomial,
    "BernoulliNB": bernoulli,
    "ComplementNB": complement,
    "ComplementNB, norm": complement_norm,
    "CategoricalNB": categorical,
    "GaussianNB": gaussian,
    "LDA": lda,
    "LDA, shrinkage": lda_shrunk,
    "LDA, OAS": lda_oas,
    "QDA": qda,
    "words + numbers + categories": mixed,
}


def answers(case, bayestream, folder):
    """The log posteriors of bayestream, in the order of scikit-learn's."""
    spec, train, test, model = (folder / f for f in ("spec.yaml", "train.jsonl", "test.jsonl", "model.db"))
    model.unlink(missing_ok=True)
    spec.write_text(json.dumps(case.spec))  # JSON is YAML
    for path, rows in ((train, case.train), (test, case.test)):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(bayestream, "train", f"--model={model}", f"--spec={spec}", train)
    decisions = [json.loads(line) for line in run(bayestream, "predict", f"--model={model}", "--json", "--classes=all", test).splitlines()]
    if len(decisions) != len(case.test):
        raise SystemExit(f"{len(decisions)} decisions on {len(case.test)} documents")
    check_tokens(case, decisions)
    classes = [name(c) for c in range(case.want.shape[1])]
    for d in decisions:
        if sorted(d["log_posterior"]) != classes:
            raise SystemExit(f"a decision on the classes {sorted(d['log_posterior'])}, want {classes}")
    return np.array([[d["log_posterior"][c] for c in classes] for d in decisions])


def check_tokens(case, decisions):
    """Both must have seen the same tokens, else nothing is compared."""
    for row, d in zip(case.test, decisions):
        if d["tokens"]["total"] != len(row.get("text", "").split()):
            raise SystemExit(f"the tokens of {row['text']!r} were counted as {d['tokens']}")


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seed", type=int, required=True)
    options.add_argument("--rounds", type=int, default=8, help="data sets of each family")
    options.add_argument("--bayestream", type=pathlib.Path, required=True)
    options.add_argument("--folder", type=pathlib.Path, required=True, help="for the files of the data sets")
    o = options.parse_args()
    print(f"seed {o.seed}: {o.rounds} data sets of each family")
    off = 0
    for number, (family, draw) in enumerate(FAMILIES.items()):
        worst, compared, tolerance = 0.0, 0, 0.0
        for i in range(o.rounds):
            case = draw(np.random.default_rng([o.seed, number, i]))
            got = answers(case, o.bayestream, o.folder)
            difference = np.abs(got - case.want) / np.maximum(1, np.abs(case.want))
            if not np.isfinite(difference).all():
                difference = np.full_like(difference, np.inf)
            worst, compared, tolerance = max(worst, difference.max()), compared + got.size, case.tolerance
        ok = compared > 0 and worst <= tolerance
        off += not ok
        print(f"{'ok ' if ok else 'OFF'}  {family:<30} {compared:5d} log posteriors, largest difference {worst:.1e}, allowed {tolerance:.0e}")
    if off:
        print(f"{off} families differ from scikit-learn: run again with seed {o.seed}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
