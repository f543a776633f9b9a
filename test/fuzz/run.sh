#!/usr/bin/env bash
# Runs every fuzz target for a time, two at once, and fails if one of them fails. The decoders among them also check
# that what they allocate is at most 32 times the input and a MiB (internal/testing/alloctest).
#
#   test/fuzz/run.sh                 10 seconds each; .ci/run gives 4
#   test/fuzz/run.sh 10m             the long run
#   test/fuzz/run.sh 1m ./internal/shell/wire ./internal/shell/stream
#
# Inputs are not made smaller, which takes most of the time of a slow target. An input that fails is kept in the package,
# in testdata/fuzz/NAME, and from then on is part of "go test". Turn it into a plain test before mending the cause.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

time=${1:-10s}
shift || true
packages=("${@:-./...}")
work=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
export work time

# passes_again: succeeds if the inputs that one() has kept pass in a new process, and then throws away the last one.
passes_again() {
  local input
  input=$(sed -n 's/.*Failing input written to \(.*\)/\1/p' "$log")
  (cd "$folder" && [ -f "$input" ] && timeout 10 "$binary" -test.run="^$target\$" >>"$log" 2>&1 && rm "$input" &&
    rmdir -p --ignore-fail-on-non-empty "$(dirname "$input")")
}
export -f passes_again

# one PACKAGE DIRECTORY BINARY TARGET: runs a target in the directory of its package, as go test does.
one() {
  local package=$1 folder=$2 binary=$3 target=$4 log said=
  log="$work/${package//\//_}.$target"
  if (cd "$folder" && "$binary" -test.run='^$' -test.fuzz="^$target\$" -test.fuzztime="$time" -test.fuzzminimizetime=0s -test.parallel=1 \
    -test.fuzzcachedir="$work/cache/$package") >"$log" 2>&1; then
    said=ok
  elif grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then
    said='ok, late' # the go tool says so now and then when the time of a slow target is up, and no input failed
  elif grep -q 'hung or terminated unexpectedly' "$log" && passes_again; then
    said='ok, held' # a process that is kept from the processor for ten seconds counts as hung, though its input passes
  fi
  if [ -n "$said" ]; then
    printf '%-9s %-45s %-24s %s\n' "$said" "$package" "$target" "$(sed -n 's/.*execs: \([0-9]*\).*/\1 executions/p' "$log" | tail -1)"
    return
  fi
  printf 'FAILED    %s %s\n' "$package" "$target"
  cat "$log"
  return 1
}
export -f one

# Packages with a fuzz target, and their binaries, built for coverage.
while read -r package folder; do
  grep -qs '^func Fuzz' "$folder"/*_test.go || continue
  binary="$work/$(basename "$package").$RANDOM.test"
  go test -c -fuzz=. -o "$binary" "$package"
  grep -ho '^func Fuzz[A-Za-z0-9]*' "$folder"/*_test.go | while read -r _ target; do
    printf '%s\0%s\0%s\0%s\0' "$package" "$folder" "$binary" "$target"
  done >>"$work/targets"
done < <(go list -f '{{.ImportPath}} {{.Dir}}' "${packages[@]}")

xargs -0 -n 4 -P 2 bash -c 'one "$@"' one <"$work/targets"
