"""Folders of runs, written by hand."""

import json
import math
from pathlib import Path

import yaml

from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder

FACTS = {
    "parameters": 51456,
    "vocab_size": 512,
    "uniform_loss": math.log(512),
    "unigram_loss": 5.0,
    "unigram_accuracy": 0.04,
    "corpus": "world",
    "tokens": 362879,
    "documents": 2000,
    "workers": 2,
    "version": "0.1.0",
}


def line(step, loss=4.0, **more):
    return {
        "step": step,
        "loss": loss,
        "perplexity": None if loss is None else math.exp(loss),
        "accuracy": 0.2,
        "gradient_norm": 0.7,
        "learning_rate": 1e-3,
        "batch_size": 32,
        "epoch": 0,
        "tokens": step * 1024,
        "seconds": step * 0.05,
        "tokens_per_second": 20480.0,
        **more,
    }


def held_out(loss, accuracy=0.3):
    return {"held_out_loss": loss, "held_out_accuracy": accuracy, "held_out_perplexity": math.exp(loss)}


def inspection(layers=2, heads=4):
    names = ["embeddings", *(f"encoder.layers.{number}" for number in range(layers)), "final_norm", "head"]
    measured = {"gradient_norm": 0.1, "weight_norm": 5.0, "update_ratio": 2e-3}
    activations = {
        f"encoder.layers.{number}.out": {"mean": 0.0, "std": 1.0, "largest": 3.0} for number in range(layers)
    }
    return {
        "inspection": {
            "layers": dict.fromkeys(names, measured),
            "attention_entropy": [[2.5] * heads] * layers,
            "most_entropy": math.log(32),
            "activations": activations,
            "dead_units": [0.1] * layers,
            "data": {"asked": 0.15},
            "resident_bytes": 90_000_000,
        }
    }


def write_run(path: Path, lines, facts=None, spent=None, skipped=0, **settings) -> RunFolder:
    """A run of a hundred steps; `spent` steps are in its last checkpoint, none: there is none."""
    config = TrainingConfig.named("debugging", settings).model_dump()
    path.mkdir(parents=True)
    (path / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
    (path / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    if facts is not None:
        (path / "facts.json").write_text(json.dumps(facts), "utf-8")
    if spent is not None:
        last = path / "checkpoints" / "last"
        last.mkdir(parents=True)
        progress = {
            "spent": {"steps": spent, "tokens": spent * 1024, "seconds": spent * 0.05},
            "skipped": skipped,
        }
        (last / "state.json").write_text(json.dumps({"progress": progress}), "utf-8")
    return RunFolder(path)
