#!/bin/bash
# Machines that ssh reaches without a password, the package at the same path on each; no scheduler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
run=${RUN:-$PWD/run}
if [ -e "$run/config.yaml" ]; then
  options=(--resume "$run")
else
  options=(--preset small --corpus world --batch 256 --out "$run")
fi
mpiexec -launcher ssh -f hosts.txt -n 8 mini-bert train "${options[@]}"
