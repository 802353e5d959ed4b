"""Our side of `mini-bert bench inference`, as a process: python -m mini_bert.cli.bench_inference_ours SHAPE."""

from __future__ import annotations

import sys

from mini_bert.cli.bench_shapes import SHAPES
from mini_bert.cli.turns import seconds_of, serve
from mini_bert.inference.forward import Predictor
from mini_bert.models.mini import MiniBERT
from mini_bert.training.memory import peak_resident_bytes


def main(shape: str) -> None:
    texts = SHAPES[shape]
    ids, positions = texts.draw()
    with Predictor(MiniBERT(texts.config)) as predictor:
        serve(
            {
                "step": seconds_of(lambda: predictor.logits(ids, positions=positions)),
                "memory": peak_resident_bytes,
            }
        )


if __name__ == "__main__":
    main(sys.argv[1])
