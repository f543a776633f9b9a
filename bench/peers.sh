#!/usr/bin/env bash
# Measures Bayestream and other text classifiers, all on one core and in turn, and prints tables in Markdown. Installs
# the peers first, about 700 MB in the user's cache, with pip and Maven; it leaves out those that cannot be installed.
# Flags are passed on:
#
#   bench/peers.sh
#   bench/peers.sh -rounds 1 -sets news -only 'River|Weka'
#
# The sets are the project's own news, SMS spam, and those in the folder BAYESTREAM_DATA.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools=${XDG_CACHE_HOME:-$HOME/.cache}/bayestream/peers
mkdir -p "$tools/bin"

# A copy of a list of requirements marks that it is installed.
python_peers() {
  cmp -s bench/peers/requirements.txt "$tools/venv/requirements.txt" && return
  command -v python3 >/dev/null || { echo 'peers.sh: python3 is missing: no scikit-learn, River, Vowpal Wabbit and fastText'; return; }
  rm -rf "$tools/venv"
  python3 -m venv "$tools/venv"
  local package
  while read -r package; do # one by one: if one cannot be installed, the others still run
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$package" ||
      echo "peers.sh: $package cannot be installed and is left out"
  done <bench/peers/requirements.txt
  cp bench/peers/requirements.txt "$tools/venv/requirements.txt"
}

weka() {
  cmp -s bench/peers/weka/pom.xml "$tools/jars/pom.xml" && [ "$tools/weka/WekaPeer.class" -nt bench/peers/weka/WekaPeer.java ] && return
  { command -v mvn && command -v javac; } >/dev/null || { echo 'peers.sh: mvn or javac is missing: no Weka'; return; }
  rm -rf "$tools/jars" "$tools/weka"
  mvn -q -B -f bench/peers/weka/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$tools/jars" >/dev/null &&
    javac -cp "$tools/jars/*" -d "$tools/weka" bench/peers/weka/WekaPeer.java &&
    cp bench/peers/weka/pom.xml "$tools/jars/" || echo 'peers.sh: Weka cannot be installed and is left out'
}

command -v taskset >/dev/null || { echo 'peers.sh: taskset is missing: install util-linux' >&2; exit 1; }
{ python_peers; weka; } >&2
go build -o "$tools/bin/bayestream" ./cmd/bayestream
go build -o "$tools/bin/peer" ./bench/peers/bayestream
go build -o "$tools/bin/peers" ./bench/peers
work=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-peers.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$tools/bin/peers" -tools "$tools" -work "$work" -data "${BAYESTREAM_DATA:-}" "$@"
