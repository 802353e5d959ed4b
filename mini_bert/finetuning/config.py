"""How models are fine-tuned: one set of numbers for all tasks and all models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.models.config import ModelConfig
from mini_bert.training.schedules import Kind as ScheduleKind

HIGHEST_RATE, RATE_OF_WIDTH = 3e-3, 20.0


class FinetuningConfig(Checked):
    """AdamW with a warm-up and a straight way down to 0, unless told otherwise; dropout is what the model has."""

    epochs: int = Field(3, ge=1)
    batch: int = Field(32, ge=1, description="examples in a step")
    learning_rate: float | None = Field(None, gt=0, description="None: by the model's width, see `rate_for`")
    weight_decay: float = Field(0.01, ge=0, description="share of itself that a weight loses at rate 1")
    warmup: float = Field(0.1, ge=0, lt=1, description="share of the steps in which the rate rises")
    schedule: ScheduleKind = Field("linear", description="of the rate, after the warm-up")
    clipping: float = Field(1.0, gt=0, description="the longest gradient")
    layer_decay: float = Field(1.0, gt=0, le=1, description="each lower layer learns so much more slowly")
    pooling: Literal["first", "mean"] | None = Field(
        None,
        description="first or mean: which tokens speak for a text; None: as its family",
    )
    dropout: float | None = Field(None, ge=0, lt=1, description="of activations; None: what the model has")
    attention_dropout: float | None = Field(
        None, ge=0, lt=1, description="of attention weights; None: the same"
    )
    word_dropout: float = Field(0.0, ge=0, lt=1, description="share of the words hidden in each epoch anew")
    averaging: float | None = Field(
        None, ge=0, lt=1, description="decay of the moving average that is kept; None: the last weights"
    )
    max_length: int | None = Field(
        None, ge=4, description="tokens of a text; None: as many as the model reads"
    )

    def changed(self, **settings: Any) -> FinetuningConfig:
        """These settings with others among them, checked again."""
        return FinetuningConfig(**{**self.model_dump(), **settings})

    def of_model(self, config: ModelConfig, head: Literal["classes", "tags"]) -> dict[str, Any]:
        """What these settings change in the configuration of a model with such a head."""
        if self.pooling == "first" and config.causal:
            raise ValueError(
                "pooling=first: in a model that sees only what comes before, the first token knows nothing of the "
                "text; choose mean, or leave it out for the last one"
            )
        pooled = self.pooling if head == "classes" else None
        changes = {"pooled": pooled, "dropout": self.dropout, "attention_dropout": self.attention_dropout}
        return {name: value for name, value in changes.items() if value is not None}

    def rate_for(self, model: ModelConfig) -> float:
        """η = min(3·10⁻³, 20/H²): wide models want small steps

        3.4e-5 for BERT's H = 768, within the 2e-5 to 5e-5 of Devlin et al. (2019), and 3e-4 for H = 256, as in Turc et
        al. (2019). The ceiling is for models of a few minutes, which learned with such rates too.
        """
        return self.learning_rate or min(HIGHEST_RATE, RATE_OF_WIDTH / model.hidden_size**2)
