"""What the embedded world knows of its own words: of which kind they are, and which pairs stand in one relation."""

from __future__ import annotations

from mini_bert.data.world.lexicon import GERUND, PAST_FORM, adjectives
from mini_bert.data.world.tree import Word
from mini_bert.data.world.words.activities import ACTIVITIES
from mini_bert.data.world.words.animals import ANIMALS
from mini_bert.data.world.words.opposites import OPPOSITES
from mini_bert.data.world.words.people import AGENTS
from mini_bert.data.world.words.places import COUNTRIES
from mini_bert.data.world.words.things import CLASS_OF

GRADED = (
    "tall short old young big small long thick thin strong weak clean dark cold warm fast slow heavy light"
)


def kinds_of_words() -> dict[str, str]:
    """Each noun's kind: ball is a toy, soup is food."""
    return {noun.lemma: kind for noun, kind in CLASS_OF.items()}


def relations_of_words() -> dict[str, list[tuple[str, str]]]:
    """Pairs of words by relation; each word once on its side."""
    verbs = list(dict.fromkeys(deed.verb for deed in ACTIVITIES))
    graded = [(word.lemma, word.more.form) for word in adjectives(GRADED) if isinstance(word.more, Word)]
    found = {
        "noun: plural": [
            (noun.one.form, noun.many.form) for noun in CLASS_OF if not (noun.mass or noun.pair)
        ],
        "verb: past": [(verb.lemma, verb.forms[PAST_FORM].form) for verb in verbs],
        "verb: -ing": [(verb.lemma, verb.forms[GERUND].form) for verb in verbs],
        "verb: who does it": [(verb, agent) for verb, agent in AGENTS],
        "adjective: comparative": graded,
        "adjective: opposite": [(one.lemma, other.lemma) for one, other in OPPOSITES],
        "animal: young": [(one.noun.lemma, one.young) for one in ANIMALS if one.young != "-"],
        "country: capital": [(one.name.form, one.capital.form) for one in COUNTRIES],
        "country: language": [(one.name.form, one.language.form) for one in COUNTRIES],
    }
    return {name: [(a, b) for a, b in pairs if a != b] for name, pairs in found.items()}
