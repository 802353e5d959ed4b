"""What heads are for: words and their dependencies, over many sentences."""

from itertools import islice

import numpy as np
import pytest

from mini_bert.analysis.dependency_heads import RelationCounts, between_words, most_attended
from mini_bert.analysis.head_roles import head_roles
from mini_bert.data.tasks.alignment import align
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.data.world import stories, to_conllu
from mini_bert.evaluation.probing.sources import tree
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

SENTENCE = DependencySentence(
    words=("unbelievable", "dogs", "bark", "."),
    upos=("ADJ", "NOUN", "VERB", "PUNCT"),
    heads=(2, 3, 0, 3),
    relations=("amod", "nsubj:pass", "root", "punct"),
    space_after=(True, True, False, False),
    text="unbelievable dogs bark.",
)


@pytest.fixture(scope="module")
def trees():
    told = (one for story in stories(5) for one in story.sentences)
    return [tree(one.tokens) for one in islice(told, 60)]


def test_a_word_is_looked_at_in_all_its_pieces_and_looks_with_their_mean(tokenizer):
    words = align(SENTENCE.words, tokenizer)
    assert len(words) > len(SENTENCE.words) + 2, "some word has several pieces"
    weights = np.random.default_rng(0).dirichlet(np.ones(len(words)), (2, 3, len(words)))
    found = between_words(weights, words.spans)
    for i in range(4):
        for j in range(4):
            from_i, to_j = (np.flatnonzero(words.word_of_piece == word) for word in (i, j))
            by_hand = np.mean([weights[1, 2, a, to_j].sum() for a in from_i])
            assert_close(found[1, 2, i, j], by_hand)


def test_a_head_that_follows_dependencies_is_found(tokenizer):
    words = align(SENTENCE.words, tokenizer)
    T = len(words)
    weights = np.zeros((1, 2, T, T))
    for piece, word in enumerate(words.word_of_piece.tolist()):
        above = SENTENCE.heads[word] - 1 if word >= 0 else -1
        weights[0, 0, piece, words.spans.last[above] if above >= 0 else 0] = 1
        weights[0, 1, piece, piece] = 0.9  # itself, which does not count
        weights[0, 1, piece, max(0, piece - 1)] += 0.1
    counts = RelationCounts(1, 2)
    for _ in range(25):
        for half in (0, 1):
            counts.add(most_attended(weights, words.spans), SENTENCE, half)
    assert sorted(counts.relations) == ["amod", "nsubj"], (
        "roots and punctuation have no say, subtypes are joined"
    )
    best = counts.best("nsubj")
    assert (best.layer, best.head, best.direction, best.accuracy.value) == (0, 0, "to its head", 1)
    assert (best.offset, best.baseline.value, best.cases) == (1, 1, 25)
    assert counts.accuracy("nsubj")[1].tolist() == [[0, 1]], (
        "the verb looks back at its subject in head 1 only"
    )


def test_the_baseline_is_the_most_frequent_distance(trees):
    counts = RelationCounts(1, 1)
    for number, one in enumerate(trees):
        counts.add(np.zeros((1, 1, len(one.words)), int), one, number % 2)
    distances = [
        head - (word + 1)
        for one in trees
        for word, (head, name) in enumerate(zip(one.heads, one.relations, strict=True))
        if name == "det"
    ]
    _, times = np.unique(distances, return_counts=True)
    assert counts.baseline("det") == times.max() / len(distances)


@pytest.mark.parametrize("member", ["mini", "bert", "gpt2"])
def test_reading_in_batches_changes_nothing(tokenizer, trees, member):
    model = small_model(tokenizer, member)
    some = list({one.words: one for one in trees[:12]}.values())
    found = head_roles(model, some)
    assert found.sentences == len(some)
    sums, count = 0.0, 0
    for one in some:
        words = align(one.words, tokenizer, model.config.max_seq_length)
        weights = model.trace([words.ids])["attention_weights_1"][0, 1]
        for place in range(1, len(words)):
            if words.word_of_piece[place] >= 0:
                sums, count = sums + weights[place, place - 1], count + 1
    assert_close(found.shares[0, 1, 1], sums / count)


def test_a_treebank_is_read_from_a_file_and_repeated_sentences_once(tokenizer, tmp_path):
    told = list(islice((one for story in stories(5) for one in story.sentences), 30))
    path = tmp_path / "trees.conllu"
    path.write_text("".join(map(to_conllu, told + told)), "utf-8")
    found = head_roles(small_model(tokenizer), path)
    assert found.sentences == len({tuple(token.text for token in one.tokens) for one in told})
    assert found.source == str(path)
    path.write_text("", "utf-8")
    with pytest.raises(ValueError, match="is empty"):
        head_roles(small_model(tokenizer), path)
    with pytest.raises(ValueError, match="no sentence"):
        head_roles(small_model(tokenizer), [])
    with pytest.raises(ValueError, match="choose 1 or more"):
        head_roles(small_model(tokenizer), sentences=0)


def test_each_head_has_a_role_or_none_with_its_score(tokenizer):
    found = head_roles(small_model(tokenizer), sentences=60)
    assert [(one.layer, one.head) for one in found.roles] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for one in found.roles:
        known = [k for k in found.known(one.layer, one.head) if np.isfinite(k.score)]
        above = max(k.score - k.baseline for k in known)
        assert (one.role in ("broad", "mixed")) == (above < 0.1)
        assert np.isnan(one.score) or one.score - one.baseline == above
    drawn = found._repr_svg_()
    assert all(one.role.split()[0] in drawn for one in found.roles)
