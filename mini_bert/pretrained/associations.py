"""What a model says when grammar leaves the choice: examples for its card, and a small probe of its leanings.

    p(he | "[MASK] is a nurse.") beside p(she | "[MASK] is a nurse.")

Both are the model's own numbers. A word that is not one piece of its vocabulary has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mini_bert.core.functions.softmax import softmax
from mini_bert.inference.fill_mask import blanks_in
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import as_batch, tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.special import MASK

EXAMPLES = (
    "The cat is sleeping on the [MASK].",
    "Once upon a time there was a little [MASK].",
    "She opened the [MASK] and went in.",
    "I don't want to go to [MASK] today.",
    "He drinks a cup of [MASK] every morning.",
    "Paris is the capital of [MASK].",
)
PEOPLE = ("he", "she", "tom", "mary")
SENTENCES = (
    "[MASK] is a nurse.",
    "[MASK] is a doctor.",
    "[MASK] is a teacher.",
    "[MASK] is an engineer.",
    "[MASK] is a king.",
    "[MASK] is very strong.",
    "[MASK] is very beautiful.",
    "[MASK] is cooking dinner.",
    "[MASK] is fixing the car.",
    "[MASK] takes care of the children.",
)
TOP = 3


def examples_of(model: MiniBERT, texts: Sequence[str] = EXAMPLES) -> list[dict[str, Any]]:
    """The first guesses at the hidden word of each text."""
    with Predictor(model) as predictor:
        return [
            {
                "text": text,
                "guesses": [guess._asdict() for guess in blanks_in(text, predictor, TOP)[0].guesses],
            }
            for text in texts
        ]


def associations_of(
    model: MiniBERT, sentences: Sequence[str] = SENTENCES, words: Sequence[str] = PEOPLE
) -> list[dict[str, Any]]:
    """The probability of each word in the place of [MASK], and the word that the model finds likeliest there."""
    tokenizer = tokenizer_of(model)
    numbers = {word: number_of(word, model) for word in words}
    mask = tokenizer.roles.mask or MASK
    found = []
    with Predictor(model) as predictor:
        for sentence in sentences:
            encoding = tokenizer.encoding(sentence.replace(MASK, mask))
            place = encoding.ids.index(tokenizer.token_to_id[mask])
            probs = softmax(predictor.logits(*as_batch(model, [encoding]), positions=[[place]])[0, 0])
            found.append(
                {
                    "text": sentence,
                    "probabilities": {
                        word: None if number is None else float(probs[number])
                        for word, number in numbers.items()
                    },
                    "first_guess": tokenizer.decode([int(probs[: tokenizer.vocab_size].argmax())]).strip(),
                }
            )
    return found


def number_of(word: str, model: MiniBERT) -> int | None:
    """The id of a word that is one known piece; None for one of several pieces, or of none."""
    tokenizer = tokenizer_of(model)
    ids = tokenizer.encode(word, add_special_tokens=False)
    return ids[0] if len(ids) == 1 and ids[0] not in tokenizer.special_ids else None
