#!/bin/bash
# Machines that ssh reaches without a password, the package at the same path on each; no scheduler. Start it on the
# first of them, or with RUN on a disk that both see: the run lies where rank 0 is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
run=${RUN:-$PWD/run}
if [ -e "$run/config.yaml" ]; then
  options=(--resume "$run")
else
  options=(--preset small --corpus world --batch 256 --out "$run")
fi
mpiexec -launcher ssh -f hosts.txt -n 8 mini-bert train "${options[@]}"
