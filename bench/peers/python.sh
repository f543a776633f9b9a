#!/usr/bin/env bash
# Installs the classifiers in Python below a folder, unless they are there, for bench/peers.sh and bench/quality.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$1
# A copy of the list of requirements marks that it is installed.
cmp -s bench/peers/requirements.txt "$tools/venv/requirements.txt" && exit
command -v python3 >/dev/null || { echo 'python.sh: python3 is missing: no scikit-learn, River, Vowpal Wabbit and fastText'; exit; }
rm -rf "$tools/venv"
python3 -m venv "$tools/venv"
while read -r package; do # one by one: if one cannot be installed, the others still run
  "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$package" ||
    echo "python.sh: $package cannot be installed and is left out"
done <bench/peers/requirements.txt
cp bench/peers/requirements.txt "$tools/venv/requirements.txt"
