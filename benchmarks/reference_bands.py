"""python -m benchmarks.reference_bands: train sound runs of many kinds and write how their figures spread.

Writes mini_bert/diagnosis/bands.json. Two cores take about five minutes. Seeds 0 to 4 are for this; the museum is
judged by other seeds (python -m benchmarks.museum).
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from mini_bert.diagnosis import bands
from mini_bert.diagnosis.figures import MEANINGS, Figures
from mini_bert.diagnosis.measuring import examined
from mini_bert.diagnosis.museum.exhibit import Exhibit
from mini_bert.files import write_atomically

SOUND = Exhibit("sound", "There is none.", "")
SMALL, MINI = {"preset": "small"}, {"preset": "mini"}
DOCS = {"corpus": ["python-docs"]}


def rate(value: float) -> dict[str, Any]:
    return {"optimizer": {"learning_rate": value}}


RUNS: list[tuple[int, int, dict[str, Any]]] = [
    (0, 300, rate(1e-3)),
    (1, 120, rate(3e-3)),
    (2, 120, rate(1e-2)),
    (3, 120, rate(5e-3)),
    (4, 600, rate(5e-3)),
    (0, 120, rate(1e-2) | DOCS),
    (1, 240, rate(3e-3) | DOCS),
    (2, 120, {"model": {"residual": "pre-norm", "activation": "gelu"}}),
    (3, 120, {"optimizer": {"kind": "lion", "learning_rate": 1e-3}}),
    (0, 120, {"optimizer": {"kind": "sgd", "learning_rate": None}}),
    (4, 120, {"masking": {"kind": "whole-words", "share": 0.3}, "packed": False}),
    (0, 120, {"schedule": {"kind": "cosine", "warmup": 0.2}, "clipping": {"kind": "none"}}),
    (1, 120, {"model": {"num_layers": 4, "dropout": 0.1}}),
    (2, 120, {"batch": {"size": 8, "micro": 8}, "optimizer": {"weight_decay": 0.1}}),
    (0, 200, SMALL | rate(1e-3)),
    (1, 200, SMALL | rate(5e-3) | DOCS),
    (2, 200, SMALL | rate(2e-3) | {"model": {"tied": True, "residual": "pre-norm"}}),
    (0, 80, MINI | rate(1e-3)),
    (3, 80, MINI | rate(3e-3) | DOCS),
]
"""(seed, steps, settings)"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(bands.__file__).with_name(bands.FILE))
    out = parser.parse_args().out
    measured: list[Figures] = []
    start = perf_counter()
    with TemporaryDirectory() as folder:
        for number, (seed, steps, settings) in enumerate(RUNS):
            case = examined(SOUND.train(Path(folder) / str(number), seed, steps, **settings))
            measured.append(case.figures)
            print(f"{perf_counter() - start:4.0f} s  {seed} {steps} {settings} {case.notes}", file=sys.stderr)
    note = f"figures of {len(RUNS)} sound runs, seeds 0 to 4; made by python -m benchmarks.reference_bands"
    content = {"note": note, "figures": spreads(measured)}
    write_atomically(out, (json.dumps(content, indent=1) + "\n").encode())


def spreads(measured: list[Figures]) -> dict[str, dict[str, float]]:
    """The lowest, middle and highest value of each figure, and in how many runs it was known."""
    found = {}
    for name in MEANINGS:
        values = [figures[name].value for figures in measured if name in figures]
        if values:
            found[name] = {
                "lowest": float(f"{min(values):.4g}"),
                "median": float(f"{median(values):.4g}"),
                "highest": float(f"{max(values):.4g}"),
                "runs": len(values),
            }
    return found


if __name__ == "__main__":
    main()
