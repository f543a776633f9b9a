"""Compares scikit-learn, filled by docs/examples/sklearn_model.py, with the decisions of bayestream.

usage: sklearn_export.py EXPORT.json DECISIONS.jsonl [CANDIDATE]

The decisions are those of `bayestream predict --json --evidence=0 --classes=all`: the known terms of every document are its
evidence. Fails where a posterior differs by more than 1e-9. With a candidate, like complement/0.1, the export must be of it,
and only what it decided is compared: half of the decisions at least.
"""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "examples"))
from sklearn_model import load  # noqa: E402

model, vocabulary = load(sys.argv[1])
candidate = sys.argv[3].replace("-norm", "") if len(sys.argv) > 3 else None
export = json.load(open(sys.argv[1], encoding="utf-8"))
name = f"{export['likelihood']}/{export['alpha']:g}" + "/sublinear" * export["sublinear"] + "/shape" * (export["shape"] is not None) + "/edges" * (export["edges"] is not None)
if candidate and candidate.split("/corrections")[0] != name:
    sys.exit(f"the export decides by {name}, want {candidate}")
if candidate and ("/corrections" in candidate) != ("corrections" in export):
    sys.exit(f"the export of {candidate} has corrections: {'corrections' in export}")
if candidate and not export["temper"]:
    sys.exit("the export of a race has no temper")
largest, documents, others = 0.0, 0, 0
for line in open(sys.argv[2], encoding="utf-8"):
    decision = json.loads(line)
    if candidate and decision["scoring"]["candidate"].replace("-norm", "") != candidate:
        others += 1
        continue
    x = np.zeros((1, model.n_features_in_))
    shape = len(vocabulary)
    if model.has_shape_:
        x[0, shape:shape + 3] = decision["tokens"]["total"], 2**50, 2**50  # which no document has: such a size does not vote
    if model.has_edges_:
        x[0, -2:] = -1
    for entry in decision["evidence"]:
        if "term" in entry:
            x[0, vocabulary[entry["term"]]] = entry["count"]
        elif entry["block"] == "first":
            x[0, -2] = model.first_[entry["value"]]
        elif entry["block"] == "last":
            x[0, -1] = model.last_[entry["value"]]
        elif entry["block"] in ("longest", "nonwords"):
            x[0, shape + ("length", "longest", "nonwords").index(entry["block"])] = int(entry["value"].split("-")[0])
    theirs = model.predict_log_proba(x)[0]
    ours = np.array([decision["log_posterior"][c] for c in model.classes_])
    largest = max(largest, np.max(np.abs(np.exp(theirs) - np.exp(ours))))
    largest = max(largest, np.max(np.abs(theirs - ours) / np.maximum(1, np.abs(ours))))
    documents += 1
print(f"{type(model).__name__}: {documents} documents, {len(vocabulary)} terms, largest difference {largest:.3g}")
if documents == 0 or documents < others or not largest < 1e-9:
    sys.exit("the posteriors differ")
