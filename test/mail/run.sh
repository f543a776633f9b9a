#!/usr/bin/env bash
# Compares what is read of generated and mutated mails with what Python's email reads.
#
#   test/mail/run.sh                a seed of its own, which it prints, and 3000 mails
#   test/mail/run.sh 12345 500      that seed, and 500 mails
#   test/mail/run.sh browser 1 0 FOLDER    what Chromium shows of the mails in a folder; of 1000 mutated ones if 0 is 1000
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v python3 >/dev/null; then
  echo "run.sh: skipped, python3 is not here: the comparison with its email needs it"
  exit 0
fi
program=$(mktemp "${TMPDIR:-/tmp}/bayestream-mail.XXXXXX")
trap 'rm -f "$program"' EXIT
go build -o "$program" ./test/mail
if [ "${1:-}" = browser ]; then
  python3 test/mail/browser.py "$program" "${@:2}"
  exit
fi
python3 test/mail/compare.py "$program" "${1:-$((RANDOM << 15 | RANDOM))}" "${2:-3000}"
