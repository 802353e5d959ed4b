"""The groups of a run's settings: what is hidden, how it is learned, how long, and what is kept."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from mini_bert.checked import Checked
from mini_bert.training.schedules import BatchRamp, Schedule

FEWEST_TOKENS = 8
"""In a row that is worth reading."""
OPTIMIZER_OPTIONS: dict[str, tuple[str, ...]] = {
    "adamw": ("beta1", "beta2", "eps"),
    "lion": ("beta1", "beta2"),
    "muon": ("beta1", "beta2", "eps", "momentum"),
    "sophia": ("beta1", "beta2", "eps", "gamma", "hessian_every"),
    "lamb": ("beta1", "beta2", "eps"),
    "sgd": ("momentum", "nesterov"),
}
"""What each optimizer knows, beside rate, decay and layer decay."""
SecondTask = Literal["none", "next-sentence", "sentence-order", "token-order"]


class MaskingConfig(Checked):
    """Which words are hidden, and how."""

    share: float = Field(0.15, gt=0, lt=1, description="of the tokens that are asked for")
    final_share: float | None = Field(None, gt=0, lt=1, description="the share at the end; None: the same")
    kind: Literal["tokens", "whole-words", "spans"] = "tokens"
    hidden: float = Field(0.8, ge=0, le=1, description="of those asked for, shown as [MASK]")
    replaced: float = Field(0.1, ge=0, le=1, description="of those asked for, shown as a random word")
    static: bool = Field(False, description="the same words of a row in every epoch")
    adaptive: bool = Field(False, description="the share grows as more words are found, within 10 and 40 %")

    @model_validator(mode="after")
    def one_mover(self) -> Self:
        if self.adaptive and self.final_share is not None:
            raise ValueError("adaptive and final_share both move the share of hidden words; choose one")
        return self

    @model_validator(mode="after")
    def shares_of_one(self) -> Self:
        if self.hidden + self.replaced > 1 + 1e-9:
            raise ValueError(
                f"hidden={self.hidden} and replaced={self.replaced} are more than all words that are asked for;"
                " choose shares that add up to 1 at most, like 0.8 and 0.1"
            )
        return self


class OptimizerConfig(Checked):
    """How weights follow gradients; None takes the optimizer's own default."""

    kind: Literal["adamw", "lion", "muon", "sophia", "lamb", "sgd"] = "adamw"
    learning_rate: float | None = Field(None, gt=0)
    weight_decay: float | None = Field(None, ge=0)
    beta1: float | None = Field(None, ge=0, lt=1)
    beta2: float | None = Field(None, ge=0, lt=1)
    momentum: float | None = Field(None, ge=0, lt=1, description="sgd and muon")
    eps: float | None = Field(None, gt=0)
    gamma: float | None = Field(None, gt=0, description="sophia: how large a curvature counts")
    hessian_every: int | None = Field(
        None, ge=1, description="sophia: steps between two looks at the curvature"
    )
    nesterov: bool | None = Field(None, description="sgd: look ahead along the momentum")
    layer_decay: float = Field(1.0, gt=0, le=1, description="each layer learns slower than the one above it")

    @model_validator(mode="after")
    def only_its_own(self) -> Self:
        for name in sorted({option for options in OPTIMIZER_OPTIONS.values() for option in options}):
            if getattr(self, name) is not None and name not in OPTIMIZER_OPTIONS[self.kind]:
                raise ValueError(f"{name}: means nothing to {self.kind}; leave it out")
        if (self.beta1 is None) != (self.beta2 is None):
            raise ValueError("beta1 and beta2 belong together; give both or none")
        return self


class ScheduleConfig(Checked):
    """How the learning rate goes up and down, in shares of the run."""

    kind: Literal["linear", "cosine", "triangle", "one-cycle", "inverse-sqrt", "constant"] = "linear"
    warmup: float = Field(0.05, ge=0, lt=1)
    floor: float = Field(0.0, ge=0, le=1)
    cooldown: float = Field(0.0, ge=0, le=1)

    @model_validator(mode="after")
    def makes_a_schedule(self) -> Self:
        Schedule(**self.model_dump())
        return self


class BatchConfig(Checked):
    """Sequences in a step; so many at a time go through the model."""

    size: int = Field(32, ge=1)
    micro: int = Field(8, ge=1)
    ramp_from: int | None = Field(None, ge=1, description="the size at the start; None: the same throughout")
    ramp_until: float = Field(0.5, ge=0, le=1)
    segments: int = Field(
        4, ge=1, description="in a row, of a model with a memory; each has max_seq_length tokens"
    )
    short_rows: int | None = Field(
        None,
        ge=FEWEST_TOKENS,
        description="tokens in a row at first, of more rows in a step; None: full rows throughout",
    )
    short_until: float = Field(0.5, gt=0, lt=1, description="the share of the run after which rows are full")

    @model_validator(mode="after")
    def whole_micro_batches(self) -> Self:
        for name, size in (("size", self.size), ("ramp_from", self.ramp_from)):
            if size is not None and size % self.micro and size > self.micro:
                fewer = size - size % self.micro
                raise ValueError(
                    f"{name}={size} is not a multiple of micro={self.micro}; choose {fewer}, {fewer + self.micro}, "
                    "or another batch.micro"
                )
        if self.ramp_from is not None:
            if self.ramp_from > self.size:
                raise ValueError(
                    f"ramp_from={self.ramp_from} exceeds size={self.size}; a ramp makes the batch grow: choose a "
                    f"size of {self.ramp_from} or more, or batch.ramp_from=null for none"
                )
            self.ramp()
        return self

    def ramp(self) -> BatchRamp:
        """How the batch grows."""
        first = self.size if self.ramp_from is None else self.ramp_from
        return BatchRamp(first, self.size, self.ramp_until, min(self.micro, first))


class ClippingConfig(Checked):
    """How large gradients are tamed."""

    kind: Literal["norm", "adaptive", "none"] = "norm"
    max_norm: float = Field(1.0, gt=0)
    factor: float = Field(0.01, gt=0, description="adaptive: of the weight's own norm")


class AveragingConfig(Checked):
    """Weights averaged over steps."""

    kind: Literal["none", "ema", "lookahead"] = "none"
    decay: float = Field(0.999, gt=0, lt=1, description="ema")
    every: int = Field(5, ge=1, description="lookahead: steps between two looks back")
    share: float = Field(0.5, gt=0, le=1, description="lookahead: how far the slow weights follow")


class CurriculumConfig(Checked):
    """Easy rows first: short sentences, or frequent words; all of them `until` a share of the run."""

    kind: Literal["none", "length", "rarity"] = "none"
    until: float = Field(0.5, gt=0, le=1)


class SecondTaskConfig(Checked):
    """What is asked beside hidden words, and how much it weighs."""

    kind: Literal["own", SecondTask] = Field(
        "own", description="own: what the model was published with, which is none for most"
    )
    importance: float = Field(1.0, gt=0)


class DistillationConfig(Checked):
    """A larger model as teacher; how much its answers count beside the words, and how near its states are wanted."""

    teacher: str | None = Field(None, description="a run, or a folder of a model")
    temperature: float = Field(2.0, gt=0)
    words: float = Field(2.0, ge=0)
    soft: float = Field(5.0, ge=0)
    cosine: float = Field(1.0, ge=0, description="left out where the two are not equally wide")
    copies_layers: bool = Field(False, description="begin with every so many of the teacher's layers")

    @model_validator(mode="after")
    def teaches_something(self) -> Self:
        if self.copies_layers and self.teacher is None:
            raise ValueError("copies_layers without a teacher: there are no layers to copy")
        if self.words == self.soft == self.cosine == 0:
            raise ValueError("words, soft and cosine are all 0: nothing would be learned")
        return self


class BudgetConfig(Checked):
    """How long to train: exactly one of these."""

    steps: int | None = Field(None, ge=1)
    tokens: int | None = Field(None, ge=1)
    minutes: float | None = Field(None, gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def exactly_one(self) -> Self:
        given = [name for name, value in self if value is not None]
        if len(given) != 1:
            told = " and ".join(given) or "nothing"
            raise ValueError(f"{told} given; choose one of steps, tokens, minutes")
        return self


class GuardConfig(Checked):
    """What is done about numbers that are not finite, and about sudden spikes of the gradient."""

    non_finite: Literal["skip", "stop"] = "stop"
    spikes: Literal["report", "skip", "stop"] = "report"
    z_score: float = Field(
        8.0, gt=0, description="standard deviations above the mean of recent norms (logarithms)"
    )


class LoggingConfig(Checked):
    """How often things are measured, in steps."""

    every: int = Field(10, ge=1)
    evaluate_every: int = Field(200, ge=1, description="held-out text")
    exam_rows: int = Field(512, ge=1)
    inspect_every: int = Field(
        50, ge=1, description="gradients by layer, attention by head, activations, data"
    )
    tensorboard: bool = Field(False, description="the same metrics as TensorBoard events, in RUN/events")


class SavingConfig(Checked):
    """How often a checkpoint is written, in steps, and how many are kept."""

    every: int = Field(500, ge=1)
    keep: int = Field(3, ge=1)


class ClusterConfig(Checked):
    """How several processes share a run; nothing where there is one."""

    shard_optimizer: bool = Field(
        False, description="each rank updates its own stretch of the weights, and holds its moments alone"
    )
    overlap: bool = Field(
        True, description="gradients are summed while the backward pass goes on; of ranks with one worker"
    )
    patience: float = Field(
        10.0, gt=0, description="minutes without an answer of the others after which a rank ends all of them"
    )


class CutConfig(Checked):
    """How text is cut into documents, and what share of them is held out."""

    unit: Literal["paragraph", "line", "file"] = "paragraph"
    text_field: str = "text"
    held_out: float = Field(0.02, gt=0, lt=1)
