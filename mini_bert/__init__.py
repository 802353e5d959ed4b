"""Mini-BERT: a BERT you can read, derive, train, probe and watch, in pure NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mini_bert.on_demand import names_on_demand

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mini_bert.core.functions.linear import linear_backward
    from mini_bert.core.functions.norm import layer_norm_backward
    from mini_bert.core.functions.softmax import softmax_backward
    from mini_bert.evaluation.evaluate import evaluate
    from mini_bert.generation.generate import generate
    from mini_bert.guide import (
        MiniBERTGradients,
        MiniTransformerLayer,
        ModelFactory,
        gradient_check,
        layernorm_backward,
        mlm_cross_entropy,
    )
    from mini_bert.models.config import ModelConfig
    from mini_bert.models.huggingface.reading import from_pretrained
    from mini_bert.models.huggingface.writing import save_pretrained
    from mini_bert.models.mini import MiniBERT
    from mini_bert.models.reader import Reader
    from mini_bert.pretrained.loading import load
    from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
    from mini_bert.tokenizers.unigram import UnigramTokenizer
    from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
    from mini_bert.training.config import TrainingConfig
    from mini_bert.training.layer_rates import compute_layer_wise_learning_rates
    from mini_bert.training.masking import mask_tokens
    from mini_bert.training.session import new_run, resumed_run
    from mini_bert.training.trainer import Trainer

HOMES = {
    "ByteLevelBPETokenizer": "mini_bert.tokenizers.bpe",
    "MiniBERT": "mini_bert.models.mini",
    "MiniBERTGradients": "mini_bert.guide",
    "MiniTransformerLayer": "mini_bert.guide",
    "ModelConfig": "mini_bert.models.config",
    "ModelFactory": "mini_bert.guide",
    "Reader": "mini_bert.models.reader",
    "UnigramTokenizer": "mini_bert.tokenizers.unigram",
    "Trainer": "mini_bert.training.trainer",
    "TrainingConfig": "mini_bert.training.config",
    "WordPieceTokenizer": "mini_bert.tokenizers.wordpiece",
    "compute_layer_wise_learning_rates": "mini_bert.training.layer_rates",
    "evaluate": "mini_bert.evaluation.evaluate",
    "from_pretrained": "mini_bert.models.huggingface.reading",
    "generate": "mini_bert.generation.generate",
    "gradient_check": "mini_bert.guide",
    "layer_norm_backward": "mini_bert.core.functions.norm",
    "layernorm_backward": "mini_bert.guide",
    "linear_backward": "mini_bert.core.functions.linear",
    "load": "mini_bert.pretrained.loading",
    "mask_tokens": "mini_bert.training.masking",
    "mlm_cross_entropy": "mini_bert.guide",
    "new_run": "mini_bert.training.session",
    "resumed_run": "mini_bert.training.session",
    "save_pretrained": "mini_bert.models.huggingface.writing",
    "softmax_backward": "mini_bert.core.functions.softmax",
}
"""Where each public name lives. Nothing is imported until it is asked for: the command line answers at once."""

__all__ = [
    "ByteLevelBPETokenizer",
    "MiniBERT",
    "MiniBERTGradients",
    "MiniTransformerLayer",
    "ModelConfig",
    "ModelFactory",
    "Reader",
    "Trainer",
    "TrainingConfig",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "compute_layer_wise_learning_rates",
    "evaluate",
    "from_pretrained",
    "generate",
    "gradient_check",
    "layer_norm_backward",
    "layernorm_backward",
    "linear_backward",
    "load",
    "mask_tokens",
    "mlm_cross_entropy",
    "new_run",
    "resumed_run",
    "save_pretrained",
    "softmax_backward",
]


if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_demand(__name__, HOMES)
