#!/usr/bin/env bash
# Opens the project's pages in Chromium and checks what can be measured there.
#
#   test/browser/run.sh                       all of them
#   test/browser/run.sh -run Regions -v       flags of go test
#   test/kafka/run.sh test/browser/run.sh     with the scenario of two classify on a real Kafka
#
# Environment: BAYESTREAM_CHROMIUM     the browser (chromium, or another name of it, in the PATH)
#              BAYESTREAM_DATA         folder with the large data sets; without it there are no pages of these
#              BAYESTREAM_SCREENSHOTS  folder in which pictures of all pages are kept; it must be there
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for name in chromium chromium-browser google-chrome; do
  : "${BAYESTREAM_CHROMIUM:=$(command -v "$name" || true)}"
done
if [ -z "$BAYESTREAM_CHROMIUM" ]; then
  echo "run.sh: Chromium is not here: install the package chromium, or set BAYESTREAM_CHROMIUM" >&2
  exit 1
fi
export BAYESTREAM_CHROMIUM

folder=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-browser.XXXXXX")
trap 'rm -rf "$folder"' EXIT
export BAYESTREAM_BINARY=$folder/bayestream
go build -o "$BAYESTREAM_BINARY" ./cmd/bayestream
echo "run.sh: $("$BAYESTREAM_CHROMIUM" --version)" >&2

tags=browser
[ -z "${BAYESTREAM_DATA:-}" ] || tags+=,largesets
[ -z "${BAYESTREAM_KAFKA:-}" ] || tags+=,kafka
# Not exec: the trap has to run after it.
go test -tags "$tags" -count=1 -timeout 9m ./test/browser/ "$@"
