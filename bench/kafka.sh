#!/usr/bin/env bash
# Measures the workers on a real Kafka, in comparison with a copy loop and a consumer with scikit-learn: starts a broker
# on loopback, runs bench/throughput on it, and stops the broker. The consumer needs Python 3: its packages are installed
# into the user's cache; if that fails, it is left out. Flags are passed on:
#
#   bench/kafka.sh
#   bench/kafka.sh --messages 1000000 --rounds 5
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=${XDG_CACHE_HOME:-$HOME/.cache}/bayestream/kafka-venv

python=()
if [ -x "$venv/bin/ready" ] || {
  command -v python3 >/dev/null && python3 -m venv "$venv" &&
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check confluent-kafka==2.16.1 scikit-learn==1.9.1 &&
    install -m 755 /dev/null "$venv/bin/ready"
}; then
  python=(--python "$venv/bin/python")
else
  echo 'kafka.sh: no consumer with scikit-learn: it needs Python 3, confluent-kafka and scikit-learn' >&2
fi
KAFKA_HEAP=${KAFKA_HEAP:-1g} exec test/kafka/run.sh go run ./bench/throughput "${python[@]}" "$@"
