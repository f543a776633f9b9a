#!/usr/bin/env bash
# Runs a command against a fresh Apache Kafka, stops the broker whatever happens,
# and passes the command's exit code on.
#
#   test/kafka/run.sh                        the Go tests of the packages that use a broker
#   test/kafka/run.sh go test ./internal/shell/stream -run Group -v
#   test/kafka/run.sh bash                   a shell with BAYESTREAM_KAFKA set
#
# Environment: KAFKA_NODES  how many nodes (1); the rest as in kafka.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

# users lists the packages whose tests run on kafkatest's broker, real or not, or need a real one. Those that use a broker
# of their own in the process, or one that is a map, would do the same again. The quickstart needs a broker that nobody has used.
users() {
  local package folder
  go list -f '{{.ImportPath}} {{.Dir}}' ./... | grep -v '^bayestream/test/quickstart ' | while read -r package folder; do
    ! grep -qsE 'kafkatest\.(Start|Dial|Topic)\(|^//go:build kafka' "$folder"/*_test.go || echo "$package"
  done
}

# The scenarios of the command line, which start what they need, and take long.
apart='^(TestScripts|TestBrokenFiles|TestBrokenStandardInput|TestBrokenRecordsAreSkippedAndCounted)$'

# free_port prints a port that is free, and so are the ones for the other nodes
# and the controllers. It stays below those that the system hands out by itself.
free_port() {
  local port next taken
  while :; do
    port=$((20000 + RANDOM % 10000))
    taken=0
    for ((next = port; next < port + 2 * ${KAFKA_NODES:-1}; next++)); do
      ! (: < "/dev/tcp/127.0.0.1/$next") 2>/dev/null || taken=1
    done
    [ $taken = 1 ] || break
  done
  echo "$port"
}

folder=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-kafka.XXXXXX")
cleanup() {
  "$here/kafka.sh" kill "$folder" >/dev/null 2>&1 || true # its data goes with it
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

BAYESTREAM_KAFKA=$("$here/kafka.sh" cluster "$folder" "$(free_port)" "${KAFKA_NODES:-1}")
export BAYESTREAM_KAFKA
export BAYESTREAM_KAFKA_DIR=$folder # for tests that kill nodes
export PATH="$here/bin:$PATH"        # the console tools
export GOFLAGS="${GOFLAGS:-} -tags=kafka"
echo "run.sh: Kafka at $BAYESTREAM_KAFKA" >&2

if [ $# -eq 0 ]; then
  mapfile -t packages < <(users)
  [ ${#packages[@]} -gt 0 ] || { echo "run.sh: no package uses internal/testing/kafkatest" >&2; exit 1; }
  # They share one broker, but no topic and no group, and mostly wait; the one that waits longest comes first.
  set -- go test -count=1 -timeout 20m -p 2 -parallel 4 -skip "$apart" ./test/e2e "${packages[@]}"
fi
# Not exec: the trap has to run after it.
"$@"
