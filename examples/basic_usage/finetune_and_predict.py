"""Teach a pretrained model to tell classes, keep it in a folder, and ask it about new sentences."""

import argparse
from collections import Counter
from pathlib import Path

import mini_bert
from mini_bert import from_pretrained
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.learning import finetune
from mini_bert.finetuning.saving import save_finetuned
from mini_bert.finetuning.scores import point_score
from mini_bert.finetuning.sources import world_task
from mini_bert.finetuning.tasks import answers_of
from mini_bert.inference.labels import classes_of

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", type=Path, required=True, help="a new folder for the model")
parser.add_argument("--examples", type=int, default=1000, help="to learn from")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--smoke", action="store_true", help="sixty examples, one epoch")
args = parser.parse_args()

examples, epochs = (60, 1) if args.smoke else (args.examples, args.epochs)
task = world_task("sentiment", {"train": examples, "dev": examples // 3, "test": examples // 3})
learned = finetune(mini_bert.load("mini"), task, FinetuningConfig(epochs=epochs))

truth = answers_of(task.test)
frequent = max(Counter(truth).values()) / len(truth)
print(
    f"right on test: {point_score('accuracy', truth, learned.answers):.2f}; the most frequent label {frequent:.2f}"
)

model = from_pretrained(save_finetuned(learned.model, args.out))
sentences = ["The children were happy to see the sea.", "He lost his keys and was very sad."]
for sentence, found in zip(sentences, classes_of(model, sentences), strict=True):
    best = found.labels[0]
    print(f"{sentence:<42} {best.name} {best.probability:.2f}")
