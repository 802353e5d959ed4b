"""A teacher, a student that learns from its answers, and the same student without a teacher."""

import argparse
from pathlib import Path

from mini_bert import TrainingConfig, new_run
from mini_bert.run_reports.history import lines_of, series

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, required=True, help="a folder for the three runs")
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--smoke", action="store_true", help="ten steps on little text")
args = parser.parse_args()

steps = 10 if args.smoke else args.steps
base = {
    "corpus": ["world:200" if args.smoke else "world:5000"],
    "budget": {"steps": steps},
    "logging": {"every": steps, "evaluate_every": steps, "exam_rows": 64},
}
teacher = {
    "model": {"hidden_size": 64, "intermediate_size": 256, "residual": "pre-norm", "positions": "rotary"}
}
student = {"model": {"num_layers": 1, "residual": "pre-norm", "positions": "rotary"}}


def trained(name, changes):
    with new_run(TrainingConfig.named("debugging", base | changes), args.out / name) as trainer:
        trainer.run()
    loss = series(lines_of(trainer.folder), "held_out_loss").values[-1]
    print(f"{name:<8} {trainer.model.num_parameters:>8,} weights, held-out loss {loss:.3f}")


trained("teacher", teacher)
vocabulary = {"tokenizer": str(args.out / "teacher" / "tokenizer")}
trained("taught", student | vocabulary | {"distillation": {"teacher": str(args.out / "teacher")}})
trained("alone", student | vocabulary)
