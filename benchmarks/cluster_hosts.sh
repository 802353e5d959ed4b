#!/bin/bash
# Two hosts on one machine: network namespaces with a slow link between them, as root, on Linux.
#
#   benchmarks/cluster_hosts.sh up 1gbit
#   python -m benchmarks.cluster --launch "$(benchmarks/cluster_hosts.sh options)"
#   mpiexec $(benchmarks/cluster_hosts.sh options) -n 2 mini-bert train --config debugging
#   benchmarks/cluster_hosts.sh down
set -euo pipefail
bridge=mini-bert0 net=10.97.0

case ${1:-} in
up)
  ip link add $bridge type bridge
  ip addr add $net.254/24 dev $bridge
  ip link set $bridge up
  for host in 1 2; do
    ip netns add mini-bert$host
    ip link add mini-bert-b$host type veth peer name mini-bert-h$host
    ip link set mini-bert-b$host master $bridge up
    ip link set mini-bert-h$host netns mini-bert$host
    ip -n mini-bert$host addr add $net.$host/24 dev mini-bert-h$host
    ip -n mini-bert$host link set lo up
    ip -n mini-bert$host link set mini-bert-h$host up
    for where in "dev mini-bert-b$host" "dev mini-bert-h$host"; do
      in_it=$([ "$where" = "dev mini-bert-h$host" ] && echo "-n mini-bert$host" || true)
      tc $in_it qdisc add $where root tbf rate "${2:-1gbit}" burst 128kb latency 50ms
    done
  done
  ;;
down)
  ip netns del mini-bert1
  ip netns del mini-bert2
  ip link del $bridge
  ;;
options) # MPI would find that both are one machine, and use its memory
  echo "-launcher ssh -launcher-exec $(realpath "$0") -localhost $net.254 -hosts $net.1,$net.2" \
    "-genv MPIR_CVAR_NOLOCAL 1 -genv UCX_TLS tcp"
  ;;
*) # called by mpiexec as if it were ssh: [-x] HOST COMMAND
  while [[ ${1:-} == -* ]]; do shift; done
  exec ip netns exec "mini-bert${1##*.}" bash -c "${*:2}"
  ;;
esac
