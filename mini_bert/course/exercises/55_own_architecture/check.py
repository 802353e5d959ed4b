import re
from collections import Counter

import numpy as np

from mini_bert.core.array import Array
from mini_bert.course import judging as judge
from mini_bert.course.learner import Learner
from mini_bert.data.world import texts
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.objectives.masked_words import masked_word_backward, masked_word_loss
from mini_bert.training.optimizers.adamw import AdamW

V, T, ROWS, HIDDEN, STEPS, WARMUP, RATE = 512, 16, 32, 3, 300, 30, 3e-3
BUDGET, GOAL = 107_072, 4.4
UNKNOWN, MASK, FIRST_WORD = 1, 4, 5


def check(learner: Learner) -> None:
    learner.begin("design: a configuration of a model that tells words")
    config = learner.design(V, T)
    judge.holds(
        isinstance(config, ModelConfig),
        f"design gave a {type(config).__name__}, expected a ModelConfig.",
        mistake="the function ends without `return`" if config is None else None,
    )
    check_fits(config)
    learner.begin(f"design: within the budget of {BUDGET:,} weights")
    model = MiniBERT(config)
    judge.holds(
        model.num_parameters <= BUDGET,
        f"your design has {model.num_parameters:,} weights, {model.num_parameters - BUDGET:,} too many.\n"
        f"  of words {words_of(model):,}, of everything else {model.num_parameters - words_of(model):,}",
        mistake="what was added has to be saved elsewhere: a narrower model, tied words, fewer layers",
    )
    loss = trained(model)
    learner.begin(f"design: held-out loss after {STEPS} steps: {loss:.2f}, to be below {GOAL}")
    told = f"after {STEPS} steps your design, with {model.num_parameters:,} weights, has a loss of {loss:.2f}"
    judge.holds(
        np.isfinite(loss),
        f"{told}.",
        mistake="the weights have run away: first weights too large, or a norm is missing",
    )
    judge.holds(
        loss < GOAL,
        f"{told}; it has to be below {GOAL}.",
        mistake="this is the baseline; change something in it" if config == learner.baseline(V, T) else None,
    )


def check_fits(config: ModelConfig) -> None:
    judge.holds(
        config.vocab_size == V,
        f"vocab_size is {config.vocab_size}, but design was given {V}.",
        mistake="the argument vocab_size is not used",
    )
    judge.holds(
        config.max_seq_length == T,
        f"max_seq_length is {config.max_seq_length}, but design was given {T}.",
        mistake="the argument max_seq_length is not used",
    )
    judge.holds(
        config.head == "words" and config.generator is None and config.streams == 1,
        "this model cannot be asked for hidden words.",
        mistake="choose head='words', with one stream and no generator",
    )


def words_of(model: MiniBERT) -> int:
    return sum(weight.size for weight in model.arena.values() if V in weight.shape)


def trained(model: MiniBERT) -> float:
    """The loss on held-out text after some steps of AdamW; everything but the model is fixed."""
    learned, held_out = world()
    optimizer = AdamW(model.arena, learning_rate=RATE, weight_decay=0.01)
    gradient, rng = model.arena.zeros_like(), np.random.default_rng(0)
    with np.errstate(all="ignore"):  # a loss that runs away is told as such
        for step in range(STEPS):
            batch = hidden_words(learned[rng.integers(0, len(learned), ROWS)], rng)
            gradient.flat[:] = 0
            _, trace = masked_word_loss(model.network, model.arena, batch)
            masked_word_backward(model.network, batch, trace, gradient)
            optimizer.learning_rate = RATE * min((step + 1) / WARMUP, (STEPS - step) / (STEPS - WARMUP), 1)
            length = float(np.linalg.norm(gradient.flat))
            optimizer.step(gradient, scale=1 / max(length, 1))
        batch = hidden_words(held_out, np.random.default_rng(9))
        return float(masked_word_loss(model.network, model.arena, batch, keeps=False)[0])


def world() -> tuple[Array, Array]:
    """Rows of T words to learn from, and others, by their ids."""
    learned, held_out = (
        [word for text in texts(count, seed) for word in re.findall(r"\w+|[^\w\s]", text.lower())]
        for count, seed in ((600, 0), (100, 1))
    )
    known = [word for word, _ in Counter(learned).most_common(V - FIRST_WORD)]
    number = {word: FIRST_WORD + i for i, word in enumerate(known)}
    found = [np.array([number.get(word, UNKNOWN) for word in words]) for words in (learned, held_out)]
    return found[0][: len(found[0]) // T * T].reshape(-1, T), found[1][: len(found[1]) // T * T].reshape(
        -1, T
    )


def hidden_words(rows: Array, rng: np.random.Generator) -> MaskedBatch:
    """Some words of each row behind a mask; an unknown word is not asked for."""
    positions = np.argsort(rng.random(rows.shape), axis=1)[:, :HIDDEN]
    labels = np.take_along_axis(rows, positions, 1)
    shown = rows.copy()
    np.put_along_axis(shown, positions, MASK, 1)
    weights = (labels != UNKNOWN).astype(np.float32)
    return MaskedBatch(shown, positions, labels, weights / weights.sum())
