"""A model of transformers that was fine-tuned here says the same there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    BertConfig,
    BertForPreTraining,
    DistilBertConfig,
    DistilBertForMaskedLM,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
)

from mini_bert.data.tasks import Labelled, TaggedSentence
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.learning import finetune
from mini_bert.finetuning.saving import save_finetuned
from mini_bert.finetuning.tasks import Task, labelled_task
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.tokenizers import WordPieceTokenizer

FLOAT32_ATOL = 1e-5
TEXTS = [Labelled("a fine day .", "good"), Labelled("a bad day", "bad"), Labelled("fine , fine", "good")]
WORDS = [TaggedSentence(("a", "day"), ("DET", "NOUN"), ""), TaggedSentence(("fine",), ("ADJ",), "")]
SIZES = {"vocab_size": 28, "max_position_embeddings": 34}
TINY = SIZES | {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
MODELS = {
    "bert": lambda: BertForPreTraining(BertConfig(**TINY)),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(**TINY, pad_token_id=0)),
    "distilbert": lambda: DistilBertForMaskedLM(
        DistilBertConfig(**SIZES, dim=32, n_layers=2, n_heads=2, hidden_dim=64)
    ),
}
TASKS = {
    "classes": (labelled_task("moods", TEXTS, TEXTS), AutoModelForSequenceClassification),
    "tags": (labelled_task("words", WORDS, WORDS), AutoModelForTokenClassification),
}


@pytest.mark.parametrize("head", TASKS)
@pytest.mark.parametrize("family", MODELS)
def test_same_logits_after_finetuning(family: str, head: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    theirs: PreTrainedModel = MODELS[family]()
    theirs.save_pretrained(tmp_path / "before")
    tokenizer = WordPieceTokenizer.train(["a fine day .", "a bad day , fine"] * 5, 28)
    tokenizer.save(tmp_path / "before")
    task: Task = TASKS[head][0]
    tuned = finetune(
        from_pretrained(tmp_path / "before"), task, FinetuningConfig(epochs=2, batch=2, learning_rate=1e-3)
    ).model
    place = save_finetuned(tuned, tmp_path / "after", for_transformers=True)
    judge = TASKS[head][1].from_pretrained(place).eval()
    assert tuple(judge.config.id2label.values()) == task.names

    ids, mask = np.array([[2, 7, 9, 8, 3], [2, 11, 3, 0, 0]]), np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    with torch.no_grad():
        expected = judge(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).logits.numpy()
    again = from_pretrained(place)
    assert again.label_names == task.names
    for model in (tuned, again):
        logits = model.forward(ids, mask)[0]
        real = mask.astype(bool) if head == "tags" else np.ones(2, bool)
        np.testing.assert_allclose(logits[real], expected[real], rtol=0, atol=FLOAT32_ATOL)
