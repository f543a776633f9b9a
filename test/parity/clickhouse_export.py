"""Runs the statements of `bayestream export --format=clickhouse` in ClickHouse and compares what they make.

usage: clickhouse_export.py TABLES.sql COUNTS.jsonl DECISIONS.jsonl NAME

chdb is ClickHouse inside of Python. COUNTS.jsonl is the export as json of the same model, which must be multinomial
with alpha 1: every count must come back from the tables and from the dictionary, and the posterior that SQL makes
of the dictionary must be that of DECISIONS.jsonl (`bayestream predict --json --evidence=0 --classes=all`) within 1e-9.
"""
import json
import math
import sys
import tempfile

from chdb import session

tables, counts, decisions, name = sys.argv[1:]


def text(s):
    return "'" + s.replace("\\", "\\\\").replace("'", "\\'") + "'"


with tempfile.TemporaryDirectory() as folder:
    db = session.Session(folder)
    db.query("CREATE DATABASE parity ENGINE = Atomic")
    db.query("USE parity")
    with open(tables, encoding="utf-8") as f:
        for statement in f.read().split(";\n"):
            if statement.strip():
                db.query(statement)

    def rows(query):
        return [json.loads(line) for line in str(db.query(query, "JSONCompactEachRow")).splitlines()]

    classes = {c: (int(i), int(n)) for i, c, n in rows(f"SELECT class_id, class, documents FROM {name}_classes")}
    prior = {c: p for c, p in rows(f"SELECT class, log_prior FROM {name}_classes")}
    inside = {(t, int(i)): int(n) for t, i, n in rows(f"SELECT ngram, class_id, count FROM {name}_ngrams")}
    want = {}
    for line in open(counts, encoding="utf-8"):
        row = json.loads(line)
        if "documents" in row and classes[row["class"]][1] != row["documents"]:
            sys.exit(f"{row}: ClickHouse has {classes[row['class']]}")
        if "term" in row:
            want[row["term"], classes[row["class"]][0]] = row["count"]
    if inside != want or not want:
        sys.exit(f"{len(inside)} counts in ClickHouse, {len(want)} in the export, and they differ")
    for (term, i), n in list(want.items())[:200]:
        got = rows(f"SELECT dictGet('parity.{name}_counts', 'count', ({text(term)}, toUInt32({i})))")[0][0]
        if int(got) != n:
            sys.exit(f"the dictionary has {got} of {term!r} in class {i}, want {n}")

    scoring = rows(f"SELECT likelihood, norm, alpha, sublinear, shape, edges, weight, t, gamma FROM {name}_scoring")
    if scoring != [["multinomial", False, 1, False, False, False, 1, 1, 0]]:
        sys.exit(f"the words are scored by {scoring}, want multinomial with alpha 1 and no temper")
    total = {i: sum(n for (_, c), n in want.items() if c == i) for i, _ in classes.values()}
    terms = len({t for t, _ in want})
    largest, compared = 0.0, 0
    for line in open(decisions, encoding="utf-8"):
        d = json.loads(line)
        words = "[" + ", ".join(f"({text(e['term'])}, {e['count']})" for e in d["evidence"]) + "]"
        joint = {}
        for c, (i, _) in classes.items():
            words_sum = "0" if not d["evidence"] else (
                f"arraySum(x -> x.2 * log((dictGet('parity.{name}_counts', 'count', (x.1, toUInt32({i}))) + 1) / {total[i] + terms}), {words})")
            joint[c] = rows(f"SELECT {words_sum} + {prior[c]}")[0][0]
        top = max(joint.values())
        norm = top + math.log(sum(math.exp(v - top) for v in joint.values()))
        for c, v in joint.items():
            largest = max(largest, abs(v - norm - d["log_posterior"][c]) / max(1, abs(d["log_posterior"][c])))
        compared += 1
    print(f"ClickHouse: {len(want)} counts, {compared} documents, largest difference {largest:.3g}")
    if compared == 0 or not largest < 1e-9:
        sys.exit("the posteriors differ")
