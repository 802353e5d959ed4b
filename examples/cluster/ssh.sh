#!/bin/bash
# Machines that ssh reaches without a password, the package at the same path on each; no scheduler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mpiexec -launcher ssh -f hosts.txt -n 8 mini-bert train --preset small --corpus world --batch 256 --out "${RUN:-$PWD/run}"
