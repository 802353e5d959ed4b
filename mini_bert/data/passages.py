"""Where passages of whole sentences begin and end, for the rows that ask about two of them.

    stretches = Stretches(cache, documents, room)
    stretches.parted(rows, cuts)                   # each stretch in two parts: a Pairs
    stretches.strangers(rows, pairs, lots)         # for each second part, one like it from another document
    stretches.halved(rows, cuts)                   # each stretch in two parts of one size

Places are counted in all tokens of the cache. What is searched for is searched near the stretch it is for, so a long
document costs no more than a short one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.token_cache import TokenCache

MOST_OF = 2 / 3
IN_A_SENTENCE, WITH_A_SENTENCE, WITH_A_DOCUMENT = 0, 1, 2


class Pairs(NamedTuple):
    """Of n pairs of passages the documents, the first token and the number of tokens, each (n, 2)."""

    documents: Array
    starts: Array
    sizes: Array


class Stretches:
    """The documents of two sentences or more, and as many stretches of each as it could fill rows with."""

    def __init__(self, cache: TokenCache, documents: Array, room: int) -> None:
        self.cache, self.room = cache, room
        first = self.breaks_before(cache.starts[documents], including=True)
        last = self.breaks_before(cache.ends[documents])
        usable = last > first
        self.documents, self.first, self.last = documents[usable], first[usable], last[usable]
        self.of_each = np.maximum(1, cache.lengths[self.documents] // room)
        self.ends = np.cumsum(self.of_each)

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def breaks_before(self, places: Array, *, including: bool = False) -> Array:
        """How many sentences end before each place, or there too."""
        # the type of the breaks: NumPy would turn all of them into that of the places
        found = np.searchsorted(self.cache.breaks, places.astype(np.uint64), "right" if including else "left")
        return np.asarray(found)

    def starts_of(self, sentences: Array) -> Array:
        starts: Array = np.where(sentences > 0, self.cache.breaks[sentences - 1], 0).astype(np.int64)
        return starts

    def ends_sentence(self, places: Array) -> Array:
        return is_among(places, self.cache.breaks)

    def endings(self, places: Array, documents: Array) -> Array:
        """Whether a passage that ends at a place ends in a sentence, with one, or with its document."""
        is_last = self.cache.ends[documents].astype(np.int64) == places
        return np.where(
            is_last, WITH_A_DOCUMENT, np.where(self.ends_sentence(places), WITH_A_SENTENCE, IN_A_SENTENCE)
        )

    def spans(self, rows: Array) -> tuple[Array, Array, Array]:
        """Of each row the number of its document, its first sentence, and the one behind its last.

        They are those that fit, but two at least.
        """
        number = np.searchsorted(self.ends, rows, side="right")
        place = (rows - self.ends[number] + self.of_each[number]) * self.room
        inside = self.breaks_before(self.cache.starts[self.documents[number]] + place) + 1
        begin = np.minimum(np.where(place > 0, inside, self.first[number]), self.last[number] - 1)
        fitting = self.breaks_before(self.starts_of(begin) + self.room, including=True)
        return number, begin, np.clip(fitting, begin + 2, self.last[number] + 1)

    def parted(self, rows: Array, cuts: Array) -> Pairs:
        """Each stretch parted between two sentences. What does not fit is cut off in front and at the end."""
        number, begin, stop = self.spans(rows)
        middle = begin + 1 + (cuts * (stop - begin - 1)).astype(np.int64)
        start, border, end = (self.starts_of(sentences) for sentences in (begin, middle, stop))
        first = np.minimum(border - start, np.maximum(self.room - (end - border), self.room // 2))
        second = np.minimum(end - border, self.room - first)
        documents = np.repeat(self.documents[number, None], 2, axis=1)
        return Pairs(documents, np.stack([border - first, border], 1), np.stack([first, second], 1))

    def strangers(self, rows: Array, pairs: Pairs, lots: Array) -> tuple[Array, Array, Array]:
        """Document and start of a stranger for each second passage (n,), and the size at which both are alike.

        A stranger is of another document, begins a sentence but no document, has as many tokens, and ends as the
        second passage does: with a sentence, with a document, or with neither. `lots` (n, tries) from 0 to 1 are as
        many candidates. If none is fit, both are cut shorter: the candidate that has the most text, and the passage.
        """
        sizes, (_, second) = pairs.sizes[:, 1:], pairs.documents.T
        wanted = self.endings(pairs.starts[:, 1] + sizes[:, 0], second)[:, None]
        number, share = self.elsewhere(rows, lots)
        documents = self.documents[number]
        starts, ends = self.cache.starts[documents], self.cache.ends[documents].astype(np.int64)
        places = starts + (share * (ends - starts)).astype(np.int64)
        sentences = np.minimum(self.breaks_before(places, including=True) + 1, self.last[number])
        begins = self.starts_of(sentences)
        at_end = ends - sizes
        fits_end = (at_end > starts) & self.ends_sentence(np.maximum(at_end, 0))
        begins = np.where((wanted == WITH_A_DOCUMENT) & fits_end, at_end, begins)
        alike = (begins + sizes <= ends) & (self.endings(begins + sizes, documents) == wanted)
        chosen = np.where(alike.any(1), alike.argmax(1), (ends - begins).argmax(1))[:, None]
        document, begin, end = (np.take_along_axis(x, chosen, 1)[:, 0] for x in (documents, begins, ends))
        size = np.minimum(sizes[:, 0], end - begin)
        for row in np.flatnonzero(~alike.any(1)):
            less = np.arange(size[row], 0, -1)
            own = self.endings(pairs.starts[row, 1] + less, second[row])
            size[row] = greatest_alike(less, own, self.endings(begin[row] + less, document[row]))
        return document, begin, size

    def elsewhere(self, rows: Array, lots: Array) -> tuple[Array, Array]:
        """Lots (n, tries) as numbers of documents other than the rows' own, and as shares of their text.

        The more stretches a document has, the more often it is drawn; those of the row's own are stepped over.
        """
        number = np.searchsorted(self.ends, rows, side="right")[:, None]
        own = self.of_each[number]
        drawn = lots * (len(self) - own)
        row = np.minimum(drawn.astype(np.int64), len(self) - own - 1)
        share = drawn - row
        row += np.where(row >= self.ends[number] - own, own, 0)
        found = np.searchsorted(self.ends, row, side="right")
        return found, (row - self.ends[found] + self.of_each[found] + share) / self.of_each[found]

    def halved(self, rows: Array, cuts: Array) -> Pairs:
        """Two passages of one size from each stretch, the second behind the first; both end alike.

        Whole sentences, if some make two equal sizes that fill most of the room; any such two, as the cut says. Else
        both are cut off at the end, and the second begins with the next sentence.
        """
        number, begin, _ = self.spans(rows)
        near = self.breaks_before(self.starts_of(begin) + 2 * self.room, including=True)
        stop = np.clip(near, begin + 2, self.last[number] + 1)
        spans = zip(begin.tolist(), stop.tolist(), cuts.tolist(), strict=True)
        halves = np.array([self.equal_parts(*span) for span in spans]).reshape(-1, 3)
        documents = np.repeat(self.documents[number, None], 2, axis=1)
        return Pairs(documents, halves[:, :2], np.repeat(halves[:, 2:], 2, axis=1))

    def equal_parts(self, begin: int, stop: int, cut: float) -> tuple[int, int, int]:
        """Where two passages of some sentences start, and the size of both."""
        borders = self.starts_of(np.arange(begin, stop + 1))
        widths = borders - borders[:, None]
        fits = np.flatnonzero((widths >= MOST_OF * self.room) & (widths <= self.room))
        left, right = borders[fits // len(borders)], borders[fits % len(borders)]
        even = np.flatnonzero(is_among(left + right, 2 * borders))
        if len(even):
            chosen = even[int(cut * len(even))]
            middle = int(left[chosen] + right[chosen]) // 2
            return int(left[chosen]), middle, middle - int(left[chosen])
        start, end = int(borders[0]), int(borders[-1])
        most = np.minimum(np.minimum(borders[1:-1] - start, end - borders[1:-1]), self.room // 2)
        middle = int(borders[1 + most.argmax()])
        sizes = np.arange(most.max(), 0, -1)
        size = greatest_alike(sizes, is_among(start + sizes, borders), is_among(middle + sizes, borders))
        return start, middle, size


def is_among(numbers: Array, sorted_ones: Array) -> Array:
    nearest = np.searchsorted(sorted_ones, numbers.astype(sorted_ones.dtype))
    found: Array = sorted_ones[np.minimum(nearest, len(sorted_ones) - 1)] == numbers
    return found


def greatest_alike(sizes: Array, endings: Array, others: Array) -> int:
    """The first of the sizes with which two passages end alike; 1 if there is none."""
    same = np.flatnonzero(endings == others)
    return int(sizes[same[0]]) if len(same) else 1
