#!/usr/bin/env bash
# Measures the cost of Bayestream over the number of terms and classes and the size of the model file, and prints tables
# in Markdown. Needs about 6 GB of memory and 10 minutes; flags are passed on:
#
#   bench/growth.sh
#   bench/growth.sh -only terms -terms 1e4,1e5,1e6
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec go run ./bench/growth "$@"
