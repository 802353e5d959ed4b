"""Minimal pairs: a sentence of the grammar, and the same sentence with one word that makes it wrong.

The good sentence is built by the phrase functions that tell the stories; the wrong one differs from it in a
single token, so a model that prefers the good one has learned that phenomenon and nothing else.
"""

from collections.abc import Callable
from random import Random

from mini_bert.data.world.pairs.agreement import (
    agreement_across_object_relative,
    agreement_across_pp,
    agreement_across_subject_relative,
    agreement_coordination,
    agreement_in_relative,
    agreement_quantifier,
    agreement_question,
    agreement_simple,
    agreement_there,
)
from mini_bert.data.world.pairs.forms import (
    article,
    comparative,
    determiner_noun,
    do_support,
    equative,
    gerund,
    irregular_past,
    manner,
    modal_base,
    npi_any,
    npi_ever,
    passive_participle,
    perfect_participle,
    possessive,
    progressive,
    pronoun_case,
    quantity,
    reflexive_gender,
    reflexive_number,
    relative_animacy,
    tense_time,
    wh_gap,
    wh_question,
)
from mini_bert.data.world.pairs.frame import Contrast, Pair, written
from mini_bert.data.world.teller import Teller

_PHENOMENA: tuple[Callable[[Teller], Contrast], ...] = (
    agreement_simple, agreement_across_pp, agreement_across_subject_relative, agreement_across_object_relative,
    agreement_in_relative, agreement_coordination, agreement_question, agreement_there, agreement_quantifier,
    determiner_noun, article, reflexive_gender, reflexive_number, npi_ever, npi_any, do_support, modal_base,
    irregular_past, perfect_participle, passive_participle, progressive, pronoun_case, possessive, comparative,
    equative, relative_animacy, wh_gap, wh_question, tense_time, gerund, quantity, manner,
)  # fmt: skip
_MAKERS = {maker.__name__: maker for maker in _PHENOMENA}
PHENOMENA = tuple(_MAKERS)

__all__ = ["PHENOMENA", "Pair", "minimal_pairs"]


def minimal_pairs(phenomenon: str, count: int, seed: int = 0) -> list[Pair]:
    """So many pairs (good, bad) of a phenomenon, the same for the same seed."""
    maker = _MAKERS.get(phenomenon)
    if maker is None:
        raise ValueError(f"minimal_pairs: no phenomenon {phenomenon!r}; choose from {', '.join(PHENOMENA)}")
    return [written(maker(Teller(Random(f"{seed}/{phenomenon}/{index}")))) for index in range(count)]
