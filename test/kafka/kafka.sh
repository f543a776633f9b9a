#!/usr/bin/env bash
# Apache Kafka for tests, on 127.0.0.1 only, from jars that Maven downloads once.
#
#   kafka.sh start   DIR PORT       format DIR and start one node that listens on PORT
#   kafka.sh cluster DIR PORT [N]   the same with N nodes (3), on PORT, PORT+2, ...
#   kafka.sh up      DIR [NODE]     start again what is down, with the data it has
#   kafka.sh stop    DIR [NODE]     stop, and wait until it has stopped
#   kafka.sh kill    DIR [NODE]     kill -9
#   kafka.sh status  DIR            a line per node; fails unless all are up
#   kafka.sh tool    CLASS [ARG...] run a program of Kafka's own; bin/ has those that docs/quickstart.md types
#
# Each node has a folder DIR/node-1, ... with its data, log and process id, and
# the port after its own for the controller. Starting prints the addresses, ready
# for BAYESTREAM_KAFKA, once every node answers. A cluster replicates everything
# to all nodes and needs all but one for a write.
#
# Environment: KAFKA_LIBS    folder of the jars (one in ~/.cache/bayestream for each pom.xml)
#              KAFKA_HEAP    heap of a node (512m)
#              KAFKA_PROPS   more lines for the server.properties of new nodes
#              KAFKA_PATIENCE  seconds to wait for a start or a stop (120)
# Needs Java 17, and Maven for the first start.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$here/pom.xml")
libs=${KAFKA_LIBS:-${XDG_CACHE_HOME:-$HOME/.cache}/bayestream/kafka-$version-$(cksum < "$here/pom.xml" | cut -d ' ' -f 1)}
heap=${KAFKA_HEAP:-512m}
patience=${KAFKA_PATIENCE:-120}

die() {
  echo "kafka.sh: $*" >&2
  exit 1
}

usage() {
  sed -n '2,23s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# download fills the folder of jars, in one move so that an interrupted download
# is not taken for a whole one.
download() {
  [ -d "$libs" ] && return
  command -v mvn >/dev/null || die "Maven is missing: install it, or set KAFKA_LIBS to a folder with the jars of Kafka $version"
  mkdir -p "$(dirname "$libs")"
  local partial
  partial=$(mktemp -d "$libs.XXXXXX")
  mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$partial" >&2 ||
    { rm -rf "$partial"; die "Maven could not download Kafka $version"; }
  # Somebody else may have been faster.
  mv -T "$partial" "$libs" 2>/dev/null || rm -rf "$partial"
}

# java_for runs a class of Kafka.
java_for() {
  java -Xms64m -Xmx"$heap" -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true \
    -Dlog4j2.configurationFile="$here/log4j2.properties" -cp "$libs/*" "$@"
}

# tool runs a program of Kafka's own. Without a configuration log4j shows errors only: standard output is the program's.
tool() {
  download
  exec java -Xmx256m -XX:+UseSerialGC -Djava.awt.headless=true -cp "$libs/*" "$@"
}

# running: is the process of a node alive, and is it Kafka's?
running() {
  local pid
  pid=$(cat "$1/pid" 2>/dev/null) || return 1
  [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && ps -o args= -p "$pid" | grep -q 'kafka\.Kafka'
}

# configure writes the settings of node $2 of $3 into its folder $1; $4 is the
# port of the first node.
configure() {
  local node=$1 id=$2 count=$3 first=$4
  local port=$((first + 2 * (id - 1))) quorum='' i
  for ((i = 1; i <= count; i++)); do
    quorum+="${quorum:+,}$i@127.0.0.1:$((first + 2 * i - 1))"
  done
  local enough=$((count > 1 ? count - 1 : 1))
  cat > "$node/server.properties" <<END
node.id=$id
process.roles=broker,controller
controller.quorum.voters=$quorum
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$((port + 1))
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=$node/data

# What users' clusters have, and what tests rely on.
auto.create.topics.enable=false
default.replication.factor=$count
min.insync.replicas=$enough
offsets.topic.replication.factor=$count
transaction.state.log.replication.factor=$count
transaction.state.log.min.isr=$enough
share.coordinator.state.topic.replication.factor=$count
share.coordinator.state.topic.min.isr=$enough

# Small and quick: few internal partitions, no pause before a first rebalance, and
# a killed node is let back in after 3 s, not 9.
offsets.topic.num.partitions=8
transaction.state.log.num.partitions=8
share.coordinator.state.topic.num.partitions=2
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
controlled.shutdown.max.retries=1
num.network.threads=2
num.io.threads=4
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=16777216
log.segment.delete.delay.ms=1000
${KAFKA_PROPS:-}
END
  echo "127.0.0.1:$port" > "$node/address"
}

# create makes the folders of a cluster and formats them.
create() {
  local dir=$1 first=$2 count=$3 id node
  [ ! -e "$dir/node-1" ] || die "$dir has nodes already: use 'up', or another folder"
  local cluster
  cluster=$(java_for kafka.tools.StorageTool random-uuid)
  for ((id = 1; id <= count; id++)); do
    node=$dir/node-$id
    mkdir -p "$node"
    configure "$node" "$id" "$count" "$first"
    java_for kafka.tools.StorageTool format -t "$cluster" -c "$node/server.properties" > "$node/format.log" 2>&1 ||
      { cat "$node/format.log" >&2; die "$node could not be formatted"; }
  done
}

# launch starts a node in a session of its own, so that neither a closed terminal
# nor ctrl-C for the tests ends it.
launch() {
  local node=$1
  running "$node" && return
  : > "$node/log"
  setsid java -Xms"$heap" -Xmx"$heap" -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true \
    -Dlog4j2.configurationFile="$here/log4j2.properties" -cp "$libs/*" \
    kafka.Kafka "$node/server.properties" >> "$node/log" 2>&1 < /dev/null &
  echo $! > "$node/pid"
}

# await_ready waits for the line that says that a node serves clients. Its process is
# asked for by number alone: for a moment it is still the shell that becomes Java.
await_ready() {
  local node=$1 end=$((SECONDS + patience))
  until grep -q 'Kafka Server started' "$node/log"; do
    kill -0 "$(cat "$node/pid")" 2>/dev/null || { tail -n 20 "$node/log" >&2; die "$node ended while it started"; }
    [ $SECONDS -lt $end ] || { tail -n 5 "$node/log" >&2; die "$node is not ready after $patience s"; }
    sleep 0.1
  done
}

start_all() {
  local node
  for node in "$@"; do launch "$node"; done
  for node in "$@"; do await_ready "$node"; done
  cat "${@/%//address}" | paste -sd,
}

# finish sends a signal to a node and waits for its end.
finish() {
  local node=$1 signal=$2 pid end=$((SECONDS + patience))
  if running "$node"; then
    pid=$(cat "$node/pid")
    kill -"$signal" "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do
      if [ $SECONDS -ge $end ]; then
        echo "kafka.sh: $node does not stop within $patience s and is killed" >&2
        kill -KILL "$pid" 2>/dev/null || true
        end=$((SECONDS + patience))
      fi
      sleep 0.1
    done
  fi
  rm -f "$node/pid"
}

# finish_all ends all nodes at the same time: a quorum that is stopped one by one
# waits for the majority it has lost.
finish_all() {
  local signal=$1 node
  shift
  for node in "$@"; do finish "$node" "$signal" & done
  wait
}

[ $# -ge 2 ] || usage
command=$1
case $command in
  tool)
    shift
    tool "$@"
    ;;
  start | cluster) mkdir -p "$2" ;;
esac
dir=$(cd "$2" 2>/dev/null && pwd) || die "there is no folder $2"

case $command in
  start | cluster)
    first=${3:-}
    count=1
    [ "$command" = start ] || count=${4:-3}
    [[ $first =~ ^[0-9]+$ && $count =~ ^[1-9]$ ]] || usage
    download
    create "$dir" "$first" "$count"
    ;;
  up) download ;;
  stop | kill | status) ;;
  *) usage ;;
esac

nodes=("$dir"/node-*)
if [ "$command" != start ] && [ "$command" != cluster ] && [ -n "${3:-}" ]; then
  nodes=("$dir/node-$3")
fi
[ -d "${nodes[0]}" ] || die "there is no node at ${nodes[0]}"

case $command in
  start | cluster | up) start_all "${nodes[@]}" ;;
  stop) finish_all TERM "${nodes[@]}" ;;
  kill) finish_all KILL "${nodes[@]}" ;;
  status)
    down=0
    for node in "${nodes[@]}"; do
      if running "$node"; then
        echo "$(basename "$node") up $(cat "$node/address") pid $(cat "$node/pid")"
      else
        echo "$(basename "$node") down $(cat "$node/address")"
        down=1
      fi
    done
    exit $down
    ;;
esac
