#!/usr/bin/env bash
# Measures the workers on a real Kafka, beside a bare copy loop: starts a broker on loopback, runs
# bench/throughput on it, and stops the broker. Flags are passed on:
#
#   bench/kafka.sh
#   bench/kafka.sh --messages 1000000 --rounds 5
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
KAFKA_HEAP=${KAFKA_HEAP:-1g} exec test/kafka/run.sh go run ./bench/throughput "$@"
