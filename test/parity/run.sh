#!/usr/bin/env bash
# Compares the reference values of testdata/vectors with what scikit-learn computes, bayestream with scikit-learn on
# data sets drawn for a seed that was not tried before, and what it exports to scikit-learn, and to ClickHouse where
# asked for, with its own decisions.
#
#   test/parity/run.sh            a seed of its own, which it prints
#   test/parity/run.sh 12345      that seed again
#   BAYESTREAM_CLICKHOUSE=1 test/parity/run.sh      ClickHouse too: a GB of packages
#
# scikit-learn, and chdb, which is ClickHouse inside of Python, go into a virtual environment in the user's cache, with
# the versions of requirements.txt and requirements-clickhouse.txt.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seed=${1:-$((RANDOM << 15 | RANDOM))}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bayestream
venv=$cache/parity-venv

if ! command -v python3 >/dev/null; then
  echo "run.sh: skipped, python3 is not here: the comparison with scikit-learn needs it"
  exit 0
fi
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "run.sh: skipped, $(python3 --version) is older than the 3.11 that scikit-learn asks for"
  exit 0
fi

# The copy of the requirements is the sign that all of them are in.
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  rm -rf "$venv"
  mkdir -p "$cache"
  python3 -m venv "$venv" || { echo "run.sh: python3 -m venv failed: install the package python3-venv" >&2; exit 1; }
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi

if [ -n "${BAYESTREAM_CLICKHOUSE:-}" ] && ! cmp -s "$here/requirements-clickhouse.txt" "$venv/requirements-clickhouse.txt"; then
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements-clickhouse.txt"
  cp "$here/requirements-clickhouse.txt" "$venv/requirements-clickhouse.txt"
fi

"$venv/bin/python" "$here/../../testdata/vectors/generate.py" --check

folder=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-parity.XXXXXX")
trap 'rm -rf "$folder"' EXIT
(cd "$here/../.." && go build -o "$folder/bayestream" ./cmd/bayestream)
"$venv/bin/python" "$here/parity.py" --seed "$seed" --bayestream "$folder/bayestream" --folder "$folder"

# A model of the lines of three documents, asked about those of a fourth. Its spec names how words are scored: no temper is exported.
by() { "$folder/bayestream" "$1" --model="$folder/lines.db" "${@:2}"; }
cd "$here/../../docs"
by train --alpha=1 --format=text --label="the reader's tour" tour.md
by train --alpha=1 --format=text --label=design design.md
by train --alpha=1 --format=text --label='back\slash' store.md
by predict --format=text --json --evidence=0 --classes=all protocol.md >"$folder/decisions.jsonl"
by export --format=json >"$folder/counts.jsonl"
by export --format=sklearn >"$folder/arrays.json"
"$venv/bin/python" "$here/sklearn_export.py" "$folder/arrays.json" "$folder/decisions.jsonl"

# Where candidates race, the export is of what decides, with its temper, and so it is where the spec names both.
exported() { # NAME CANDIDATE, then what predict reads
  "$folder/bayestream" predict --model="$folder/$1.db" --json --evidence=0 --classes=all "${@:3}" >"$folder/$1.jsonl"
  "$folder/bayestream" export --model="$folder/$1.db" --format=sklearn >"$folder/$1.json"
  "$venv/bin/python" "$here/sklearn_export.py" "$folder/$1.json" "$folder/$1.jsonl" "$2"
}
raced() { # NAME, then what predict reads
  exported "$1" "$(leader "$1")" "${@:2}"
  "$folder/bayestream" export --model="$folder/$1.db" >"$folder/$1.counts"
  "$folder/bayestream" import --model="$folder/$1-again.db" "$folder/$1.counts" >/dev/null
  [ "$(leader "$1")" = "$(leader "$1-again")" ] || { echo "run.sh: the import of $1 decides by $(leader "$1-again"), want $(leader "$1")" >&2; exit 1; }
}
leader() { "$folder/bayestream" inspect --model="$folder/$1.db" --json | "$venv/bin/python" -c 'import json, sys; print(json.load(sys.stdin)["race"]["leader"]["candidate"])'; }
"$folder/bayestream" train --model="$folder/sms.db" ../testdata/data/sms_spam.jsonl.gz # by folds
raced sms ../testdata/data/sms_spam.jsonl.gz
for name in *.md; do grep . "$name" | sed "s/^/$name\t/"; done >"$folder/pages.tsv"
echo 'text: {corrections: true}' >"$folder/race.yaml"
"$folder/bayestream" train --model="$folder/pages.db" --spec="$folder/race.yaml" --format=labelled "$folder/pages.tsv"
raced pages --format=text protocol.md
echo "text: {likelihood: one_vs_all, alpha: 0.3, temper: {t: 3, gamma: 0.5}}" >"$folder/one_vs_all.yaml"
"$folder/bayestream" train --model="$folder/one_vs_all.db" --spec="$folder/one_vs_all.yaml" --format=labelled "$folder/pages.tsv"
exported one_vs_all one_vs_all/0.3 --format=text protocol.md
echo "text: {sublinear: true, shape: true, edges: true, temper: {t: 3, gamma: 0.5}}" >"$folder/sublinear.yaml"
"$folder/bayestream" train --model="$folder/sublinear.db" --spec="$folder/sublinear.yaml" --format=labelled "$folder/pages.tsv"
exported sublinear multinomial/1/sublinear/shape/edges --format=text protocol.md
for norm in false true; do
  echo "text: {likelihood: complement, norm: $norm, alpha: 0.3, temper: {t: 3, gamma: 0.5}}" >"$folder/complement.yaml"
  "$folder/bayestream" train --model="$folder/complement-$norm.db" --spec="$folder/complement.yaml" --format=labelled "$folder/pages.tsv"
  exported "complement-$norm" complement/0.3 --format=text protocol.md
done

# What scikit-learn has no place for, or another one: a weight, and Bernoulli's columns beside a shape and a temper.
others() { # NAME SPEC CANDIDATE
  echo "$2" >"$folder/$1.yaml"
  "$folder/bayestream" train --model="$folder/$1.db" --spec="$folder/$1.yaml" --format=labelled "$folder/pages.tsv"
  exported "$1" "$3" --format=text protocol.md
}
others weight "text: {likelihood: complement, weight: 0.2, shape: true, temper: {t: 3, gamma: 0.5}}" complement/1/shape
others edges "text: {likelihood: one_vs_all, edges: true, temper: {t: 3, gamma: 0.5}}" one_vs_all/1/edges
others corrections "{text: {corrections: true}, scoring: {candidates: [{likelihood: complement, alpha: 1, corrections: 0.25}]}}" complement/1/corrections/0.25
others bernoulli "text: {likelihood: bernoulli, shape: true, temper: {t: 2, gamma: 0.5}}" bernoulli/1/shape

[ -n "${BAYESTREAM_CLICKHOUSE:-}" ] || exit 0
by export --format=clickhouse --name=lines >"$folder/tables.sql"
"$venv/bin/python" "$here/clickhouse_export.py" "$folder/tables.sql" "$folder/counts.jsonl" "$folder/decisions.jsonl" lines
