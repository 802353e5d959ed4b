"""What all runs of a search share: the base's recipe, text to learn from, text for the exam, vocabulary, budget.

    ground = Ground(corpus=["train/*.txt.gz"], held_out=["held_out/*.txt.gz"], tokenizer="vocab")
    ground.config()                                       # the base's configuration
    ground.config({"model": {"residual": "pre-norm"}})    # a variant's

It is kept in the folder of the search, so that whoever comes back need not name it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.data.catalogue import names as set_names
from mini_bert.data.corpus import Corpus, World, corpus, is_a_name, stories_in
from mini_bert.data.text_files import found, identity
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.files import make_folder, write_atomically
from mini_bert.reports import Report, silent
from mini_bert.settings import merged
from mini_bert.tokenizers.destination import JSON
from mini_bert.training.config import TrainingConfig

KEPT, TOKENIZER = "search.json", "tokenizer"
EXAM_STORIES, EXAM_ROWS, EXAM_SEED = 2000, 1024, 1


class Ground(Checked):
    """Without text, the embedded world: other stories are held out, and a vocabulary is learned from the first."""

    base: str = Field("search", description="a configuration of training, or a YAML file")
    corpus: list[str] = Field([], description="as in a configuration of training; none: as the base has it")
    held_out: list[str] = Field([], description="text for the exam")
    tokenizer: str | None = Field(None, description="None: learned from the corpus, the same for all")
    steps: int | None = Field(
        None, ge=1, description="as long as so many steps of the base; None: as it says"
    )
    exam_rows: int = Field(EXAM_ROWS, ge=2, description="of each held-out text, at most")
    exam_seed: int = Field(
        EXAM_SEED,
        ge=0,
        description="not the 0 of `evaluate`: what is chosen here is not chosen by its questions",
    )

    def config(self, changes: Mapping[str, Any] | None = None) -> TrainingConfig:
        """The configuration of the base, or of the base with changes."""
        changes, shared = dict(changes or {}), dict[str, Any](workers=1)
        if self.corpus:
            shared["corpus"] = self.corpus
        if self.tokenizer:
            shared["tokenizer"] = self.tokenizer
        if self.steps:
            base = TrainingConfig.named(self.base)
            tokens = self.steps * base.batch.size * base.row_length
            if "budget" in changes:
                changes["budget"] = scaled(changes["budget"], tokens / tokens_in(base))
            else:
                shared["budget"] = {"tokens": tokens}
        return TrainingConfig.named(self.base, merged(shared, changes))

    def with_tokenizer(self, folder: Path, report: Report = silent) -> Ground:
        """The same with a vocabulary for all: the one that is named, or one that is learned once and kept."""
        config = self.config()
        if config.tokenizer is not None:
            return self
        place = folder / TOKENIZER
        if not (place / JSON).is_file():
            text = corpus(*config.corpus, unit=config.unit, text_field=config.text_field)
            tokenizer, _ = learned_vocabulary(text, config.described_model.vocab_size, report)
            tokenizer.save(place)
        return self.model_copy(update={"tokenizer": str(place.resolve())})

    def exam_texts(self) -> dict[str, Corpus]:
        """Every held-out text by its name: each file is one of its own."""
        if not self.held_out:
            if self.corpus:
                raise ValueError(
                    "--corpus without --held-out: name text for the exam too, which is not in the corpus"
                )
            return {"world": World(EXAM_STORIES, WORLD_SEEDS["test"])}
        texts: dict[str, Corpus] = {}
        for name in self.held_out:
            if is_a_name(name) and name.startswith("world"):
                texts[name] = World(stories_in(name), WORLD_SEEDS["test"])
            elif is_a_name(name) or name in set_names():
                texts[name] = corpus(name)
            else:
                for path in found(name):
                    short = path.name.split(".")[0] or path.name
                    texts[str(path) if short in texts else short] = corpus(path)
        return texts

    def check_held_out(self) -> None:
        """Refuse an exam on text that the runs learn from."""
        learned = set(map(identity, corpus(*self.config().corpus).paths))
        for name, text in self.exam_texts().items():
            if learned & set(map(identity, text.paths)):
                raise ValueError(
                    f"--held-out: {name} is in the corpus, too; name text that no run learns from"
                )

    def keep(self, folder: Path) -> None:
        make_folder(folder)
        write_atomically(folder / KEPT, json.dumps(self.model_dump(), indent=1).encode())


def ground_in(folder: Path, given: Mapping[str, Any]) -> Ground:
    """The ground of a search: what is given now, else what it had before, else the package's.

    Paths are kept as they are seen from everywhere.
    """
    settings = {**kept_ground(folder), **given}
    for name in ("corpus", "held_out"):
        settings[name] = [placed(text) for text in settings.get(name, ())]
    if settings.get("tokenizer"):
        settings["tokenizer"] = os.path.abspath(os.path.expanduser(settings["tokenizer"]))
    if Path(settings.get("base", "")).suffix:
        settings["base"] = os.path.abspath(settings["base"])
    return Ground.parse(settings)


def kept_ground(folder: Path) -> dict[str, Any]:
    """What was kept in the folder; nothing if nothing was."""
    try:
        kept = json.loads((folder / KEPT).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError:
        raise ValueError(
            f"{folder / KEPT}: damaged; remove it, and name --corpus and the rest again"
        ) from None
    return dict(kept)


def placed(text: str) -> str:
    is_name = is_a_name(text) or text in set_names()
    return text if is_name else os.path.abspath(os.path.expanduser(text))


def tokens_in(base: TrainingConfig) -> int:
    """How many tokens the base learns from."""
    if base.budget.tokens:
        return base.budget.tokens
    if base.budget.steps:
        return base.budget.steps * base.batch.size * base.row_length
    raise ValueError(
        "the base has a budget in minutes, so that --steps cannot shorten variants with a budget of their own; "
        "name a base with a budget in steps or tokens"
    )


def scaled(budget: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """A variant's own budget, as much shorter or longer as the base's has become.

    >>> scaled({"steps": 1000}, 0.02)
    {'steps': 20}
    """
    return {
        name: max(1, round(value * factor)) if isinstance(value, int) else value * factor
        for name, value in budget.items()
    }
