"""Feelings: what causes them, how they are called, and how they show."""

from mini_bert.data.world.lexicon import Adjective, Verb, adjectives, adverbs, verb, zipf
from mini_bert.data.world.tree import Word

# cause: the feelings that follow from it
CAUSES = {
    "gift": "happy glad delighted grateful thankful thrilled pleased",
    "success": "proud happy excited pleased delighted satisfied",
    "relief": "relieved happy glad calm cheerful",
    "fun": "happy cheerful excited joyful glad",
    "hope": "hopeful excited eager confident",
    "loss": "sad upset unhappy miserable worried",
    "harm": "angry upset annoyed furious sad",
    "danger": "afraid scared frightened nervous worried",
    "failure": "disappointed sad upset unhappy ashamed",
    "alone": "lonely sad bored unhappy",
    "guilt": "sorry ashamed guilty sad unhappy",
    "envy": "jealous upset unhappy angry",
}
FEELINGS = {cause: zipf(adjectives(words), 3) for cause, words in CAUSES.items()}
GOOD_CAUSES = frozenset(("gift", "success", "relief", "fun", "hope"))
EXTREME = frozenset(adjectives("delighted furious miserable thrilled"))  # one does not say "very furious"

# cause: what one then is not, and of what one is full
_NOT = {
    "gift": "disappointed unhappy sad", "success": "disappointed unhappy nervous", "relief": "worried afraid sad",
    "fun": "bored sad lonely", "hope": "worried afraid sad", "loss": "happy cheerful calm glad",
    "harm": "happy pleased glad", "danger": "calm brave relaxed", "failure": "proud satisfied happy pleased",
    "alone": "happy cheerful", "guilt": "proud happy", "envy": "happy pleased glad",
}  # fmt: skip
NOT_FEELINGS = {cause: adjectives(words) for cause, words in _NOT.items()}
_FULL_OF = {
    "gift": "happiness joy thankfulness", "success": "pride happiness joy", "relief": "happiness joy",
    "fun": "joy happiness", "hope": "hope excitement", "loss": "sadness grief", "harm": "anger",
    "danger": "fear", "failure": "sadness shame", "alone": "loneliness sadness", "guilt": "shame guilt",
    "envy": "envy anger",
}  # fmt: skip
FULL_OF = {
    cause: tuple(Word(w, "NOUN", feats="Number=Sing") for w in words.split())
    for cause, words in _FULL_OF.items()
}

SHOWS_GOOD = zipf([(verb(v), adverbs(a)) for v, a in (
    ("smile", "happily brightly warmly proudly widely"),
    ("laugh", "loudly happily cheerfully"),
    ("dance", "happily joyfully"),
    ("sing", "cheerfully happily softly"),
    ("clap", "loudly happily excitedly"),
    ("cheer", "loudly excitedly"),
    ("grin", "happily proudly broadly"),
)], 2)  # fmt: skip
SHOWS_BAD = zipf([(verb(v), adverbs(a)) for v, a in (
    ("cry", "quietly sadly bitterly loudly"),
    ("sigh", "sadly deeply heavily"),
    ("frown", "angrily sadly"),
    ("sob", "quietly bitterly loudly"),
    ("complain", "loudly bitterly angrily"),
    ("weep", "softly silently bitterly"),
    ("groan", "loudly unhappily"),
)], 2)  # fmt: skip
SHOWS_FEAR = zipf([(verb(v), adverbs(a)) for v, a in (
    ("tremble", "nervously"),
    ("shiver", "nervously violently"),
    ("scream", "loudly wildly"),
    ("cry", "loudly nervously"),
)], 2)  # fmt: skip
BECOME: tuple[Verb, ...] = tuple(map(verb, ("feel", "feel", "become", "look", "seem")))

EVENT_GOOD: tuple[Adjective, ...] = adjectives(
    "wonderful lovely great perfect exciting beautiful pleasant delightful enjoyable memorable peaceful good"
)
EVENT_BAD: tuple[Adjective, ...] = adjectives(
    "terrible awful boring horrible unpleasant dreadful dull painful stressful disastrous bad"
)
