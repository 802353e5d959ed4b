"""How a command of the documents is run in seconds, and which ones cannot be run at all, with the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mini_bert.experiments.experiment import experiment_names

REPEATED = ("--set", "--held-out", "--source")


@dataclass(frozen=True)
class Smoke:
    """The short form of a command: options that go, with their value or without, and what takes their place."""

    without: tuple[str, ...] = ()
    without_flags: tuple[str, ...] = ()
    also: str = ""
    """Options for which the line has no value of its own."""
    codes: tuple[int, ...] = (0,)

    def __call__(self, words: list[str]) -> list[str]:
        kept = []
        waiting = iter(words)
        for word in waiting:
            if word in self.without:
                next(waiting)
            elif word not in self.without_flags:
                kept.append(word)
        for option in re.split(r" (?=--)", self.also):
            name, *value = option.split() or [""]
            if name and (name in REPEATED or name not in words or name in self.without):
                kept += [name, *value]
        return kept


TINY = "--steps 2 --set logging.exam_rows=8"
TINY_DEBUG = f"{TINY} --batch 2 --preset debug"
WORLD = "--corpus world:1000"
HALVES = " ".join(f"--held-out {name}=0.5" for name in ("tatoeba", "books", "tales"))
HALVES += " --held-out stories=0 --held-out wikipedia=0"
OTHER_SOURCES = (
    "--source tales=FairytaleQAData/ --source stories=pb-source/en/ --source stories=asp-source/en/ "
    "--source wikipedia=extracted/ --limit wikipedia=31000"
)
BOOKS = "--text corpus/train/books.txt.gz --text corpus/held_out/books.txt.gz"
EXPERIMENTS = ("--all", *(name for name in experiment_names() if name != "norm"))
SMOKE = {
    r"train .*--resume .*--(steps|tokens)": Smoke(("--steps", "--tokens"), also="--steps 4"),
    r"train .*--resume": Smoke(),
    r"train .*--init .*batch.ramp": Smoke(
        ("--tokens",), also=f"{TINY} --preset debug --batch 32 --set held_out=0.3"
    ),
    r"train .*--init": Smoke(("--minutes",), also=f"{TINY} --batch 2"),
    r"train .*--config debugging": Smoke(("--steps", "--corpus"), also=f"{TINY} --batch 2 {WORLD}"),
    r"train .*--config": Smoke(
        ("--minutes", "--tokens"), also=f"{TINY} --preset debug --batch 16 --set held_out=0.3"
    ),
    r"train .*--preset": Smoke(("--minutes", "--steps", "--corpus"), also=f"{TINY} --batch 2 {WORLD}"),
    r"train": Smoke(("--minutes",), also=f"{TINY_DEBUG} {WORLD}"),
    r"find-rate": Smoke(also="--preset debug --steps 6 --batch 2 --corpus world:1000"),
    r"experiment .*--table": Smoke(without_flags=("--all",), also="norm"),
    r"experiment .*--out": Smoke(
        ("--steps",), EXPERIMENTS, "norm --base ~/smoke_base.yaml --steps 2 --exam-rows 4 --parallel 1"
    ),
    r"diagnose --museum$": Smoke(also="labels-shifted"),
    r"diagnose (?!--museum)": Smoke(codes=(0, 1)),
    r"gradcheck": Smoke(("--samples",), also="--samples 1"),
    r"info .*--batch": Smoke(("--preset", "--batch"), also="--preset debug --batch 2"),
    r"profile": Smoke(("--preset",), also="--preset debug --steps 1"),
    r"estimate": Smoke(("--preset",), also="--preset debug"),
    r"bench": Smoke(also="--rounds 1"),
    r"evaluate": Smoke(without_flags=("--full",), also="--suite ~/smoke.yaml"),
    r"metrics .*--overfit": Smoke(("--model",), also="--max-rows 8 --sentences 4"),
    r"metrics .*--counts-from": Smoke(("--text",), also=f"{BOOKS} --max-rows 8"),
    r"metrics (?!--test)": Smoke(also="--max-rows 8 --sentences 4"),
    r"minimal-pairs": Smoke(also="--max-pairs 4"),
    r"representations": Smoke(also="--texts 8 --sentences 8 --tokens 100 --groups 0"),
    r"probe custom": Smoke(also="--quick"),
    r"probe": Smoke(("--max-sentences",), also="--quick --max-sentences 12"),
    r"finetune (sst2|cola)": Smoke(
        ("--max-samples",), also="--data tasks --max-samples 8 --epochs 1 --no-baselines"
    ),
    r"finetune": Smoke(also="--max-samples 8 --epochs 1 --no-baselines"),
    r"average": Smoke(also="--max-rows 4 --replace"),
    r"pack packed/": Smoke(),
    r"pack": Smoke(also="--max-rows 4 --replace", codes=(0, 1)),
    r"tokenizer train": Smoke(also="--replace"),
    r"data build .*wikipedia": Smoke(also=HALVES),
    r"data build .* \.\.\.$": Smoke(without_flags=("...",), also=f"{OTHER_SOURCES} {HALVES}"),
    r"demo": Smoke(("--minutes",), also="--steps 5"),
    r"course check": Smoke(codes=(0, 1)),
    r"course solution": Smoke(also="--show"),
}
"""By the beginning of the command; the first that fits."""

SERVERS = {
    r"explore": ("--port 0 --no-browser", "http://"),
    r"course watch": ("", ""),
}
"""Commands that go on until they are stopped: what is added to them, and what they say when they are ready."""

ELSEWHERE = {
    r"make\b": "targets of the Makefile, which CI calls by themselves",
    r"(python3|py) -m venv|\.venv.(bin|Scripts).": "makes an environment; CI begins with that",
    r"python examples/": "tests/integration/test_examples.py runs the examples",
    r"mpiexec ": "tests/cluster starts several ranks, where MPI is installed",
    r"pip install ": "changes the environment",
    r"curl ": "asks a running explorer; tests/unit/test_explorer_requests.py asks the same of its app",
    r"mini-bert .*--model bert-base-uncased": "a name on the hub",
    r"mini-bert diagnose runs/repeated": "a run of 1,500 steps; tests/integration/test_museum.py trains such ones",
    r"mini-bert data build .*tatoeba_en": "plain text at hand; tests/unit/test_corpus_building_readers.py reads such",
    r"mini-bert embed .*all-MiniLM-L6-v2": "a model of 90 MB; tests/parity/test_sentence_encoder.py uses it",
}
"""Lines that are not run, and why."""

KEPT = re.compile(r"--out|--output|>|^cd |^mini-bert (course|finetune|data build)")
"""Commands whose files later lines of their page may need: run on every page, the others once."""


def found(rules: dict[str, object], line: str) -> str | None:
    return next((rule for rule in rules if re.match(rule, line)), None)
