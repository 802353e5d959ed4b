"""Train on your own text, stop half-way, and go on as if nothing had happened."""

import argparse
from pathlib import Path

from mini_bert import TrainingConfig, from_pretrained, new_run, resumed_run
from mini_bert.inference.fill_mask import fill_mask

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", help="text files; without any, the embedded world")
parser.add_argument("--out", type=Path, required=True, help="a new folder for the run")
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--smoke", action="store_true", help="twenty steps on little text")
args = parser.parse_args()

steps = 20 if args.smoke else args.steps
corpus = args.files or ["world:200" if args.smoke else "world:2000"]
config = TrainingConfig.named("debugging", {"corpus": corpus, "budget": {"steps": steps}})

with new_run(config, args.out) as trainer:

    def listen(now):
        if now["step"] == steps // 2:
            trainer.stop()

    trainer.listen = listen
    print(trainer.run(), "at step", trainer.progress.spent.steps)

with resumed_run(args.out) as trainer:
    print(trainer.run(), "at step", trainer.progress.spent.steps)

model = from_pretrained(args.out / "checkpoints" / "last")
[hidden] = fill_mask(model, "the [MASK] is in the house .")
print(model)
print("it guesses:", ", ".join(guess.word for guess in hidden.guesses))
