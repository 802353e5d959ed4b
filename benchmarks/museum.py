"""python -m benchmarks.museum: is every planted mistake recognized, and is no sound run suspected?

Seeds are others than those the bands were measured with. Sound runs vary presets, text, learning rates, optimizers
and tasks; with $MINI_BERT_DATA also a real text is read.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mini_bert.diagnosis.diagnosis import diagnose
from mini_bert.diagnosis.museum.exhibit import STEPS, Exhibit
from mini_bert.diagnosis.museum.exhibits import EXHIBITS

SEEDS = (11, 12, 13)
SOUND = Exhibit("sound", "There is none.", "")
DOCS = {"corpus": ["python-docs"]}


def rate(value: float) -> dict[str, Any]:
    return {"optimizer": {"learning_rate": value}}


def own_rate(kind: str) -> dict[str, Any]:
    """An optimizer with the learning rate and the decay that it has by default."""
    return {"optimizer": {"kind": kind, "learning_rate": None}}


HEALTHY: tuple[tuple[int, int, dict[str, Any]], ...] = (
    (11, 120, {}),
    (12, 200, rate(2e-3)),
    (13, 120, rate(1.5e-2)),
    (14, 120, DOCS),
    (15, 120, rate(1e-2) | {"model": {"residual": "pre-norm", "positions": "rotary"}} | DOCS),
    (26, 150, {"optimizer": {"kind": "lamb", "learning_rate": 2e-2}}),
    (27, 120, own_rate("sgd")),
    (28, 120, own_rate("lion")),
    (29, 120, own_rate("sophia")),
    (30, 120, {"optimizer": {"kind": "sgd", "learning_rate": 0.5}}),
    (31, 120, {"curriculum": {"kind": "rarity", "until": 1.0}, "averaging": {"kind": "lookahead"}}),
    (17, 120, {"second_task": {"kind": "sentence-order"}}),
    (18, 120, {"averaging": {"kind": "ema", "decay": 0.95}, "masking": {"kind": "spans"}}),
    (19, 150, {"preset": "small"} | rate(2e-3)),
    (20, 150, {"preset": "small"} | rate(4e-3) | DOCS),
    (21, 60, {"preset": "mini"} | rate(1e-3)),
    (22, 60, {"preset": "mini"} | rate(2e-3) | DOCS),
)
"""(seed, steps, settings)"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", choices=["planted", "sound"])
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        if options.only != "sound":
            for entry in EXHIBITS:
                for seed in options.seeds:
                    found = diagnose(entry.train(Path(folder) / f"{entry.name}-{seed}", seed, options.steps))
                    names = [finding.cause.name for finding in found.findings]
                    results.append(told(f"{entry.name}, seed {seed}", entry.cause, names))
        if options.only != "planted":
            for number, (seed, steps, settings) in enumerate((*HEALTHY, *real_text())):
                found = diagnose(SOUND.train(Path(folder) / f"sound-{number}", seed, steps, **settings))
                names = [finding.cause.name for finding in found.findings]
                results.append(told(f"sound, seed {seed}, {steps} steps, {settings}", None, names))
    right = sum(result["right"] for result in results)
    print(json.dumps({"runs": len(results), "right": right, "results": results}, indent=1))
    return 0 if right == len(results) else 1


def told(run: str, expected: str | None, causes: list[str]) -> dict[str, Any]:
    right = (causes[0] if causes else None) == expected
    print(f"{'right' if right else 'WRONG'}  {run}: {', '.join(causes) or 'healthy'}", file=sys.stderr)
    return {"run": run, "expected": expected, "causes": causes, "right": right}


def real_text() -> tuple[tuple[int, int, dict[str, Any]], ...]:
    folder = os.environ.get("MINI_BERT_DATA")
    if folder is None:
        return ()
    text = str(Path(folder) / "text" / "storybooks.txt.gz")
    return ((23, 120, {"corpus": [text]}), (24, 150, {"preset": "small", "corpus": [text]} | rate(2e-3)))


if __name__ == "__main__":
    sys.exit(main())
