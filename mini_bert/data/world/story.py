"""Stories by number: the same number and seed always give the same story."""

import itertools
from collections.abc import Iterator
from random import Random

from mini_bert.data.world.gold import Story
from mini_bert.data.world.kinds.dialogues import dialogue
from mini_bert.data.world.kinds.instructions import manual, recipe
from mini_bert.data.world.kinds.lessons import (
    about_animal,
    about_country,
    about_jobs,
    about_relation,
    lesson,
    town,
)
from mini_bert.data.world.kinds.tales import diary, letter_text, tale
from mini_bert.data.world.teller import Teller

# Out of a hundred stories, so many are of a kind.
SHARES = (
    (50, "tale", tale),
    (7, "diary", diary),
    (7, "letter", letter_text),
    (10, "dialogue", dialogue),
    (7, "lesson", lesson),
    (4, "animal", about_animal),
    (3, "country", about_country),
    (1, "jobs", about_jobs),
    (3, "schoolbook", about_relation),
    (4, "town", town),
    (2, "recipe", recipe),
    (2, "manual", manual),
)
KINDS = tuple((kind, tell) for share, kind, tell in SHARES for _ in range(share))


def story(index: int, seed: int = 0) -> Story:
    """Story number `index` of a seed; another seed is another world of stories with the same facts."""
    t = Teller(Random(f"{seed}/{index}"), turn=index)
    kind, tell = t.pick(KINDS)
    tell(t)
    return Story(kind, tuple(t.sentences), t.referents())


def stories(seed: int = 0, start: int = 0) -> Iterator[Story]:
    """All stories of a seed from number `start` on, without end."""
    return (story(index, seed) for index in itertools.count(start))


def texts(count: int, seed: int = 0, start: int = 0) -> Iterator[str]:
    """The texts of so many stories, one line each."""
    return (one.text for one in itertools.islice(stories(seed, start), count))
