#!/usr/bin/env bash
# Measures each model on public data and prints the tables of bench/RESULTS.md.
#
#   bench/quality.sh              all sets
#   bench/quality.sh sms iris     some of: sms bbc2 bbc agnews reuters spambase iris wine cancer
#   bench/quality.sh compare      the default and the presets beside other classifiers, on the same ten splits; hours
#   bench/quality.sh halves       the presets on halves that had no part in the choice
#   bench/quality.sh small        stems and words of one character, with 50 to 1,000 documents to learn from; minutes
#   bench/quality.sh compare -seeds 3 -sets sms,mail -only bayestream,bogofilter
#
# Every row is `bayestream eval --cv=10 --json` with the seed 1, learned and tested ten times. The sets bbc2, bbc, agnews
# and reuters may not be republished: they are read from the folder BAYESTREAM_DATA, and without it left out of all sets.
# PROGRAM is the path of a bayestream; without it the script builds one.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=testdata/data
large=${BAYESTREAM_DATA:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/bayestream-quality.XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ -n "${PROGRAM:-}" ]; then
  cp "$PROGRAM" "$work/bayestream"
else
  go build -o "$work/bayestream" ./cmd/bayestream
fi

# value NAME: prints the first value of the name in the JSON on standard input, which is that of all classes.
value() { grep -o "\"$1\":[-0-9.e]*" | head -1 | cut -d: -f2; }

# row SET MODEL ARG...: evaluates and prints a row.
row() {
  local set=$1 model=$2 json classes
  shift 2
  json=$(nice "$work/bayestream" eval --cv=10 --json "$@")
  classes=$(grep -o '"labels":\[[^]]*\]' <<<"$json" | head -1 | grep -o '"[^",]*"[],]' | wc -l)
  printf '| %s | %s | %d | %d | %.4f | %.4f | %.4f | %.4f | %.1f |\n' "$set" "$model" "$(value n <<<"$json")" "$classes" \
    "$(value accuracy <<<"$json")" "$(value macro_f1 <<<"$json")" "$(value log_loss <<<"$json")" "$(value ece <<<"$json")" "$(value seconds <<<"$json")"
}

# texts SET FILE...: prints the rows of the event models of text.
texts() {
  local set=$1 model
  shift
  for model in multinomial bernoulli complement; do row "$set" "$model" --likelihood="$model" "$@"; done
}

# need_large SET: stops if the folder of the large sets is not set.
need_large() {
  [ -n "$large" ] || { echo "quality.sh: $1: set BAYESTREAM_DATA to the folder of the large sets" >&2; exit 2; }
}

# rows SET FILE [GAUSSIAN QDA]: prints the rows of the densities over all columns; GAUSSIAN and QDA are added to specs.
rows() {
  local set=$1 file=$2 fields
  fields=$(gzip -dcf "$file" | sed -n 1p | sed 's/,label$//; s/[^,][^,]*/"&"/g')
  density() {
    echo "numbers: [{fields: [$fields], likelihood: $2${3:+, $3}}]" >"$work/spec.yaml"
    row "$set" "$1${3:+, \`$3\`}" --spec="$work/spec.yaml" "$file"
  }
  density 'naive Gaussian' gaussian "${3:-}"
  density LDA lda
  density QDA qda "${4:-}"
}

# of SET: prints the rows of a set.
of() {
  case $1 in bbc2 | bbc | agnews | reuters) need_large "$1" ;; esac
  case $1 in
  sms) texts 'SMS spam' "$data/sms_spam.jsonl.gz" ;;
  bbc2)
    gzip -dc "$large/bbc_news.jsonl.gz" | grep -E '"label": *"(politics|sport)"' >"$work/bbc2.jsonl"
    texts 'BBC news, politics against sport' "$work/bbc2.jsonl"
    ;;
  bbc) texts 'BBC news' "$large/bbc_news.jsonl.gz" ;;
  agnews) texts 'AG News, test half' "$large/ag_news.test.jsonl.gz" ;;
  reuters) texts 'Reuters-21578, ModApte' "$large"/reuters21578_modapte_single.{train,test}.jsonl.gz ;;
  spambase) rows Spambase "$data/spambase.csv.gz" 'var_smoothing: 1e-9' 'reg_param: 0.01' ;;
  iris) rows Iris "$data/iris.csv" ;;
  wine) rows Wine "$data/wine.csv" ;;
  cancer) rows 'Breast cancer' "$data/breast_cancer_wdbc.csv.gz" ;;
  *)
    echo "quality.sh: unknown set $1" >&2
    exit 2
    ;;
  esac
}

# countings FLAG...: compares ways of counting, on halves of sets or with small training sets.
countings() {
  mkdir -p "$work/bin"
  mv "$work/bayestream" "$work/bin/"
  go build -o "$work/quality" ./bench/quality
  nice -n 19 "$work/quality" -tools "$work" -work "$work" -data "$large" "$@"
}

# compare FLAG...: compares with other classifiers.
compare() {
  local tools=${XDG_CACHE_HOME:-$HOME/.cache}/bayestream/peers
  mkdir -p "$tools/bin"
  bench/peers/python.sh "$tools" >&2
  command -v bogofilter >/dev/null || echo 'quality.sh: bogofilter is missing (Debian: apt-get install bogofilter) and left out' >&2
  cp "$work/bayestream" "$tools/bin/"
  go build -o "$tools/bin/quality" ./bench/quality
  nice -n 19 "$tools/bin/quality" -tools "$tools" -work "$work" -data "$large" "$@"
}

if [ "${1:-}" = compare ]; then
  shift
  compare "$@"
  exit
fi
if [ "${1:-}" = halves ] || [ "${1:-}" = small ]; then
  mode=-$1
  shift
  countings "$mode" "$@"
  exit
fi
echo '| data | model | documents | classes | accuracy | macro F1 | log loss | ECE | seconds |'
echo '|---|---|---|---|---|---|---|---|---|'
[ $# -gt 0 ] || set -- sms ${large:+bbc2 bbc agnews reuters} spambase iris wine cancer
for set in "$@"; do of "$set"; done
