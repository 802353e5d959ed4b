"""The others' side of `mini-bert bench train`, as a process: python -m benchmarks.train CONTESTANT ROWS MICRO_BATCH."""

import sys
from importlib.util import find_spec

from mini_bert.cli.turns import seconds_of, serve
from mini_bert.training.memory import peak_resident_bytes
from mini_bert.training.parallel import available_cores

for needed in ("torch", "transformers"):
    if find_spec(needed) is None:  # known at once, without the seconds that importing them takes
        raise ModuleNotFoundError(f"no {needed}", name=needed)


def main() -> None:
    import torch

    from benchmarks.contestants import huggingface, tuned_pytorch

    torch.set_num_threads(len(available_cores()))
    name, rows, micro_batch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    make = {"huggingface": huggingface, "pytorch": tuned_pytorch}[name]
    step = make(micro_batch, rows // micro_batch)
    serve({"step": seconds_of(step), "memory": lambda: {"resident": peak_resident_bytes()}})


if __name__ == "__main__":
    main()
