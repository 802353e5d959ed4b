"""How ranks begin together: the same package, settings and text on all of them, or none begins."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from platform import node
from tempfile import TemporaryDirectory

from mini_bert import __version__
from mini_bert.data.fingerprints import hashed
from mini_bert.reports import Report, silent
from mini_bert.settings import flat
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.assembly import workers_of
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.config import TrainingConfig
from mini_bert.training.materials import Materials, materials
from mini_bert.training.parallel import available_cores
from mini_bert.training.trainer import Trainer


def refuse_other_settings(config: TrainingConfig, ranks: Ranks) -> None:
    ranks.refuse_different(
        lambda: {"version of mini-bert": __version__, **settings_of(config)},
        "start the same command with the same package on every rank",
    )


def refuse_other_task(task: str, ranks: Ranks) -> None:
    """What every rank does first: those that begin a run and those that resume one would talk at cross-purposes."""
    ranks.refuse_different(lambda: {"task": task}, "let all ranks begin a run, or all resume one")


def settings_of(config: TrainingConfig) -> dict[str, str]:
    """Every setting by its name: {"seed": "1", "batch.size": "32", ...}"""
    return {name: str(value) for name, value in flat(config.model_dump()).items()}


def refuse_other_text(trainer: Trainer, ranks: Ranks) -> None:
    ranks.refuse_different(
        lambda: {
            "text": f"{trainer.materials.cache.contents.tokens:,} tokens, {hashed(trainer.stream.state())[:8]}",
            "exam": hashed([hashed(exam.ids.tolist()) for exam in trainer.exams.values()]),
            "teacher": hashed(trainer.goal.objective.state()),
        },
        "let all ranks read the same files",
    )


def materials_for_all(
    config: TrainingConfig, tokenizer_folder: Path, ranks: Ranks, report: Report = silent
) -> Materials:
    """The leader makes the text first, so that ranks beside it find it made; the others take over its vocabulary."""
    made = ranks.lead(lambda: materials(config, tokenizer_folder, report))
    vocabulary = ranks.first(made and made.tokenizer.to_json())
    with TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        file.write_text(json.dumps(vocabulary), "utf-8")
        return ranks.agreed(lambda: made or materials(config, Path(folder)))


def workers_beside(config: TrainingConfig, tokenizer: Tokenizer, ranks: Ranks) -> int:
    """The threads of each rank: not more than its part of the machine's cores, and as many on all."""
    if ranks.size == 1:
        return workers_of(config, tokenizer)
    cores = max(1, min(int(each) for each in cores_of_ranks(ranks)))
    return min(cores, workers_of(config, tokenizer, ranks.size, cores))


def cores_of_ranks(ranks: Ranks) -> list[Fraction]:
    """What each rank has of its machine: a core that several may use counts in parts, one that it is bound to whole."""
    told = [(machine, cores) for machine, cores in ranks.tell([node(), sorted(available_cores())])]
    users = Counter((machine, core) for machine, cores in told for core in cores)
    return [
        sum((Fraction(1, users[machine, core]) for core in cores), Fraction(0)) for machine, cores in told
    ]
