#!/usr/bin/env bash
# Types the commands of docs/quickstart.md and of docs/registry.md, each on an Apache Kafka that starts and ends with them:
# those of Bayestream, of Kafka's console tools and of Python, whose client goes into a virtual environment in the user's
# cache. The schema registry is Apicurio, from Maven.
set -euo pipefail

APICURIO=3.0.9 # the last one for Java 17
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bayestream
venv=$cache/quickstart-venv
registry=$cache/apicurio-$APICURIO

# The copy of the requirements is the sign that all of them are in.
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  rm -rf "$venv"
  mkdir -p "$cache"
  python3 -m venv "$venv" || { echo "run.sh: python3 -m venv failed: install the package python3-venv" >&2; exit 1; }
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi
export BAYESTREAM_PYTHON=$venv/bin/python
if [ ! -d "$registry" ]; then
  work=$(mktemp -d "$cache/apicurio.XXXXXX")
  mvn --quiet --batch-mode dependency:copy -Dartifact="io.apicurio:apicurio-registry-app:$APICURIO:tar.gz:all" -DoutputDirectory="$work"
  tar -xzf "$work"/*.tar.gz -C "$work" && rm "$work"/*.tar.gz
  mv "$work" "$registry"
fi
export BAYESTREAM_REGISTRY_JAR=$registry/apicurio-registry-app-$APICURIO-runner.jar
"$here/../kafka/run.sh" go test -count=1 -run Quickstart ./test/quickstart
"$here/../kafka/run.sh" go test -count=1 -run Registry ./test/quickstart
