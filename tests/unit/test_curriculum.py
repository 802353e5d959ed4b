"""A curriculum opens the easiest rows first; adaptive masking asks for more from those who find more."""

import numpy as np
import pytest

from mini_bert.data.document_rows import DocumentRows
from mini_bert.data.packing import PackedRows
from mini_bert.data.pair_rows import PairRows
from mini_bert.data.rows import Layout
from mini_bert.training.adaptive_masking import LEAST, MOST, AdaptiveShare
from mini_bert.training.curriculum import Curriculum, by_length, by_rarity
from mini_bert.training.facts import token_counts
from mini_bert.training.masking import Masking
from mini_bert.training.stream import MaskedStream

T = 24
MANY = np.arange(2000)


@pytest.fixture(params=[PackedRows, DocumentRows, PairRows])
def rows(request, cache, tokenizer):
    return request.param(cache, np.arange(len(cache)), T, Layout.of(tokenizer), seed=0)


def test_at_first_only_the_easiest_tenth_is_open_and_then_more():
    difficulty = np.random.default_rng(0).random(1000)
    ranks = np.argsort(np.argsort(difficulty))
    curriculum = Curriculum("test", difficulty, seed=0, until=0.5)
    hardest = [ranks[curriculum.chosen(MANY, done)].max() for done in (0.0, 0.1, 0.25, 0.49)]
    assert hardest[0] < 100
    assert hardest == sorted(hardest)
    assert hardest[-1] > 950
    assert np.array_equal(curriculum.chosen(MANY, 0.5), MANY)
    assert len(set(curriculum.chosen(MANY, 0.0).tolist())) == 100


def test_length_is_that_of_the_sentences(rows, cache):
    found = by_length(rows)
    assert found.shape == (rows.rows_per_epoch,)
    documents, offsets = rows.places(0, 5)
    for row in range(5):
        lengths = []
        for document, offset in zip(documents[row], offsets[row], strict=True):
            ends = cache.sentences(int(document))
            if offset < ends[-1]:
                sentence = int(np.searchsorted(ends, offset, side="right"))
                lengths.append(ends[sentence] - (ends[sentence - 1] if sentence else 0))
        assert found[row] == np.sum(lengths) / len(lengths)


def test_difficulties_do_not_hang_on_the_last_bits_of_sums_and_logarithms(
    rows, cache, tokenizer, monkeypatch
):
    counts = token_counts(cache, tokenizer.vocab_size)
    found = by_rarity(rows, counts)
    log = np.log
    monkeypatch.setattr(np, "log", lambda x: np.nextafter(log(x), np.inf))
    monkeypatch.setattr("mini_bert.training.curriculum.ROWS_AT_ONCE", 7)
    assert np.array_equal(by_rarity(rows, counts), found)
    monkeypatch.undo()
    lengths = by_length(rows)
    monkeypatch.setattr("mini_bert.training.curriculum.ROWS_AT_ONCE", 7)
    assert np.array_equal(by_length(rows), lengths)


def test_rows_that_are_equally_hard_keep_their_order():
    assert Curriculum("test", np.array([2.0, 1.0, 2.0, 1.0])).easiest_first.tolist() == [1, 3, 0, 2]


def test_rarity_is_the_mean_surprise_of_the_words(rows, cache, tokenizer):
    counts = token_counts(cache, tokenizer.vocab_size)
    assert counts.sum() == cache.contents.tokens
    found = by_rarity(rows, counts)
    p = (counts + 1) / (counts + 1).sum()
    ids = rows.take(0, 3)
    for row, rarity in zip(ids, found, strict=False):
        words = [i for i in row if i not in (0, 2, 3)]
        assert rarity == pytest.approx(-np.log(p[words]).mean(), abs=1e-6)  # steps of 2⁻²⁰


def test_a_stream_with_a_curriculum_shows_open_rows_and_refuses_the_state_of_another(rows, tokenizer):
    curriculum = Curriculum("length", by_length(rows), seed=0, until=0.5)
    stream = MaskedStream(rows, Masking.of(tokenizer), 3, 8, curriculum=curriculum)
    easy = {row.tobytes() for row in rows.numbered(curriculum.easiest_first[: rows.rows_per_epoch // 10])}
    batch = stream.take(8, done=0.0)
    text = batch.ids.copy()
    np.put_along_axis(text, batch.positions, batch.labels, 1)
    assert {row.tobytes() for row in text} <= easy
    plain = MaskedStream(rows, Masking.of(tokenizer), 3, 8)
    with pytest.raises(ValueError, match="curriculum"):
        plain.resume(stream.state())


def test_who_finds_many_words_is_asked_for_more():
    good, bad = AdaptiveShare(0.15), AdaptiveShare(0.15)
    for _ in range(400):
        good.observe(0.9)
        bad.observe(0.1)
    assert good.value == MOST
    assert bad.value == LEAST


def test_an_adaptive_share_goes_on_from_its_state():
    one, two = AdaptiveShare(0.15), AdaptiveShare(0.3)
    one.observe(0.7)
    two.load_state(one.state())
    one.observe(0.8)
    two.observe(0.8)
    assert (one.value, one.accuracy) == (two.value, two.accuracy)
