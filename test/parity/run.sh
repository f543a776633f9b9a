#!/usr/bin/env bash
# Compares bayestream with scikit-learn on data sets drawn for a seed that nobody has tried before.
#
#   test/parity/run.sh            a seed of its own, which it prints
#   test/parity/run.sh 12345      that seed again
#
# scikit-learn goes into a virtual environment in the user's cache, with the versions of requirements.txt.
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

folder=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-parity.XXXXXX")
trap 'rm -rf "$folder"' EXIT
(cd "$here/../.." && go build -o "$folder/bayestream" ./cmd/bayestream)
"$venv/bin/python" "$here/parity.py" --seed "$seed" --bayestream "$folder/bayestream" --folder "$folder"
