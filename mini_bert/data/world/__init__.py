"""A small world told in plain English: unlimited stories that are the same on every machine, with gold labels.

>>> from mini_bert.data.world import FACTS, minimal_pairs, story
>>> for sentence in story(8).sentences[:2]:
...     print(sentence.text)
The body of a goose is covered with feathers.
Children photograph geese and spiders at the zoo.
>>> [(token.text, token.upos, token.head, token.deprel) for token in story(8).sentences[1].tokens[:3]]
[('Children', 'NOUN', 2, 'nsubj'), ('photograph', 'VERB', 0, 'root'), ('geese', 'NOUN', 2, 'obj')]
>>> FACTS[0].clozes[0], FACTS[0].object
('A dog can [MASK].', 'bark')
>>> minimal_pairs("npi_any", 1)[0]
Pair(good='Nothing frightened any sailors.', bad='Something frightened any sailors.')

People meet, lose and find things, cook, travel, quarrel and make up; each story keeps a small state (who is
where, who owns what, who feels how), so that a hidden word often follows from sentences far back. A fixed set
of facts (animals, professions, an invented map) recurs in paraphrases.

- `story(index, seed)`, `stories(seed, start)`, `texts(count, seed, start)`: random access and streams. Held-out
  text is another seed.
- `Story.sentences`, `Sentence.text`, `.sentiment` ("positive", "negative", "neutral"), `.facts`, `.construction`.
- `Sentence.tokens`: `Token(text, upos, head, deprel, entity, coref, space_after, lemma, feats)`, with part of
  speech and dependencies as in Universal Dependencies, IOB2 entities PER/LOC/ORG, and the id of the referent on
  the head of each mention (on "and" for a pair). `Story.referents` lists them. "it" in "it rains" and pronouns
  in general statements have none. `to_conllu(sentence)` writes a sentence.
- `FACTS`: `Fact(relation, subject, object, clozes)`; a cloze's [MASK] is the single word `object`.
- `minimal_pairs(phenomenon, count, seed)` for each of `PHENOMENA`: (good, bad), one word apart.
"""

from mini_bert.data.world.facts import FACTS
from mini_bert.data.world.facts.fact import Fact
from mini_bert.data.world.gold import NEGATIVE, NEUTRAL, POSITIVE, Referent, Sentence, Story, Token, to_conllu
from mini_bert.data.world.pairs import PHENOMENA, Pair, minimal_pairs
from mini_bert.data.world.story import stories, story, texts

__all__ = [
    "FACTS",
    "NEGATIVE",
    "NEUTRAL",
    "PHENOMENA",
    "POSITIVE",
    "Fact",
    "Pair",
    "Referent",
    "Sentence",
    "Story",
    "Token",
    "minimal_pairs",
    "stories",
    "story",
    "texts",
    "to_conllu",
]
