"""What a model is, in numbers and names of parts; read from YAML, checked before anything is built."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from mini_bert.errors import unknown
from mini_bert.settings import read_yaml

DEFAULT_PRESET = "mini"


class Checked(BaseModel):
    """A frozen group of settings. What does not fit is refused with a ValueError that says where, and the remedy."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise ValueError(self.explain(error)) from None

    @classmethod
    def explain(cls, error: ValidationError) -> str:
        lines = []
        for fault in error.errors():
            where = ".".join(str(step) for step in fault["loc"])
            if fault["type"] == "extra_forbidden":
                lines.append(unknown("setting", where, list(cls.model_fields)))
            elif fault["type"] == "value_error":
                lines.append(": ".join(filter(None, [where, str(fault["ctx"]["error"])])))
            else:
                lines.append(f"{where}: {fault['msg']} (got {fault['input']!r})")
        return "\n".join(lines)

    @classmethod
    def parse(cls, settings: Mapping[str, Any]) -> Self:
        """From plain data, as YAML and JSON give it: a group inside is given as a mapping."""
        parsed = dict(settings)
        for name, field in cls.model_fields.items():
            group = field.annotation
            if (
                isinstance(parsed.get(name), Mapping)
                and isinstance(group, type)
                and issubclass(group, Checked)
            ):
                try:
                    parsed[name] = group.parse(parsed[name])
                except ValueError as error:
                    raise ValueError(
                        "\n".join(f"{name}.{line}" for line in str(error).splitlines())
                    ) from None
        return cls(**parsed)


class InitializerConfig(Checked):
    kind: Literal["normal", "truncated", "xavier", "he", "depth-scaled"] = "normal"
    std: float = Field(0.02, gt=0)


class ModelConfig(Checked):
    """The default is Mini-BERT as the guide draws it: post-norm blocks with ReLU, and an untied projection."""

    vocab_size: int = Field(8192, ge=6)
    hidden_size: int = Field(192, ge=1)
    num_layers: int = Field(3, ge=1)
    num_heads: int = Field(4, ge=1)
    intermediate_size: int = Field(768, ge=1)
    max_seq_length: int = Field(64, ge=1)

    token_types: int = Field(0, ge=0, description="segments told apart by an embedding; 0 for none")
    positions: Literal["learned", "rotary", "relative"] = "learned"
    embedding_norm: bool = False
    residual: Literal["post-norm", "pre-norm"] = "post-norm"
    norm: Literal["layer", "rms"] = "layer"
    norm_eps: float = Field(1e-12, gt=0)
    feed_forward: Literal["plain", "gated"] = "plain"
    activation: Literal["relu", "gelu", "gelu-tanh", "silu"] = "relu"
    final_norm: bool = True
    head_transform: bool = False
    tied: bool = Field(False, description="the output words are the rows of the token table")
    bias: bool = True
    second_head: Literal["none", "pairs", "order"] = Field(
        "none", description="pairs: do two passages follow each other; order: which order are tokens in"
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
        if self.layer_groups is not None and self.layer_groups > self.num_layers:
            raise ValueError(
                f"layer_groups={self.layer_groups} exceeds num_layers={self.num_layers}; "
                f"choose 1 (all layers shared) to {self.num_layers} (none shared)"
            )
        return self

    @property
    def head_size(self) -> int:
        return self.hidden_size // self.num_heads

    def changed(self, **settings: Any) -> ModelConfig:
        """This configuration with other settings, checked again."""
        return ModelConfig(**{**self.model_dump(), **settings})

    @classmethod
    def preset(cls, name: str = DEFAULT_PRESET, **settings: Any) -> ModelConfig:
        """A configuration that ships with the package, with any of its settings changed."""
        if name not in presets():
            raise ValueError(unknown("preset", name, presets()))
        text = files("mini_bert").joinpath("configs", "model", f"{name}.yaml").read_text("utf-8")
        return cls.parse({**read_yaml(text, f"{name}.yaml"), **settings})


def presets() -> list[str]:
    """The names of the model configurations in the package."""
    folder = files("mini_bert").joinpath("configs", "model")
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")
    )


def near_divisors(H: int, A: int) -> str:
    """The numbers of heads nearest to A that divide H."""
    divisors = [a for a in range(1, H + 1) if H % a == 0]
    nearest = sorted(sorted(divisors, key=lambda a: abs(a - A))[:4])
    return ", ".join(map(str, nearest))
