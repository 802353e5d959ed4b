#!/bin/bash
# sbatch examples/cluster/slurm.sh            begins a run, or goes on with it
#SBATCH --job-name=mini-bert
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=16      # ranks on each machine
#SBATCH --cpus-per-task=1         # threads of each rank
#SBATCH --time=24:00:00
#SBATCH --signal=TERM@300         # five minutes before the end: all ranks stop together, and save
#SBATCH --open-mode=append

set -euo pipefail
run=${RUN:-runs/cluster}
if [ -e "$run/config.yaml" ]; then
  options=(--resume "$run")
else
  options=(--preset small --corpus "books/*.txt" --batch 1024 --minutes 10000 --out "$run")
fi

# A rank that dies must take the others with it: they would wait for it.
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1}      # srun does not ask sbatch for it
srun --mpi=pmi2 --kill-on-bad-exit=1 mini-bert train "${options[@]}"
