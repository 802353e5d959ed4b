"""What `mini-bert gradflow` asks a model for, to have a loss and a gradient."""

from __future__ import annotations

import re

from mini_bert.analysis.lessons import every_word_of, lesson_of
from mini_bert.analysis.reading import Reading, read
from mini_bert.data.world import texts as stories
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.guide import ModelFactory
from mini_bert.inference.fill_mask import check_fit, fill_mask
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.special import MASK

STORIES = 16


def untrained(preset: str) -> MiniBERT:
    """A preset with random weights, and a vocabulary learned from the embedded world just now."""
    model = MiniBERT(preset)
    model.tokenizer = ModelFactory.create_tokenizer(vocab_size=model.config.vocab_size)
    return model


def gradient_exercise(
    model: MiniBERT, text: str | None, target: str | None, word: str | None
) -> tuple[Reading | Lesson, str]:
    """What the loss is asked of, and the same in words."""
    if text is None:
        lesson = lesson_of(model, list(stories(STORIES, WORLD_SEEDS["test"])))
        words = int((lesson.batch.weights > 0).sum())
        return lesson, f"{STORIES} stories of the embedded world, {words} words asked for"
    if word is not None:
        check_fit(model)
        return read(model, text, hidden=places_of(model, text, word)), f"“{word}” is hidden and asked for"
    if MASK not in text and (tokenizer_of(model).roles.mask or MASK) not in text:
        if target is not None:
            raise ValueError(f"--target {target}: the text has no {MASK} for it; write one, or use --mask")
        return every_word_of(model, text), told_asked(model)
    check_fit(model)
    if target is not None:
        return read(model, text, target=target), f"“{target}” is asked for behind {MASK}"
    guesses = {blank.place: blank.guesses[0].token for blank in fill_mask(model, text, top=1)}
    told = ", ".join(f"“{guess}”" for guess in guesses.values())
    return read(model, text, target=guesses), (
        f"{told} asked for behind {MASK}: the model's own first guess; --target asks for another word"
    )


def told_asked(model: MiniBERT) -> str:
    if model.config.causal:
        return "every next word is asked for"
    return "some words are hidden" if model.config.generator else "each word is hidden in turn and asked for"


def places_of(model: MiniBERT, text: str, word: str) -> list[int]:
    """The pieces of a word, wherever it stands in the text."""
    spans = [
        found.span() for found in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags=re.IGNORECASE)
    ]
    offsets = tokenizer_of(model).encoding(text).offsets
    places = [
        place
        for place, (start, end) in enumerate(offsets)
        if any(start < stop and end > begin for begin, stop in spans)
    ]
    if not places:
        raise ValueError(f"--mask {word}: the text has no such word; choose one of: {text}")
    return places
