"""The split of documents into training and held-out text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.data.corpus import corpus
from mini_bert.data.split import fitting, split
from mini_bert.data.token_cache import tokenized
from tests.unit.token_cache.text_files import lines


def documents_of(cache, numbers):
    return [tuple(cache.document(number)) for number in numbers]


def test_split_holds_back_the_share_and_loses_nothing(tokenizer, tmp_path):
    cache = tokenized(corpus("world:120"), tokenizer, tmp_path)
    training, held_out = split(cache, 0.1)
    assert len(held_out) == 12
    assert sorted([*training, *held_out]) == list(range(120))
    assert cache.hashes[held_out].max() < cache.hashes[training].min()
    assert [len(side) for side in split(cache, 0)] == [120, 0]


def test_split_does_not_depend_on_order(tokenizer, stories, tmp_path):
    forth = tokenized(lines(tmp_path / "a.txt", stories), tokenizer, tmp_path)
    back = tokenized(lines(tmp_path / "b.txt", stories[::-1]), tokenizer, tmp_path)
    sides = [set(documents_of(cache, split(cache, 0.25).held_out)) for cache in (forth, back)]
    assert sides[0] == sides[1]


def test_split_never_parts_equal_documents(tokenizer, stories, tmp_path):
    copies = [story for index, story in enumerate(stories[:40]) for _ in range(1 + index % 5)]
    cache = tokenized(lines(tmp_path / "a.txt", copies), tokenizer, tmp_path)
    for share in np.linspace(0.05, 0.9, 12):
        training, held_out = (set(documents_of(cache, side)) for side in split(cache, share))
        assert training
        assert held_out
        assert not training & held_out


def test_split_when_most_documents_are_equal(tokenizer, tmp_path):
    cache = tokenized(lines(tmp_path / "a.txt", ["The dog barks."] * 50 + ["A cat."]), tokenizer, tmp_path)
    assert [len(side) for side in split(cache, 0.1)] == [50, 1]
    cache = tokenized(lines(tmp_path / "b.txt", ["The dog barks."] * 50), tokenizer, tmp_path)
    with pytest.raises(ValueError, match=r"5 are to be held out, but each is there 50 times"):
        split(cache, 0.1)


def test_a_header_on_every_page_is_not_the_held_out_text(tokenizer, stories, tmp_path):
    """Whichever hash is lowest: each story has its turn as the header."""
    for number, header in enumerate(stories[:12]):
        copies = [*stories[:100], *[header] * 900]
        cache = tokenized(lines(tmp_path / f"{number}.txt", copies), tokenizer, tmp_path)
        held_out = split(cache, 0.05).held_out
        assert len(held_out) == 50
        assert tuple(tokenizer.encode(header, add_special_tokens=False)) not in documents_of(cache, held_out)


@given(st.lists(st.integers(1, 12), max_size=30), st.integers(0, 60))
def test_groups_are_taken_as_long_as_they_fit(sizes, room):
    expected, left = [], room
    for number, size in enumerate(sizes):
        if size <= left:
            expected.append(number)
            left -= size
    assert fitting(np.array(sizes, int), room).tolist() == expected


@pytest.mark.parametrize(
    ("share", "message"),
    [(0.05, 'unit="line"'), (0.99, 'unit="line"'), (1.0, "held_out=1.0"), (-0.1, "like 0.05")],
)
def test_splits_that_cannot_be(tokenizer, tmp_path, share, message):
    cache = tokenized(lines(tmp_path / "a.txt", ["One dog.", "Two dogs.", "Three."]), tokenizer, tmp_path)
    with pytest.raises(ValueError, match=message):
        split(cache, share)
