"""Short runs of `mini-bert train`, and what they leave."""

import json
import subprocess
import sys
from pathlib import Path

from mini_bert.cli import main

SHORT = ["--preset", "debug", "--corpus", "world:300", "--seed", "1", "--set", "logging.evaluate_every=20"]


def train(*args, expect=0):
    assert main(["train", *SHORT, *args]) == expect


def metrics(run):
    return [json.loads(line) for line in (Path(run) / "metrics.jsonl").read_text().splitlines()]


def weights(run):
    return (Path(run) / "checkpoints" / "last" / "model.safetensors").read_bytes()


def start(*args):
    command = [sys.executable, "-m", "mini_bert", "train", *args]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
