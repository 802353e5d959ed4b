"""What a training run is, in numbers and names; read from YAML, checked before anything begins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from mini_bert.checked import Checked
from mini_bert.errors import unknown
from mini_bert.models.config import DEFAULT_PRESET, ModelConfig, recipe_of
from mini_bert.settings import merged, read_yaml
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.config_groups import (
    FEWEST_TOKENS,
    AveragingConfig,
    BatchConfig,
    BudgetConfig,
    ClippingConfig,
    ClusterConfig,
    CurriculumConfig,
    CutConfig,
    DistillationConfig,
    GuardConfig,
    LoggingConfig,
    MaskingConfig,
    OptimizerConfig,
    SavingConfig,
    ScheduleConfig,
    SecondTask,
    SecondTaskConfig,
)

DEFAULT_TRAINING = "pretraining"
LEARNED = "learned"
OWN_SECOND_TASKS: dict[str, SecondTask] = {"bert": "next-sentence", "albert": "sentence-order"}
"""What these were published with; all others have none."""
SECOND_HEADS = {"none": "none", "next-sentence": "pairs", "sentence-order": "pairs", "token-order": "order"}


class TrainingConfig(Checked):
    """A whole run. `mini-bert train --set name=value` changes any of it."""

    preset: str = DEFAULT_PRESET
    model: dict[str, Any] = Field(default_factory=dict, description="changes to the preset")
    corpus: list[str] = Field(["world"], min_length=1)
    unit: Literal["paragraph", "line", "file"] = "paragraph"
    text_field: str = "text"
    tokenizer: str | None = Field(
        None, description="None: learned from the corpus, or that of `init`; learned: learned in any case"
    )
    init: str | None = Field(None, description="go on from this model: a run, or a folder of a model")
    old_corpus: list[str] = Field(
        [], description="text of the model before, whose loss is told beside the new"
    )
    old_cut: CutConfig | None = Field(
        None, description="of old_corpus, when the model before learned from it; None: as the new text is cut"
    )
    held_out: float = Field(0.02, gt=0, lt=1)
    packed: bool = Field(True, description="full rows; else one document per row")
    aligned: bool = Field(
        False,
        description="packed rows to learn from begin where a document does, if one began less than a row before",
    )
    masking: MaskingConfig = MaskingConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    batch: BatchConfig = BatchConfig()
    clipping: ClippingConfig = ClippingConfig()
    averaging: AveragingConfig = AveragingConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    second_task: SecondTaskConfig = SecondTaskConfig()
    distillation: DistillationConfig = DistillationConfig()
    budget: BudgetConfig = BudgetConfig(steps=1000)
    guard: GuardConfig = GuardConfig()
    logging: LoggingConfig = LoggingConfig()
    saving: SavingConfig = SavingConfig()
    cluster: ClusterConfig = ClusterConfig()
    seed: int = Field(0, ge=0)
    dtype: Literal["float32", "float64"] = "float32"
    workers: int | None = Field(None, ge=1, description="threads; None: as many as help")

    @model_validator(mode="after")
    def old_text_of_an_old_model(self) -> Self:
        if self.init is None and (self.old_corpus or self.old_cut):
            name = "old_corpus" if self.old_corpus else "old_cut"
            raise ValueError(f"{name} without init: old text is that of a model to go on from")
        return self

    @model_validator(mode="after")
    def packed_rows_are_aligned(self) -> Self:
        if self.aligned and not self.packed:
            raise ValueError(
                "aligned: packed rows only; with packed=false each document has its own row, so take aligned=false too"
            )
        if self.aligned and SECOND_HEADS[self.second_kind] == "pairs":
            raise ValueError(f"aligned: rows of {self.second_kind} are two passages each; leave it out")
        return self

    @classmethod
    def named(cls, name: str = DEFAULT_TRAINING, changes: Mapping[str, Any] | None = None) -> Self:
        """A configuration of the package or a YAML file of one's own, with changes laid over it.

        A preset brings its own recipe. It goes before a configuration that does not choose the preset, and behind
        one that does; changes go before both.
        """
        changes = changes or {}
        settings = template(name)
        if "preset" in changes:
            recipe = recipe_of(changes["preset"])
            if "budget" in recipe:
                settings.pop("budget", None)
            settings = merged(settings, recipe)
        elif isinstance(preset := settings.get("preset"), str):
            recipe = recipe_of(preset)
            if "budget" in settings:
                recipe.pop("budget", None)
            settings = merged(recipe, settings)
        if "budget" in changes:  # one budget takes the place of another
            settings.pop("budget", None)
        if has_other_optimizer(settings, changes):  # which the rate and the decay of this one would not suit
            settings.pop("optimizer")
        return cls.parse(merged(settings, changes))

    @property
    def cut(self) -> CutConfig:
        """How the text is cut."""
        return CutConfig(unit=self.unit, text_field=self.text_field, held_out=self.held_out)

    def with_workers(self, workers: int) -> TrainingConfig:
        """The same with so many workers written down: a resumed run has as many, wherever it goes on."""
        return self.model_copy(update={"workers": workers})

    @cached_property
    def described_model(self) -> ModelConfig:
        """The preset with its changes, before a vocabulary is known."""
        return ModelConfig.parse({**ModelConfig.preset(self.preset).model_dump(), **self.model})

    @property
    def second_kind(self) -> SecondTask:
        """What is asked beside hidden words, the model's own task by its name."""
        kind = self.second_task.kind
        return OWN_SECOND_TASKS.get(self.described_model.family, "none") if kind == "own" else kind

    @property
    def row_length(self) -> int:
        """Tokens in a row: as many as the model reads at once, or several times that if it remembers."""
        model = self.described_model
        return model.max_seq_length * (self.batch.segments if model.memory and model.causal else 1)

    @property
    def short_row_length(self) -> int | None:
        """Tokens in a row at first; None if rows are full throughout. ValueError if such rows do not fit the model."""
        short, full, model = self.batch.short_rows, self.row_length, self.described_model
        if short is None:
            return None
        if model.causal and model.memory:
            raise ValueError(
                f"batch.short_rows={short}: a model with a memory reads a row in segments of one length; leave it out"
            )
        if short >= full or full % short:
            fitting = [str(length) for length in range(FEWEST_TOKENS, full) if full % length == 0]
            remedy = f"choose {' or '.join(fitting)}" if fitting else "leave it out"
            raise ValueError(
                f"batch.short_rows={short}: several short rows take the place of a full one, which has {full} tokens;"
                f" {remedy}"
            )
        return short

    def model_config_of(self, tokenizer: Tokenizer) -> ModelConfig:
        """The model to train: with the size of this vocabulary, its padding, and a head for the second task."""
        return self.described_model.changed(
            second_head=SECOND_HEADS[self.second_kind],
            vocab_size=tokenizer.vocab_size,
            padding_id=tokenizer.pad_id or 0,
        )


def has_other_optimizer(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> bool:
    """Whether changes choose another kind of optimizer than settings do."""
    mine, wanted = settings.get("optimizer"), changes.get("optimizer")
    if not isinstance(mine, Mapping) or not isinstance(wanted, Mapping):
        return False
    kind = mine.get("kind", OptimizerConfig().kind)
    return bool(wanted.get("kind", kind) != kind)


def template(name: str) -> dict[str, Any]:
    path = Path(name)
    if path.suffix in {".yaml", ".yml"}:
        try:
            return read_yaml(path.read_text("utf-8"), name)
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(
                f"{name}: {error}; name a YAML file, or one of {', '.join(templates())}"
            ) from None
    if name not in templates():
        raise ValueError(unknown("training configuration", name, templates()))
    text = files("mini_bert").joinpath("configs", "training", f"{name}.yaml").read_text("utf-8")
    return read_yaml(text, f"{name}.yaml")


def templates() -> list[str]:
    """The names of the training configurations in the package."""
    folder = files("mini_bert").joinpath("configs", "training")
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")
    )
