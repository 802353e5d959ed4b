"""How models are fine-tuned: one set of numbers for all tasks and all models."""

from __future__ import annotations

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.models.config import ModelConfig

HIGHEST_RATE, RATE_OF_WIDTH = 3e-3, 20.0


class FinetuningConfig(Checked):
    """AdamW with a warm-up and a straight way down to 0; dropout is what the model has."""

    epochs: int = Field(3, ge=1)
    batch: int = Field(32, ge=1, description="examples in a step")
    learning_rate: float | None = Field(None, gt=0, description="None: by the model's width, see `rate_for`")
    weight_decay: float = Field(0.01, ge=0)
    warmup: float = Field(0.1, ge=0, lt=1, description="share of the steps in which the rate rises")
    clipping: float = Field(1.0, gt=0, description="the longest gradient")
    layer_decay: float = Field(1.0, gt=0, le=1, description="each lower layer learns so much more slowly")
    max_length: int | None = Field(
        None, ge=4, description="tokens of a text; None: as many as the model reads"
    )

    def rate_for(self, model: ModelConfig) -> float:
        """η = min(3·10⁻³, 20/H²): wide models want small steps

        3.4e-5 for BERT's H = 768, within the 2e-5 to 5e-5 of Devlin et al. (2019), and 3e-4 for H = 256, as in Turc et
        al. (2019). The ceiling is for models of a few minutes, which learned with such rates too.
        """
        return self.learning_rate or min(HIGHEST_RATE, RATE_OF_WIDTH / model.hidden_size**2)
