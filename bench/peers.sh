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
{ bench/peers/python.sh "$tools"; weka; } >&2
go build -o "$tools/bin/bayestream" ./cmd/bayestream
go build -o "$tools/bin/peer" ./bench/peers/bayestream
go build -o "$tools/bin/peers" ./bench/peers
work=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-peers.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$tools/bin/peers" -tools "$tools" -work "$work" -data "${BAYESTREAM_DATA:-}" "$@"
