"""python -m benchmarks: ms per training step in one run that alternates the contestants, and the ratios."""

from statistics import median
from time import perf_counter

import torch

from benchmarks.contestants import huggingface, tuned_pytorch
from benchmarks.ours import mini_bert

ROUNDS = 15


def main() -> None:
    torch.set_num_threads(2)
    for B, micro in ((8, 1), (8, 4)):
        makers = {"Mini-BERT": mini_bert, "tuned PyTorch": tuned_pytorch, "HuggingFace": huggingface}
        steps = {name: make(B, micro) for name, make in makers.items()}
        times: dict[str, list[float]] = {name: [] for name in steps}
        for step in steps.values():
            step()
        for _ in range(ROUNDS):
            for name, step in steps.items():
                start = perf_counter()
                step()
                times[name].append(perf_counter() - start)
        ours = median(times["Mini-BERT"])
        print(f"{micro} x {B} x 64 tokens")
        for name, spent in times.items():
            print(
                f"  {name:<14}{1e3 * median(spent):8.1f} ms   {median(spent) / ours:5.2f} x Mini-BERT's time"
            )


if __name__ == "__main__":
    main()
