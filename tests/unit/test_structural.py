"""Trees as distances and back, and the probe that looks for them in vectors."""

import numpy as np
import pytest

from mini_bert.core.functions.distances import squared_distances
from mini_bert.core.gradcheck import TOLERANCE, check_gradients
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.data.world import texts
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.probing import structural
from mini_bert.evaluation.probing.distance_probe import distance_loss, fit
from mini_bert.evaluation.probing.sources import Files
from mini_bert.evaluation.probing.structural import (
    Settings,
    examine,
    examine_files,
    examine_treebank,
    seconds,
)
from mini_bert.evaluation.probing.tree_batches import tree_batches
from mini_bert.evaluation.probing.tree_findings import Runs, best_layer
from mini_bert.evaluation.probing.tree_scores import (
    TreeScores,
    linear_chain_scores,
    place_scores,
    share_found,
)
from mini_bert.evaluation.probing.treebank import Treebank
from mini_bert.evaluation.probing.trees import (
    NO_HEAD,
    Attachment,
    attachment,
    linear_chains,
    lines_up,
    rank_correlations,
    spanning_trees,
    tree_distances,
)
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import silent
from mini_bert.tokenizers import WordPieceTokenizer

# the <- dog -> barks <- loudly, and a full stop on the verb; and a short sentence beside it
HEADS = np.array([[1, 2, NO_HEAD, 2, 2], [NO_HEAD, 0, NO_HEAD, NO_HEAD, NO_HEAD]])
WORDS = np.array([[True] * 5, [True] * 2 + [False] * 3])


def sentence(*heads, upos=None):
    words = tuple(f"w{i}" for i in range(len(heads)))
    tags = upos or ("NOUN",) * len(heads)
    return DependencySentence(
        words, tags, heads, ("dep",) * len(heads), (True,) * len(heads), " ".join(words)
    )


def random_trees(count, seed=0, longest=14):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        n = int(rng.integers(2, longest))
        order = rng.permutation(n)
        heads = [0] * n
        for place in range(1, n):
            heads[order[place]] = int(order[rng.integers(place)]) + 1
        found.append(sentence(*heads))
    return found


def test_distances_by_hand():
    expected = [[0, 1, 2, 3, 3], [1, 0, 1, 2, 2], [2, 1, 0, 1, 1], [3, 2, 1, 0, 2], [3, 2, 1, 2, 0]]
    found = tree_distances(HEADS)
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[1, :2, :2], [[0, 1], [1, 0]])


def test_heads_in_a_circle_are_refused():
    with pytest.raises(ValueError, match="circle"):
        tree_distances(np.array([[1, 2, 0]]))


def test_spanning_tree_by_hand():
    d = np.array([[0, 9, 1, 7], [9, 0, 8, 2], [1, 8, 0, 3], [7, 2, 3, 0]], float)[None]
    np.testing.assert_array_equal(spanning_trees(d, np.ones((1, 4), bool)), [[NO_HEAD, 3, 0, 2]])
    without_last = np.array([[True, True, True, False]])
    np.testing.assert_array_equal(spanning_trees(d, without_last), [[NO_HEAD, 2, 0, NO_HEAD]])


def test_distances_of_a_tree_give_the_tree_back():
    for batch in tree_batches(random_trees(60), at_once=100):
        found, edges = attachment(batch.heads, spanning_trees(batch.distances, batch.words), batch.words)
        np.testing.assert_array_equal(found, edges)
        np.testing.assert_array_equal(edges, batch.words.sum(1) - 1)


def test_linear_chain_leaves_unmarked_words_out():
    marked = np.array([[True, False, True, True, False]])
    np.testing.assert_array_equal(linear_chains(marked), [[NO_HEAD, NO_HEAD, 0, 2, NO_HEAD]])


def test_uuas_with_and_without_punctuation_by_hand():
    # a comma between the first two words: with it the chain finds 2 of 3 edges, without it both that remain
    one = sentence(3, 1, 0, 3, upos=("NOUN", "PUNCT", "VERB", "NOUN"))
    scores = linear_chain_scores(tree_batches([one]))
    assert share_found([scores.words]) == pytest.approx(2 / 3)
    assert share_found([scores.content]) == 1


def test_an_edge_counts_whatever_its_direction():
    chain = np.array([[NO_HEAD, 0, 1, 2, 3], [NO_HEAD, 0, NO_HEAD, NO_HEAD, NO_HEAD]])
    found, edges = attachment(HEADS, chain, WORDS)
    np.testing.assert_array_equal(found, [3, 1])
    np.testing.assert_array_equal(edges, [4, 1])


def test_rank_correlation_by_hand():
    a, b = np.array([1.0, 2.0, 2.0, 4.0]), np.array([10.0, 30.0, 20.0, 40.0])
    assert rank_correlations(a, b) == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert rank_correlations(a, -b) == pytest.approx(-4.5 / np.sqrt(4.5 * 5))
    assert rank_correlations(a, np.ones(4)) == 0


def test_gradient_of_the_probe():
    rng = np.random.default_rng(0)
    h, B = rng.normal(size=(2, 5, 6)), rng.normal(size=(3, 6))
    gold, weights = tree_distances(HEADS).astype(float), rng.uniform(size=(2, 5, 5))
    _, dB = distance_loss(B, h, gold, weights)

    def loss(params):
        return distance_loss(params["B"], h, gold, weights)[0]

    (check,) = check_gradients(loss, {"B": B}, {"B": dB})
    assert check.worst <= TOLERANCE["complex"]
    assert not check.all_zero


def test_loss_of_a_batch_is_the_mean_of_absolute_errors():
    """With the batch's weights, of each sentence 1/n² of all its pairs, and nothing of the filling."""
    (batch,) = tree_batches([sentence(0, 1), sentence(2, 0, 2, 3)])
    rng = np.random.default_rng(1)
    h, B = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 3))
    loss, _ = distance_loss(B, h, batch.distances, batch.weights)
    expected = 0.0
    for row, n in ((0, 2), (1, 4)):
        z = h[row, :n] @ B.T
        d = ((z[:, None] - z[None]) ** 2).sum(-1)
        expected += abs(d - batch.distances[row, :n, :n]).mean()
    assert loss == pytest.approx(expected, rel=1e-6)  # the weights are float32


def test_probe_finds_planted_trees_and_none_in_noise():
    """Vectors that mark a word and all above it have the tree's distances; a linear map and noise hide them."""
    learned, judged = random_trees(200, 0), random_trees(60, 1)
    rng = np.random.default_rng(2)
    mixing = rng.normal(size=(20, 20))

    def hidden(trees):
        marks = [lines_up(np.array([s.heads]) - 1)[0] for s in trees]
        padded = [np.hstack([m, np.zeros((len(m), 20 - m.shape[1]))]) for m in marks]
        return (
            (np.concatenate(padded) + 0.01 * rng.normal(size=(sum(map(len, marks)), 20))) @ mixing
        ).astype(np.float32)

    states, others = hidden(learned), hidden(judged)
    batches = tree_batches(learned, at_once=200)
    probe = fit(states, batches, rank=16, epochs=25, seed=0)
    scores = place_scores(tree_batches(judged), probe.places(others))
    assert share_found([scores.words]) > 0.97
    assert (scores.spearman or 0) > 0.95  # true distances are often equal, found ones nearly

    noise = fit(rng.normal(size=states.shape).astype(np.float32), batches, rank=16, epochs=10, seed=0)
    lost = place_scores(tree_batches(judged), noise.places(rng.normal(size=others.shape).astype(np.float32)))
    assert share_found([lost.words]) < 0.45


def test_places_do_not_depend_on_the_order_of_sentences():
    trees = random_trees(40)
    starts = np.cumsum([0, *(len(tree.words) for tree in trees)])
    places = np.random.default_rng(0).normal(size=(starts[-1], 4))
    alone = [
        place_scores(tree_batches([tree]), places[starts[i] : starts[i + 1]]) for i, tree in enumerate(trees)
    ]
    together = place_scores(tree_batches(trees, at_once=50), places)
    np.testing.assert_array_equal(together.words.found, [one.words.found[0] for one in alone])
    for tree, one in zip(together.trees, alone, strict=True):
        np.testing.assert_array_equal(tree, one.trees[0])


def test_squared_distances_equal_plain_ones():
    z = np.random.default_rng(0).normal(size=(2, 6, 3))
    np.testing.assert_allclose(
        squared_distances(z), ((z[:, :, None] - z[:, None]) ** 2).sum(-1), rtol=1e-7, atol=1e-14
    )  # a word is at distance 0 from itself up to rounding


def scored(found, edges=10):
    return TreeScores(
        Attachment(np.array([found]), np.array([edges])), Attachment(np.array([1]), np.array([1])), []
    )


def test_layer_is_chosen_on_dev_not_on_test():
    layers = [Runs([scored(dev)], [scored(test)]) for dev, test in ((3, 9), (8, 1), (8, 2), (5, 10))]
    assert best_layer(layers) == 1


@pytest.fixture
def short_training(monkeypatch):
    monkeypatch.setattr("mini_bert.evaluation.probing.distance_probe.FEWEST_STEPS", 4)


@pytest.fixture(scope="module")
def subject():
    tokenizer = WordPieceTokenizer.train(list(texts(60)), 300)
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=3)
    model.tokenizer = tokenizer
    with Subject(model) as made:
        yield made


SMALL = Settings(seeds=2, epochs=1, world_sentences=40)


def test_exam_on_the_world(subject, short_training, monkeypatch):
    (found,) = examine(subject, None, SMALL, silent)
    (again,) = examine(subject, None, SMALL, silent)
    assert found.figures == again.figures
    figures = found.figures
    layers = subject.model.config.num_layers + 1
    assert len(figures["layers"]) == len(figures["random_model_layers"]) == layers
    assert figures["uuas"] == figures["layers"][figures["layer"]]["uuas"]
    on_dev = [layer["uuas_on_dev"] for layer in figures["layers"]]
    assert on_dev[figures["layer"]] == max(on_dev)
    names = [row.cells[0] for row in found.tables[0].rows]
    assert names[layers:][1:] == ["positions alone", "linear chain", "random trees"]
    monkeypatch.setattr("mini_bert.evaluation.word_states.MOST_AT_ONCE", 1)
    (layer_by_layer,) = examine(subject, None, SMALL, silent)
    assert layer_by_layer.figures == figures


def test_pictures_can_be_drawn(subject, short_training):
    (found,) = examine(subject, None, SMALL.model_copy(update={"seeds": 1}), silent)
    for picture in found.pictures:
        assert picture.draw().axes


def test_positions_alone_find_the_chain(subject):
    """The distance of positions is a matter of order: such a probe can know no more than the chain does."""
    (found,) = examine(subject, None, Settings(seeds=1, epochs=30, world_sentences=150), silent)
    assert found.figures["positions_alone"]["uuas"] == pytest.approx(found.figures["linear_chain"], abs=0.06)


def test_seconds_grow_with_the_work(subject):
    pace = Pace(1e5, 1e4, 1e9)
    one, three = (seconds(subject, None, Settings(seeds=n), pace) for n in (1, 3))
    assert 0 < one < three


CONLLU = "\n".join(f"{i}\tw\tw\tNOUN\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate((2, 0, 2), start=1))


def test_files_of_ones_own(subject, short_training, tmp_path):
    train, test = tmp_path / "train.conllu", tmp_path / "test.conllu"
    train.write_text("\n\n".join([CONLLU] * 30) + "\n\n")
    test.write_text(CONLLU + "\n\n")
    (found,) = examine_files(subject, Files(train, test), Settings(seeds=1, epochs=1), silent)
    assert found.figures["sentences"] == {"train": 23, "dev": 7, "test": 1}
    assert found.figures["linear_chain"] == 1
    test.write_text(CONLLU.splitlines()[1].replace("2\tw", "1\tw") + "\n\n")
    with pytest.raises(ValueError, match=r"test\.conllu: no sentence of two words"):
        examine_files(subject, Files(train, test), SMALL, silent)


def test_folder_without_a_treebank(subject, tmp_path):
    (tmp_path / "cola").mkdir()
    with pytest.raises(DoesNotApply, match="ud_ewt"):
        examine(subject, TaskFolder(tmp_path), SMALL, silent)


def test_limit_of_sentences(subject, short_training):
    (found,) = examine_treebank(
        subject, Treebank.of_world(60), Settings(seeds=1, epochs=1, max_sentences=7), silent
    )
    assert set(found.figures["sentences"].values()) == {7}


def test_limited_sentences_are_drawn_by_lot():
    bank = Treebank.of_world(300)
    some = bank.limited(20, seed=1)
    assert len(some.train) == 20
    assert set(some.train) <= set(bank.train)
    assert some.train != bank.train[:20]
    assert some.train != bank.limited(20, seed=2).train


def test_another_seed_has_other_twins(subject, short_training, monkeypatch):
    asked = []
    twin = Subject.random_twin
    monkeypatch.setattr(Subject, "random_twin", lambda self, seed: asked.append(seed) or twin(self, seed))
    examine(subject, None, SMALL.model_copy(update={"seed": 7}), silent)
    assert asked == [7, 8]


def test_seconds_count_every_reading(subject, monkeypatch):
    slow_to_read = Pace(1e3, 1e4, 1e12)
    once = seconds(subject, None, SMALL, slow_to_read)
    monkeypatch.setattr("mini_bert.evaluation.word_states.MOST_AT_ONCE", 1)
    layers = subject.model.config.num_layers + 1
    assert seconds(subject, None, SMALL, slow_to_read) == pytest.approx(layers * once, rel=0.1)


def test_world_parts_have_no_sentence_in_common():
    bank = Treebank.of_world(3000)
    train, dev, test = ({s.words for s in part} for part in (bank.train, bank.dev, bank.test))
    assert not train & dev
    assert not (train | dev) & test


def test_rank_is_a_setting(subject):
    assert structural.Exam.of(Treebank.of_world(20), Settings(rank=5)).rank(64) == 5
    assert structural.Exam.of(Treebank.of_world(20), Settings()).rank(48) == 48
