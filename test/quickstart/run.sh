#!/usr/bin/env bash
# Types the commands of docs/quickstart.md on an Apache Kafka that starts and ends with them: those of Bayestream, of Kafka's
# console tools and of Python, whose client goes into a virtual environment in the user's cache.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/bayestream/quickstart-venv

# The copy of the requirements is the sign that all of them are in.
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv" || { echo "run.sh: python3 -m venv failed: install the package python3-venv" >&2; exit 1; }
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi
export BAYESTREAM_PYTHON=$venv/bin/python
exec "$here/../kafka/run.sh" go test -count=1 ./test/quickstart
