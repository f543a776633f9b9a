#!/usr/bin/env bash
# Compares the benchmarks of this checkout with those of another commit, with benchstat.
#
#   bench/compare.sh            with the commit where this branch left origin/main, or with the one before
#   bench/compare.sh v1.2.0     with that one
#
# The benchmarks run the hot path on the project's own news, both sides in turn so that other load of the machine affects
# both: B/cpu-s is text in a second of processor time. A difference does not change the exit code. BENCH, COUNT and TIME
# change the benchmarks and their length.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
BENCH=${BENCH:-'^Benchmark(Classify|Learn|Predict)$/^news$'} COUNT=${COUNT:-6} TIME=${TIME:-200ms}
PERF=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da

# package prints the package of a checkout with the benchmarks, which may differ between the two commits.
package() { (cd "$1" && dirname "./$(git grep -l '^func BenchmarkClassify(' -- '*_test.go' | head -1)"); }

# base prints the commit to compare with, nothing if none exists.
base() {
  local head candidate
  head=$(git rev-parse --verify --quiet HEAD) || return 0
  if candidate=$(git merge-base HEAD origin/main 2>/dev/null) && [ "$candidate" != "$head" ]; then
    echo "$candidate"
  elif ! git diff --quiet HEAD -- '*.go' go.mod; then
    echo "$head" # the change is not committed yet
  else
    git rev-parse --verify --quiet HEAD~1 || true
  fi
}

if (($#)); then
  from=$(git rev-parse --verify "$1^{commit}")
else
  from=$(base)
  [ -n "$from" ] || { echo 'compare.sh: nothing to compare with: a shallow clone, or the first commit'; exit 0; }
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-compare.XXXXXX")
trap 'git worktree remove --force "$work/base" 2>/dev/null; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/base" "$from"

after=$(package .) before=$(package "$work/base")
go test -c -o "$work/after.test" "$after"
(cd "$work/base" && go test -c -o "$work/before.test" "$before") || {
  echo "compare.sh: the benchmarks of $from cannot be built: nothing to compare with"
  exit 0
}
cd "$after"
for ((i = 0; i < COUNT; i++)); do
  for side in before after; do
    "$work/$side.test" -test.run '^$' -test.bench "$BENCH" -test.benchtime "$TIME" -test.timeout 5m >>"$work/$side.txt"
  done
done
echo "before: $(git log -1 --format='%h %s' "$from")"
sides=(before="$work/before.txt" after="$work/after.txt")
grep -q '^Benchmark' "$work/before.txt" || { echo 'which has none of these benchmarks'; sides=(after="$work/after.txt"); }
go run "$PERF" -ignore pkg "${sides[@]}" || {
  echo 'compare.sh: benchstat is not available; the figures without it:'
  grep -H '^Benchmark' "${sides[@]#*=}"
}
