"""What a model is, in numbers and names of parts; read from YAML, checked before anything is built."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from mini_bert.checked import Checked
from mini_bert.errors import unknown
from mini_bert.settings import read_yaml

DEFAULT_PRESET = "mini"
RECIPE = "training"
"""In the file of a preset: how it is best trained."""
MOST_HEADS = 10_000
"""Further than this nobody is advised: a hidden_size by mistake may be any number."""
BY_DISTANCE = ("transformer-xl", "rotary", "relative")
"""Positions that mean the same wherever a text is cut, and in whichever row of x a token stands."""


class InitializerConfig(Checked):
    kind: Literal["normal", "truncated", "xavier", "he", "depth-scaled"] = "normal"
    std: float = Field(0.02, gt=0)


class GeneratorConfig(Checked):
    """The smaller model that makes ELECTRA's exercises; it shares the tables of the larger one."""

    hidden_size: int = Field(64, ge=1)
    num_layers: int = Field(3, ge=1)
    num_heads: int = Field(1, ge=1)
    intermediate_size: int = Field(256, ge=1)


class ModelConfig(Checked):
    """The default is Mini-BERT as the guide draws it: post-norm blocks with ReLU, and an untied projection.

    Each setting names a part, and parts combine freely; the members of the family are in zoo.py.
    """

    family: Literal[
        "mini",
        "bert",
        "roberta",
        "albert",
        "distilbert",
        "electra",
        "deberta",
        "deberta-v2",
        "transformer-xl",
        "xlnet",
        "gpt2",
    ] = Field("mini", description="whose names its files have outside; it decides nothing in the model")
    vocab_size: int = Field(8192, ge=6)
    hidden_size: int = Field(192, ge=1)
    num_layers: int = Field(3, ge=1)
    num_heads: int = Field(4, ge=1)
    intermediate_size: int = Field(768, ge=1)
    max_seq_length: int = Field(64, ge=1)

    token_types: int = Field(0, ge=0, description="segments that are told apart; 0 for none")
    segments: Literal["embedded", "relative"] = Field(
        "embedded", description="relative: attention sees whether two tokens share a segment, not which it is"
    )
    embedding_size: int | None = Field(
        None, ge=1, description="of the tables, projected to hidden_size; None: as wide"
    )
    positions: Literal[
        "learned",
        "after-padding",
        "rotary",
        "relative",
        "disentangled",
        "learned-and-disentangled",
        "transformer-xl",
    ] = "learned"
    disentangled: Literal["both", "c2p", "p2c"] = Field(
        "both", description="c2p: words look at places; p2c: places look for words; of disentangled positions"
    )
    padding_id: int = Field(0, ge=0, description="after-padding: the id that takes no place")
    reach: int | None = Field(
        None, ge=1, description="the farthest distance told apart; None: as far as a text goes"
    )
    buckets: int | None = Field(
        None,
        ge=2,
        description="of disentangled positions: distances in so many steps, ever longer; None: each",
    )
    relative_norm: bool = Field(
        False, description="of disentangled positions: a norm over the rows of the table"
    )
    relative_projection: Literal["own", "shared"] = Field(
        "own", description="of disentangled positions: shared: distances are projected as words are"
    )
    causal: bool = Field(False, description="no token sees those after it")
    mask_decoder: Literal["none", "enhanced"] = Field(
        "none", description="enhanced: absolute positions come in just before words are predicted (DeBERTa)"
    )
    streams: Literal[1, 2] = Field(
        1, description="2: a second stream asks for words in any order, without seeing them (XLNet)"
    )
    memory: int = Field(
        0, ge=0, description="how many tokens of the segments before each layer still sees, read by Reader"
    )
    embedding_norm: bool = False
    residual: Literal["post-norm", "pre-norm"] = "post-norm"
    norm: Literal["layer", "rms"] = "layer"
    norm_eps: float = Field(1e-12, gt=0)
    attention: Literal["plain", "gated"] = "plain"
    attention_bias: Literal["all", "not-key", "none"] = "all"
    feed_forward: Literal["plain", "gated"] = "plain"
    activation: Literal["relu", "gelu", "gelu-tanh", "silu"] = "relu"
    final_norm: bool = True
    head: Literal["words", "classes", "tags", "replaced", "none"] = Field(
        "words",
        description="what is told: the word at each position, a class of the text, a tag of each token, "
        "whether each token was replaced, or nothing but hidden states",
    )
    classes: int = Field(2, ge=1, description="of a head that tells classes or tags")
    pooled: Literal["first", "last", "mean"] = Field(
        "first", description="the token that speaks for the whole text; mean: all of them"
    )
    pooler: Literal["tanh", "relu", "gelu", "none"] = Field(
        "tanh", description="activation of a head that tells classes; none: the token itself is read"
    )
    head_transform: bool = False
    tied: bool = Field(False, description="the output words are the rows of the token table")
    decoder_bias: bool = Field(True, description="one number for each word, class or tag, added to its logit")
    bias: bool = True
    second_head: Literal["none", "pairs", "order", "pooler"] = Field(
        "none",
        description="pairs: do two passages follow each other; order: which order are tokens in; pooler: one vector "
        "for the text",
    )
    generator: GeneratorConfig | None = Field(
        None, description="the model beside this one that replaces words in its text"
    )
    layer_groups: int | None = Field(
        None, ge=1, description="how many layers have weights of their own; None: all"
    )
    dropout: float = Field(0.0, ge=0, lt=1)
    attention_dropout: float = Field(0.0, ge=0, lt=1)
    checkpoint_activations: bool = False
    initializer: InitializerConfig = InitializerConfig()

    @model_validator(mode="after")
    def sizes_fit(self) -> Self:
        H, A = self.hidden_size, self.num_heads
        if H % A:
            raise ValueError(f"H={H} is not divisible by A={A}; choose num_heads from {near_divisors(H, A)}")
        if self.positions == "rotary" and (H // A) % 2:
            raise ValueError(
                f"rotary positions turn pairs of numbers, but H/A = {H}/{A} = {H // A} is odd; "
                "choose num_heads so that hidden_size / num_heads is even"
            )
        if self.positions == "transformer-xl" and H % 2:
            raise ValueError(
                f"hidden_size={H}: distances are pairs of a sine and a cosine; choose an even hidden_size"
            )
        for name, wanted in (("memory", self.memory), ("streams", self.streams > 1)):
            if wanted and self.positions not in BY_DISTANCE:
                raise ValueError(
                    f"{name}={getattr(self, name)} needs positions that attention sees as distances; "
                    f"choose positions from {', '.join(BY_DISTANCE)} (got {self.positions})"
                )
        if self.generator and self.generator.hidden_size % self.generator.num_heads:
            raise ValueError(
                f"generator: hidden_size={self.generator.hidden_size} is not divisible by num_heads="
                f"{self.generator.num_heads}; choose num_heads from "
                f"{near_divisors(self.generator.hidden_size, self.generator.num_heads)}"
            )
        if self.generator and self.head != "replaced":
            raise ValueError(
                "generator: its words are told from real ones by head: replaced; choose both or none"
            )
        if self.generator and "disentangled" in self.positions:
            raise ValueError(
                f"generator: it cannot share positions={self.positions}, for its layers are of another size; "
                "choose other positions"
            )
        if self.buckets and self.reach and self.reach - 1 <= self.buckets // 2:
            raise ValueError(
                f"buckets={self.buckets}: half of them are single distances, so reach={self.reach} must be more than "
                f"{self.buckets // 2 + 1}; choose fewer buckets"
            )
        if self.mask_decoder != "none" and (self.head != "words" or self.streams > 1):
            raise ValueError(
                f"mask_decoder={self.mask_decoder} is for a head that tells words, read in one stream; "
                f"set mask_decoder=none (got head={self.head}, streams={self.streams})"
            )
        if self.tied and self.head == "words" and self.table_size != H and not self.head_transform:
            raise ValueError(
                f"tied words are embedding_size={self.table_size} wide, states hidden_size={H}; "
                "set head_transform=true, which brings one to the other, or tied=false"
            )
        if self.layer_groups is not None and self.layer_groups > self.num_layers:
            raise ValueError(
                f"layer_groups={self.layer_groups} exceeds num_layers={self.num_layers}; "
                f"choose 1 (all layers shared) to {self.num_layers} (none shared)"
            )
        return self

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_heads

    @property
    def table_size(self) -> int:
        """How wide the tables of words and positions are."""
        return self.embedding_size or self.hidden_size

    def changed(self, **settings: Any) -> ModelConfig:
        """This configuration with other settings, checked again."""
        return ModelConfig.parse({**self.model_dump(), **settings})

    @classmethod
    def preset(cls, name: str = DEFAULT_PRESET, **settings: Any) -> ModelConfig:
        """A configuration that ships with the package, with any of its settings changed."""
        from mini_bert.models.zoo import member_config

        own = {key: value for key, value in read_preset(name).items() if key != RECIPE}
        return member_config({**own, **settings})


def recipe_of(preset: str) -> dict[str, Any]:
    """The settings of training that a preset brings with it: those it learns with in minutes."""
    return dict(read_preset(preset).get(RECIPE) or {})


def read_preset(name: str) -> dict[str, Any]:
    if name not in presets():
        raise ValueError(unknown("preset", str(name), presets()))
    text = files("mini_bert").joinpath("configs", "model", f"{name}.yaml").read_text("utf-8")
    return read_yaml(text, f"{name}.yaml")


def presets() -> list[str]:
    """The names of the model configurations in the package."""
    folder = files("mini_bert").joinpath("configs", "model")
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")
    )


def near_divisors(H: int, A: int) -> str:
    """The numbers of heads nearest to A that divide H."""
    divisors = [a for a in range(1, min(H, MOST_HEADS) + 1) if H % a == 0]
    nearest = sorted(sorted(divisors, key=lambda a: abs(a - A))[:4])
    return ", ".join(map(str, nearest))
