"""Settings of fine-tuning: who speaks for a text, what is hidden, dropped and averaged."""

from pathlib import Path

import numpy as np
import pytest

from mini_bert.core.trace import Trace
from mini_bert.data.tasks import Labelled
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import encoded_task, training_batches
from mini_bert.finetuning.heads import head_config, with_head
from mini_bert.finetuning.learning import finetune
from mini_bert.finetuning.saving import save_finetuned
from mini_bert.finetuning.tasks import Task, labelled_task
from mini_bert.finetuning.word_dropout import WordDropout
from mini_bert.inference.labels import classes_of
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import WordPieceTokenizer
from tests.tolerances import assert_close

TEXTS = {
    "glad": ["She smiled all day.", "The picnic was lovely.", "He was so happy.", "They won."],
    "sad": ["It rained all day.", "The soup was awful.", "She was very sad.", "He lost."],
}
MOODS = [Labelled(text, label) for label, texts in TEXTS.items() for text in texts]
THOROUGH = FinetuningConfig(epochs=25, batch=4, learning_rate=5e-3)


@pytest.fixture
def model(tokenizer: WordPieceTokenizer) -> MiniBERT:
    made = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    made.tokenizer = tokenizer
    return made


@pytest.fixture
def moods() -> Task:
    return labelled_task("moods", MOODS, MOODS)


@pytest.mark.parametrize(
    "settings",
    [
        {"pooling": "first"},
        {"word_dropout": 0.1},
        {"dropout": 0.1, "attention_dropout": 0.1},
        {"averaging": 0.9},
        {"layer_decay": 0.8},
        {"schedule": "cosine"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_each_setting_still_learns(model: MiniBERT, moods: Task, settings: dict[str, object]) -> None:
    result = finetune(model, moods, THOROUGH.changed(**settings))
    plain = finetune(model, moods, THOROUGH)
    assert result.epochs[-1].dev == 1
    assert not np.array_equal(result.model.arena.flat, plain.model.arena.flat)


def test_who_speaks_if_nobody_is_named() -> None:
    own = ModelConfig.preset("debug")
    taught = own.changed(second_head="pairs", token_types=2)
    for config, speaks in (
        (own, "mean"),
        (taught, "first"),
        (own.changed(causal=True), "last"),
        (ModelConfig.preset("bert-tiny"), "first"),
    ):
        assert head_config(config, "classes", 2).pooled == speaks


def test_the_mean_of_all_real_tokens_speaks(model: MiniBERT, moods: Task) -> None:
    new = with_head(model, "classes", ["glad", "sad"])
    batch = next(training_batches(encoded_task(moods, new), new, 8, 0, 0))
    B, T = batch.ids.shape
    assert batch.positions.tolist() == [list(range(T))] * B
    t = Trace(new.arena, inputs=batch.inputs, queries=batch.positions)
    logits = new.network.forward(batch.ids, t)
    assert batch.inputs is not None
    for row in range(B):
        n = int(batch.inputs["attention_mask"][row].sum())
        alone = new.forward(batch.ids[row : row + 1, :n])[0]
        assert_close(logits[row], alone[0])


def test_the_mean_is_kept_and_read_again_and_refused_for_transformers(
    model: MiniBERT, moods: Task, tmp_path: Path
) -> None:
    tuned = finetune(model, moods, THOROUGH.changed(epochs=2, pooling="mean")).model
    place = save_finetuned(tuned, tmp_path / "moods", for_transformers=True)
    again = from_pretrained(place)
    assert again.config.pooled == "mean"
    texts = [one.text for one in MOODS]
    assert classes_of(again, texts) == classes_of(tuned, texts)
    bert = ModelConfig.preset("bert-tiny", hidden_size=32, num_layers=1, num_heads=2, vocab_size=1000)
    spoken = with_head(MiniBERT(bert), "classes", ["a", "b"], pooled="mean")
    with pytest.raises(ValueError, match=r"no bert with pooled=mean \(it would be first\); model\.save"):
        spoken.save_pretrained(tmp_path / "bert")


def test_dropout_belongs_to_the_tuned_model_alone(model: MiniBERT, moods: Task) -> None:
    tuned = finetune(model, moods, FinetuningConfig(epochs=1, dropout=0.2, attention_dropout=0.1)).model
    assert (tuned.config.dropout, tuned.config.attention_dropout) == (0.2, 0.1)
    assert model.config.dropout == 0


def test_hidden_words_are_others_in_each_epoch_and_never_special_ones(tokenizer: WordPieceTokenizer) -> None:
    hide = WordDropout.of(tokenizer, 0.3)
    assert hide is not None
    ids = np.full((200, 20), 50)
    ids[:, 0], ids[:, -1] = tokenizer.token_to_id["[CLS]"], tokenizer.token_to_id["[SEP]"]
    examples = np.arange(200)
    first = hide(ids, examples, 0, 0)
    hidden = first == tokenizer.token_to_id["[MASK]"]
    assert not hidden[:, [0, -1]].any()
    assert hidden[:, 1:-1].mean() == pytest.approx(0.3, abs=0.03)
    assert (first[~hidden] == ids[~hidden]).all()
    assert np.array_equal(hide(ids[50:60], examples[50:60], 0, 0), first[50:60])
    assert not np.array_equal(hide(ids, examples, 0, 1), first)
    assert not np.array_equal(hide(ids, examples, 1, 0), first)
    assert WordDropout.of(tokenizer, 0.0) is None


def test_the_average_is_judged_and_kept(model: MiniBERT, moods: Task) -> None:
    last = finetune(model, moods, THOROUGH.changed(epochs=3))
    nearly_last = finetune(model, moods, THOROUGH.changed(epochs=3, averaging=0.0))
    slow = finetune(model, moods, THOROUGH.changed(epochs=3, averaging=0.999))
    assert_close(nearly_last.model.arena.flat, last.model.arena.flat)
    assert not np.allclose(slow.model.arena.flat, last.model.arena.flat, atol=1e-4)


def test_the_first_token_of_a_causal_model_is_refused(tokenizer: WordPieceTokenizer, moods: Task) -> None:
    causal = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, causal=True))
    causal.tokenizer = tokenizer
    with pytest.raises(ValueError, match="the first token knows nothing of the text; choose mean"):
        finetune(causal, moods, FinetuningConfig(pooling="first"))
    assert finetune(causal, moods, THOROUGH.changed(pooling="mean")).epochs[-1].dev == 1
