#!/usr/bin/env bash
# The console producer of Kafka, as in the folder bin of its distribution.
exec "$(dirname "${BASH_SOURCE[0]}")/../kafka.sh" tool org.apache.kafka.tools.ConsoleProducer "$@"
