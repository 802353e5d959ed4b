"""What text becomes for models that do not fill gaps: next words, words in any order, words to be replaced."""

import numpy as np
import pytest

from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training.draws import RowDraws
from mini_bert.training.masking import Masking, ordinary_ids
from mini_bert.training.next_words import NextWords
from mini_bert.training.permutations import Permutations
from mini_bert.training.replacements import Replacements

V = 30
IDS = np.array([[2, 11, 12, 13, 3, 14, 15, 3], [2, 16, 17, 3, 0, 0, 0, 0]])
PLAIN = Masking(V)


def draws():
    return RowDraws(0, np.arange(len(IDS)))


def test_the_next_word_is_the_label_of_each_place():
    tokenizer = WordPieceTokenizer.train(["the cat sat on the mat"] * 3, 26)
    ids = np.array([[*tokenizer.encode("the cat sat"), 0, 0, 0]])
    batch = NextWords.of(tokenizer)(ids, 3, draws())
    assert (batch.ids == ids).all()
    assert (batch.labels == ids[:, 1:]).all()
    assert (batch.positions == np.arange(7)).all()
    asked = batch.weights[0] > 0
    assert (batch.labels[0][asked] != 0).all()  # no padding
    assert asked.sum() == 4  # three words and [SEP]
    assert batch.weights.sum() == pytest.approx(1)
    words = NextWords.of(tokenizer, words_only=True)(ids, 3, draws())
    assert (words.weights[0] > 0).sum() == 3


def test_words_in_any_order_are_asked_once_and_see_what_came_before():
    batch = Permutations(PLAIN)(IDS, 3, draws())
    assert (batch.ids == IDS).all()
    assert (batch.labels == np.take_along_axis(IDS, batch.positions, 1)).all()
    ranks = batch.inputs["order"]
    for row in range(len(IDS)):
        asked = batch.positions[row][batch.weights[row] > 0]
        assert len(set(ranks[row, asked])) == len(asked)
        assert (ranks[row, asked] > 0).all()
        others = np.setdiff1d(np.arange(8), asked)
        assert (ranks[row, others] == 0).all()
    assert PLAIN.ordinary[batch.labels[batch.weights > 0]].all()


def test_orders_differ_between_rows():
    ids = np.tile(np.arange(5, 25), (50, 1))
    ranks = Permutations(PLAIN)(ids, 20, RowDraws(0, np.arange(50))).inputs["order"]
    assert len({tuple(row) for row in ranks}) > 45
    assert (np.sort(ranks, axis=1) == np.arange(1, 21)).all()


def test_replacements_ask_about_every_real_token():
    batch = Replacements(PLAIN, padding_id=0)(IDS, 2, draws())
    weights = batch.question.weights
    assert (weights > 0).tolist() == (IDS != 0).tolist()
    assert weights.sum() == pytest.approx(1)
    assert batch.draws.shape == batch.positions.shape
    assert (batch.text() == IDS).all()
    cut = batch.rows(1, 2)
    assert (cut.draws == batch.draws[1:]).all()
    assert (cut.question.weights == weights[1:]).all()


def test_a_row_has_the_same_exercise_in_every_batch():
    for exercise in (Permutations(PLAIN), Replacements(PLAIN)):
        whole = exercise(IDS, 3, RowDraws(5, np.array([7, 9])))
        alone = exercise(IDS[1:], 3, RowDraws(5, np.array([9])))
        assert (whole.positions[1] == alone.positions[0]).all()
        if whole.draws is not None:
            assert (whole.draws[1] == alone.draws[0]).all()


def test_a_vocabulary_must_leave_words_over():
    with pytest.raises(ValueError, match="leave words over"):
        ordinary_ids(3, (0, 1, 2))
    with pytest.raises(ValueError, match="must be part of it"):
        ordinary_ids(3, (5,))
    assert ordinary_ids(3, ()).all()
