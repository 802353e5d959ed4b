"""Masking: which words are asked for, and what stands in their place."""

from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mini_bert
from mini_bert.data.world import texts
from mini_bert.tokenizers import ByteLevelBPETokenizer, UnigramTokenizer
from mini_bert.tokenizers.special import CLS_ID, MASK_ID, PAD_ID, SEP_ID
from mini_bert.training.draws import RowDraws
from mini_bert.training.masking import (
    FIRST_WORD_ID,
    AnyTokens,
    Disguise,
    Masking,
    Spans,
    WholeWords,
    covering_turn,
    mask_for_training,
    word_numbers,
)

V = 50


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def ids(rng):
    """Many sequences with a special token at each end and one inside."""
    ids = rng.integers(FIRST_WORD_ID, V, (2000, 20))
    ids[:, 0], ids[:, -1], ids[:, 9] = CLS_ID, SEP_ID, SEP_ID
    return ids


def test_asks_for_k_different_words_of_each_sequence(ids, rng):
    batch = mask_for_training(ids, 3, rng, V)
    assert batch.positions.shape == batch.labels.shape == batch.weights.shape == (2000, 3)
    assert (np.diff(batch.positions, axis=1) > 0).all()
    assert (batch.labels == np.take_along_axis(ids, batch.positions, 1)).all()
    assert (batch.labels >= FIRST_WORD_ID).all()


def test_changes_nothing_but_the_chosen_words(ids, rng):
    before = ids.copy()
    batch = mask_for_training(ids, 3, rng, V)
    assert (ids == before).all()
    chosen = np.zeros(ids.shape, bool)
    np.put_along_axis(chosen, batch.positions, True, 1)
    assert (batch.ids[~chosen] == ids[~chosen]).all()


def test_eight_in_ten_are_hidden_one_replaced_one_kept(ids, rng):
    batch = mask_for_training(ids, 3, rng, V)
    shown = np.take_along_axis(batch.ids, batch.positions, 1)
    hidden, kept = shown == MASK_ID, shown == batch.labels
    sigma = np.sqrt(0.8 * 0.2 / shown.size)
    assert hidden.mean() == pytest.approx(0.8, abs=4 * sigma)
    assert kept.mean() == pytest.approx(0.1 + 0.1 / (V - FIRST_WORD_ID), abs=4 * sigma)
    assert (shown[~hidden] >= FIRST_WORD_ID).all()
    assert set(shown[~hidden & ~kept]) == set(range(FIRST_WORD_ID, V))


def test_every_word_is_as_likely(ids, rng):
    batch = mask_for_training(ids, 3, rng, V)
    counts = np.bincount(batch.positions.reshape(-1), minlength=20)
    assert not counts[[0, 9, 19]].any()
    assert counts[counts > 0] == pytest.approx(2000 * 3 / 17, rel=0.25)


def test_weights_add_up_to_one(ids, rng):
    assert mask_for_training(ids[:7], 3, rng, V).weights.sum() == pytest.approx(1, rel=1e-12)


def test_a_sequence_short_of_words_has_places_of_weight_zero(rng):
    ids = np.array([[CLS_ID, 7, SEP_ID, CLS_ID], [8, 9, 10, 11]])
    batch = mask_for_training(ids, 2, rng, V, hidden=1.0, replaced=0.0)
    assert sorted(batch.weights[0]) == pytest.approx([0, 1 / 3])
    assert batch.weights[1] == pytest.approx([1 / 3, 1 / 3])
    assert batch.ids[0].tolist() == [CLS_ID, MASK_ID, SEP_ID, CLS_ID]


def test_the_same_generator_state_masks_alike(ids):
    one, two = (mask_for_training(ids, 3, np.random.default_rng(1), V) for _ in range(2))
    assert (one.ids == two.ids).all()
    assert (one.positions == two.positions).all()


@pytest.mark.parametrize("k", [0, 21])
def test_impossible_k_is_refused(ids, rng, k):
    with pytest.raises(ValueError, match="choose k from 1 to 20"):
        mask_for_training(ids, k, rng, V)


CHOOSERS = [AnyTokens(), WholeWords(), Spans()]


def one_word_each(ids):
    return np.broadcast_to(np.arange(ids.shape[1]), ids.shape)


@pytest.mark.parametrize("chooser", CHOOSERS, ids=repr)
@given(
    is_word=st.lists(st.booleans(), min_size=1, max_size=24), seed=st.integers(0, 99), share=st.floats(0, 1)
)
def test_exactly_k_places_and_only_words_are_asked_for(chooser, is_word, seed, share):
    is_word = np.array([is_word])
    T = is_word.shape[1]
    k = max(1, round(share * T))
    positions, asked = chooser.choose(
        is_word, np.array([k]), k, np.random.default_rng(seed), one_word_each(is_word)
    )
    assert positions.shape == asked.shape == (1, k)
    assert (np.diff(positions) > 0).all()
    assert asked.sum() == min(k, is_word.sum())
    assert is_word[0, positions[asked]].all()


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=10), k=st.integers(1, 10), seed=st.integers(0, 99)
)
def test_whole_words_are_masked_whole(sizes, k, seed):
    word_ids = np.repeat(np.arange(len(sizes)), sizes)[None]
    k = min(k, word_ids.size)
    positions, asked = WholeWords().choose(
        word_ids >= 0, np.array([k]), k, np.random.default_rng(seed), word_ids
    )
    counts = np.bincount(word_ids[0, positions[asked]], minlength=len(sizes))
    assert all(count in (0, size) for count, size in zip(counts, sizes, strict=True))
    smallest_left = min((size for count, size in zip(counts, sizes, strict=True) if not count), default=99)
    assert k - asked.sum() < smallest_left


def test_a_special_token_parts_words_of_equal_number():
    is_word = np.array([[True, True, False, True]])
    assert word_numbers(is_word, np.array([[0, 0, 0, 0]])).tolist() == [[0, 0, 1, 2]]


def test_whole_words_need_word_ids(ids, rng):
    with pytest.raises(ValueError, match="needs word_ids"):
        Masking(V, WholeWords())(ids, 3, rng)


def test_what_is_not_asked_for_stays_as_it_is(rng):
    """A word of three pieces does not fit into k = 2: nothing is asked for."""
    ids = np.array([[7, 8, 9]])
    batch = Masking(V, WholeWords(), Disguise(1, 0))(ids, 2, rng, word_ids=np.zeros((1, 3), int))
    assert not batch.weights.any()
    assert (batch.ids == ids).all()


def runs(row):
    """The lengths of the runs of True."""
    edges = np.flatnonzero(np.diff(np.pad(row.astype(int), 1)))
    return edges[1::2] - edges[::2]


def test_spans_are_contiguous(rng):
    """Few places of many: spans seldom meet, and only the last is cut."""
    is_word = np.ones((500, 400), bool)
    positions, _ = Spans(p=1e-9, longest=4).choose(is_word, np.full(500, 8), 8, rng)
    lengths = np.concatenate([runs(np.isin(np.arange(400), row)) for row in positions])
    assert lengths.sum() == 500 * 8
    assert 2 < lengths.mean() < 4


def test_a_place_is_covered_by_the_first_span_that_reaches_it():
    covered = covering_turn(np.ones((1, 4), bool), np.array([[1, 3, 2, 0]]), np.array([[3, 1, 1, 1]]))
    assert covered.tolist() == [[1, 1, 1, 0]]


def test_spans_end_at_special_tokens():
    is_word = np.array([[True, False, True]])
    assert covering_turn(is_word, np.array([[0, 1, 2]]), np.full((1, 3), 3)).tolist() == [[0, 1, 2]]


def test_span_lengths_are_geometric(rng):
    lengths = Spans().lengths(rng.random(100_000))
    assert lengths.min() == 1
    assert lengths.max() == 10
    share = 0.2 / (1 - 0.8**10)
    assert (lengths == 1).mean() == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 1e5))
    assert lengths.mean() == pytest.approx(3.8, abs=0.05)


@pytest.mark.parametrize("arguments", [(0.0, 3), (1.0, 3), (0.2, 0)])
def test_impossible_spans_are_refused(arguments):
    with pytest.raises(ValueError, match="choose 0 < p < 1"):
        Spans(*arguments)


@pytest.mark.parametrize("chooser", CHOOSERS, ids=repr)
def test_static_masking_is_the_same_in_every_epoch_and_batch(chooser, ids):
    masking, words = Masking(V, chooser), one_word_each(ids)
    first = masking(ids[:6], 3, RowDraws(7, range(6)), words[:6])
    order = np.array([4, 0, 5])
    again = masking(ids[order], 3, RowDraws(7, order), words[order])
    assert (again.ids == first.ids[order]).all()
    assert (again.positions == first.positions[order]).all()
    assert (masking(ids[:6], 3, RowDraws(8, range(6)), words[:6]).positions != first.positions).any()


def test_static_masking_needs_a_number_for_each_row(ids):
    with pytest.raises(ValueError, match="2 row numbers for 3 sequences"):
        Masking(V)(ids[:3], 3, RowDraws(0, [1, 2]))


@pytest.mark.parametrize(
    ("chooser", "k", "digest"),
    [(AnyTokens(), 12, "0681ccaf"), (WholeWords(), 8, "0c065774"), (Spans(), 12, "64efd6f4")],
    ids=repr,
)
def test_masks_are_the_same_on_every_machine(chooser, k, digest):
    """Rows that cannot fill k: the places that fill it up must not depend on how a processor breaks ties."""
    ids = np.random.default_rng(0).integers(FIRST_WORD_ID, V, (64, 40))
    ids[:, 9:] = PAD_ID
    words = one_word_each(ids) // 3
    batch = Masking(V, chooser)(ids, k, RowDraws(5, range(64)), words)
    content = b"".join(array.astype("<i8").tobytes() for array in (batch.ids, batch.positions, batch.labels))
    assert blake2b(content, digest_size=4).hexdigest() == digest


@pytest.mark.parametrize("chooser", CHOOSERS, ids=repr)
def test_a_row_is_asked_for_no_more_than_its_quota(chooser, ids, rng):
    quota = np.arange(2000) % 5
    batch = Masking(V, chooser)(ids, 4, rng, one_word_each(ids), quota)
    assert ((batch.weights > 0).sum(1) == quota).all()
    untouched = np.zeros(ids.shape, bool)
    np.put_along_axis(untouched, batch.positions, batch.weights == 0, 1)
    assert (batch.ids[untouched] == ids[untouched]).all()


@pytest.mark.parametrize("style", ["roberta", "xlnet"])
def test_masking_with_the_tokens_of_a_tokenizer(style, rng):
    text = list(texts(50))
    if style == "roberta":
        tokenizer = ByteLevelBPETokenizer.train(text, 400, style=style)
    else:
        tokenizer = UnigramTokenizer.train(text, 300, style=style)
    masking = Masking.of(tokenizer, disguise=Disguise(1, 0))
    ids = np.array([tokenizer.encode("the dog was here")])
    batch = masking(ids, ids.shape[1], rng)
    asked = batch.weights[0] > 0
    assert asked.sum() == len(tokenizer.encode("the dog was here", add_special_tokens=False))
    assert set(batch.ids[0, asked]) == {tokenizer.token_to_id["<mask>"]}


def test_a_tokenizer_that_cannot_hide_words_is_refused():
    with pytest.raises(ValueError, match="has no token to hide a word with"):
        Masking.of(ByteLevelBPETokenizer.train(list(texts(20)), 300, style="gpt2"))


@pytest.mark.parametrize(("hidden", "replaced"), [(0.8, 0.1), (0.8, 0.2), (1, 0), (0, 0)])
def test_shares_of_the_disguise(rng, hidden, replaced):
    words = np.full(50_000, 9)
    shown = Disguise(hidden, replaced).shown(words, rng, MASK_ID, np.arange(100, 200))
    for share, expected in ((shown == MASK_ID, hidden), (shown >= 100, replaced)):
        sigma = np.sqrt(expected * (1 - expected) / words.size)
        assert share.mean() == pytest.approx(expected, abs=5 * sigma)


@pytest.mark.parametrize("shares", [(0.9, 0.2), (-0.1, 0.5)])
def test_impossible_shares_are_refused(shares):
    with pytest.raises(ValueError, match="add up to 1 at most"):
        Disguise(*shares)


def test_another_vocabulary(rng):
    """RoBERTa's: <mask> comes last, and words begin at 4."""
    ids = np.tile([0, 4, 5, 6, 2, 1], (500, 1))
    batch = Masking(9, mask_id=8, special_ids=(0, 1, 2, 3))(ids, 3, rng)
    assert (batch.positions == [1, 2, 3]).all()
    assert set(batch.ids[:, 1:4].ravel()) == {4, 5, 6, 7, 8}


def test_impossible_vocabularies_are_refused(rng):
    with pytest.raises(ValueError, match="they must be part of it"):
        Masking(50, mask_id=50)(np.array([[7]]), 1, rng)
    with pytest.raises(ValueError, match="leave words over"):
        Masking(5)(np.array([[2]]), 1, rng)
    with pytest.raises(ValueError, match="ids from 7 to 50, but vocab_size=50"):
        Masking(50)(np.array([[7, 50]]), 1, rng)


def test_mask_tokens_knows_the_special_tokens_of_bert_s_own_vocabulary():
    ids = np.tile([101, 2000, 3000, 102, 0], (200, 1))
    _, _, chosen = mini_bert.mask_tokens(ids, 30522, 103, 0.5, rng=0)
    assert not chosen[:, [0, 3, 4]].any()
    assert chosen[:, 1:3].any(0).all()


@pytest.mark.parametrize("ids", [np.zeros((2, 0), int), np.ones((1, 3)), np.ones((1, 3), bool)])
def test_mask_tokens_wants_ids(ids):
    with pytest.raises(ValueError, match="expected token ids"):
        mini_bert.mask_tokens(ids, 50)


def test_mask_tokens(ids):
    before = ids.copy()
    shown, targets, chosen = mini_bert.mask_tokens(ids, V, MASK_ID, 0.15, rng=5)
    assert (ids == before).all()
    assert (targets == before).all()
    assert chosen.dtype == bool
    assert chosen.shape == shown.shape == ids.shape
    assert (shown[~chosen] == ids[~chosen]).all()
    assert (ids[chosen] >= FIRST_WORD_ID).all()
    assert chosen.any(axis=1).all()
    sigma = np.sqrt(0.8 * 0.2 / chosen.sum())
    assert (shown[chosen] == MASK_ID).mean() == pytest.approx(0.8, abs=5 * sigma)


def test_mask_tokens_chooses_each_word_with_its_probability():
    """In long sequences, where one word at least is no constraint."""
    ids = np.full((100, 500), 7)
    _, _, chosen = mini_bert.mask_tokens(ids, vocab_size=V, mask_token_id=MASK_ID, mask_prob=0.3, rng=1)
    assert chosen.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / ids.size))
    assert mini_bert.mask_tokens(ids, V, mask_prob=1.0)[2].all()


def test_mask_tokens_chooses_one_word_at_least_but_no_special_token():
    _, _, chosen = mini_bert.mask_tokens(np.array([[2, 7, 3], [2, 3, 0]]), V, mask_prob=1e-12, rng=0)
    assert chosen.tolist() == [[False, True, False], [False, False, False]]


def test_mask_tokens_is_repeatable_by_seed_and_by_generator(ids):
    by_seed, again = (mini_bert.mask_tokens(ids, V, rng=3)[0] for _ in range(2))
    by_generator = mini_bert.mask_tokens(ids, V, rng=np.random.default_rng(3))[0]
    assert (by_seed == again).all()
    assert (by_seed == by_generator).all()
    assert (by_seed != mini_bert.mask_tokens(ids, V, rng=4)[0]).any()


@pytest.mark.parametrize("mask_prob", [0, 1.5])
def test_impossible_mask_prob_is_refused(ids, mask_prob):
    with pytest.raises(ValueError, match="choose more than 0 and at most 1"):
        mini_bert.mask_tokens(ids, V, mask_prob=mask_prob)
