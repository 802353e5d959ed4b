"""What counting reaches: the formulas by hand, and the same exam as the model's."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.split import split
from mini_bert.data.token_cache import tokenized
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.data.world import texts
from mini_bert.evaluation.cloze_baselines import ContextCounts, NeighbourCounts
from mini_bert.evaluation.clozes import clozes
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.special import MASK_ID
from mini_bert.training.baselines import WordFrequencies, score
from mini_bert.training.facts import counts_in, gathered
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.validation import exam_of

T = 16


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(200)), 1000)


@pytest.fixture(scope="module")
def world(tokenizer, tmp_path_factory):
    """Rows to learn from, and held-out rows."""
    cache = tokenized(corpus("world:300"), tokenizer, tmp_path_factory.mktemp("cache"))
    training, held_out = split(cache, 0.1)
    layout = Layout.of(tokenizer)
    return PackedRows(cache, training, T, layout), PackedRows(cache, held_out, T, layout, seed=None)


@pytest.fixture
def of_text(tmp_path):
    """Baselines of one line of words, each its own token, and their ids."""

    def make(text):
        (tmp_path / "text.txt").write_text(text, "utf-8")
        source = corpus(tmp_path / "text.txt")
        tokenizer, _ = learned_vocabulary(source, 40, folder=tmp_path)
        cache = tokenized(source, tokenizer, tmp_path)
        rows = PackedRows(cache, np.arange(1), len(text.split()) + 2, Layout.of(tokenizer), seed=None)
        return NeighbourCounts.of(rows, tokenizer), tokenizer.token_to_id

    return make


def one(baseline, left, right):
    return baseline(np.array([left]), np.array([right]))[0]


def test_frequencies_are_counts_and_one_of_ordinary_words_only(of_text):
    counts, ids = of_text("a b a c a b")
    ordinary = len(counts.words.probs) - 5
    assert counts.words.probs[ids["a"]] == pytest.approx(4 / (6 + ordinary))
    assert counts.words.most_frequent == ids["a"]
    assert counts.words.probs[MASK_ID] == 0


def test_counts_of_a_context_are_mixed_with_what_was_believed_before():
    seen = ContextCounts.of(np.array([0, 0, 0, 2]), np.array([1, 1, 2, 0]), vocab_size=3)
    prior = np.array([0.2, 0.3, 0.5])
    assert seen.mixed(0, prior, 2.0) == pytest.approx([0.4 / 5, 2.6 / 5, 2 / 5])
    assert seen.mixed(1, prior, 2.0) == pytest.approx(prior)
    assert seen.mixed(2, prior, 1.0) == pytest.approx([1.2 / 2, 0.3 / 2, 0.5 / 2])


def test_counts_of_parts_add_up_to_those_of_the_whole():
    contexts, words = np.random.default_rng(0).integers(0, 7, (2, 300))
    whole = ContextCounts.of(contexts, words, 7)
    parts = [
        ContextCounts.of(contexts[at], words[at], 7) for at in (slice(90), slice(90, 95), slice(95, None))
    ]
    together = ContextCounts.together(parts)
    assert together.keys.tolist() == whole.keys.tolist()
    assert together.counts.tolist() == whole.counts.tolist()


def test_neighbours_are_counted_in_no_more_text_than_wanted_and_that_is_told(world, tokenizer, monkeypatch):
    rows = world[0]
    whole = NeighbourCounts.of(rows, tokenizer)
    assert whole.tokens == rows.rows_per_epoch * T
    monkeypatch.setattr("mini_bert.training.baselines.ROWS_AT_ONCE", 100)
    in_blocks, part = NeighbourCounts.of(rows, tokenizer), NeighbourCounts.of(rows, tokenizer, 250 * T)
    for name in ("after", "before", "between"):
        assert np.array_equal(getattr(in_blocks, name).keys, getattr(whole, name).keys)
        assert np.array_equal(getattr(in_blocks, name).counts, getattr(whole, name).counts)
    assert part.tokens == 250 * T
    assert part.after.counts.sum() <= 250 * (T - 2) < whole.after.counts.sum()


def test_ids_of_many_documents_are_counted_in_blocks(world, tokenizer, monkeypatch):
    cache, documents = world[0].cache, world[1].documents
    one_by_one = np.concatenate([cache.document(int(number)) for number in documents])
    for at_once in (50, 1000, 1 << 20):
        monkeypatch.setattr("mini_bert.training.facts.TOKENS_AT_ONCE", at_once)
        blocks = list(gathered(cache, documents))
        assert max(map(len, blocks)) < 2 * at_once
        assert np.concatenate(blocks).tolist() == one_by_one.tolist()
    counts = counts_in(cache, documents, tokenizer.vocab_size)
    assert np.array_equal(counts, np.bincount(one_by_one, minlength=tokenizer.vocab_size))


def test_both_neighbours_count_most_then_one_then_none(of_text):
    counts, ids = of_text("a b c a d c e d f a b c a b e")
    sharp = replace(counts, alpha=0.1, beta=0.1)
    assert one(sharp, ids["a"], ids["c"]).argmax() == ids["b"]
    assert one(sharp, ids["e"], ids["f"]).argmax() == ids["d"]
    assert one(sharp, MASK_ID, ids["f"]).argmax() == ids["d"]
    assert one(sharp, ids["e"], MASK_ID).argmax() == ids["d"]
    assert one(sharp, MASK_ID, MASK_ID) == pytest.approx(counts.words.probs)


def test_where_the_pair_was_never_seen_each_neighbour_has_its_say(of_text):
    counts, ids = of_text("a b c a d c e d f a b c a b e")
    p = counts.words.probs
    left, right = (
        counts.after.mixed(ids["f"], p, counts.alpha),
        counts.before.mixed(ids["c"], p, counts.alpha),
    )
    ordinary = p > 0
    expected = left[ordinary] * right[ordinary] / p[ordinary]
    found = one(counts, ids["f"], ids["c"])
    assert found[ordinary] == pytest.approx(expected / expected.sum())
    assert (found[~ordinary] == 0).all()


def test_the_score_is_that_of_the_asked_places_alone(of_text):
    counts, ids = of_text("a b c a d c e d f a b c a b e")
    shown = np.array([[ids["a"], MASK_ID, ids["c"], MASK_ID]])
    exam = MaskedBatch(
        shown, np.array([[1, 3, 0]]), np.array([[ids["b"], ids["f"], 0]]), np.array([[0.5, 0.5, 0.0]])
    )
    between, at_end = one(counts, ids["a"], ids["c"]), one(counts, ids["c"], MASK_ID)
    loss = -(log(between[ids["b"]]) + log(at_end[ids["f"]])) / 2
    found = score(counts, exam)
    assert found.loss == pytest.approx(loss)
    assert found.accuracy == 0.5
    assert found.perplexity == pytest.approx(exp(loss))


def test_every_answer_is_a_distribution(world, tokenizer):
    neighbours = NeighbourCounts.of(world[0], tokenizer)
    rng = np.random.default_rng(0)
    probs = neighbours(*rng.integers(0, tokenizer.vocab_size, (2, 50)))
    assert probs.sum(1) == pytest.approx(np.ones(50))
    assert (probs[:, list(tokenizer.special_ids)] == 0).all()


def test_neighbours_know_more_than_frequencies_and_no_smoothing_is_far_better(world, tokenizer):
    training, held_out = world
    exam = exam_of(held_out, tokenizer, 200)
    neighbours = NeighbourCounts.of(training, tokenizer)
    by_frequency, by_neighbours = (
        score(WordFrequencies.of(training, tokenizer), exam),
        score(neighbours, exam),
    )
    assert by_neighbours.accuracy > by_frequency.accuracy + 0.2
    assert by_neighbours.loss < by_frequency.loss - 1
    others = (replace(neighbours, alpha=a, beta=b) for a in (3.0, 30.0, 100.0) for b in (0.5, 2.0, 10.0))
    assert by_neighbours.accuracy > max(score(other, exam).accuracy for other in others) - 0.02


def test_clozes_hide_one_whole_word_of_text_that_fits(world, tokenizer):
    _, held_out = world
    drawn = clozes(held_out, tokenizer, 8, seed=1)
    assert len({cloze.text for cloze in drawn}) == 8
    for cloze in drawn:
        assert cloze.ids.shape[1] <= T
        assert np.flatnonzero(cloze.ids[0] == MASK_ID).tolist() == [cloze.place]
        assert cloze.text.count("[MASK]") == 1
        assert cloze.answer.isalpha()
        assert len(cloze.answer) >= 4
    whole = {tokenizer.decode(held_out.cache.document(int(number)).tolist()) for number in held_out.documents}
    assert all(any(cloze.text.replace("[MASK]", cloze.answer) in text for text in whole) for cloze in drawn)


def test_the_same_seed_draws_the_same_clozes(world, tokenizer):
    one, two, other = ([cloze.text for cloze in clozes(world[1], tokenizer, 5, seed)] for seed in (0, 0, 1))
    assert one == two != other
