"""Where heads look: weights, targets, rollout, flow, and the command."""

import json
from itertools import combinations

import numpy as np
import pytest

from mini_bert.analysis.attention import attention
from mini_bert.analysis.attention_targets import looks, names_of_targets
from mini_bert.analysis.maximum_flow import maximum_flows
from mini_bert.analysis.reading import read
from mini_bert.analysis.rollout import attention_flow, rollout
from mini_bert.cli import main
from mini_bert.core.functions.heads import merge_heads
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model

TEXT = "The dog saw the [MASK]."


@pytest.mark.parametrize("member", MEMBERS)
def test_the_weights_are_those_that_mix_the_values(tokenizer, member):
    reading = read(small_model(tokenizer, member), TEXT)
    found = attention(reading)
    calls = len(found.weights)
    assert calls == sum(name.endswith(".attn.probs") for name in reading.passed.arrays) >= 2
    assert_close(found.weights.sum(-1), np.ones(found.weights.shape[:-1]))
    for layer in range(calls):
        v = reading.passed[f"V_{layer}"]
        assert_close(merge_heads(found.weights[layer][None] @ v), reading.passed[f"context_{layer}"])


def test_entropy_lies_between_one_piece_and_all_alike(tokenizer):
    found = attention(small_model(tokenizer), TEXT)
    T = len(found.pieces)
    by_hand = [-sum(p * np.log(p) for p in row) for row in found.weights[1, 0]]
    assert_close(found.entropy[1, 0], np.array(by_hand))
    assert_close(found.most, np.full(T, np.log(T)))
    assert (found.relative_entropy > 0).all()
    assert (found.relative_entropy < 1).all()


def one_head(matrix):
    return np.asarray(matrix, float)[None, None]


def test_a_head_is_known_by_what_it_looks_at(tokenizer):
    ids = np.array(tokenizer.encode("the dog saw the dog ."))
    T = len(ids)
    names = names_of_targets(tokenizer)
    patterns = {
        "previous": np.eye(T, k=-1),
        "next": np.eye(T, k=1),
        "two before": np.eye(T, k=-2),
        "two after": np.eye(T, k=2),
        "itself": np.eye(T),
        "[CLS]": np.eye(T)[[0] * T],
        "[SEP]": np.eye(T)[[T - 1] * T],
    }
    for name, matrix in patterns.items():
        seen = looks(one_head(matrix), ids, tokenizer, causal=False)
        assert seen.shares[names.index(name), 0, 0] == 1, name
        assert np.nanargmax(seen.shares[:, 0, 0] - seen.baseline) == names.index(name)
    twins = (ids[:, None] == ids) - np.eye(T)
    seen = looks(one_head(twins), ids, tokenizer, causal=False)
    assert seen.asking[names.index("same word")] == 4, "the two of 'the' and the two of 'dog'"
    assert seen.shares[names.index("same word"), 0, 0] == 1


@pytest.mark.parametrize("causal", [False, True])
def test_a_head_that_looks_evenly_is_at_the_baseline(tokenizer, causal):
    ids = np.array(tokenizer.encode("the dog saw the dog , and ran ."))
    visible = np.tri(len(ids)) if causal else np.ones((len(ids), len(ids)))
    seen = looks(one_head(visible / visible.sum(-1, keepdims=True)), ids, tokenizer, causal)
    known = ~np.isnan(seen.baseline)
    assert_close(seen.shares[known, 0, 0], seen.baseline[known])
    assert known.all() == (not causal), "with causal attention nobody sees the next piece"


def test_rollout_follows_every_path(tokenizer):
    reading = read(small_model(tokenizer), TEXT)
    A = attention(reading).weights.mean(1)
    T = len(reading.pieces)
    by_hand = np.zeros((T, T))
    for top in range(T):
        for middle in range(T):
            for bottom in range(T):
                upper = (A[1, top, middle] + (top == middle)) / 2
                by_hand[top, bottom] += upper * (A[0, middle, bottom] + (middle == bottom)) / 2
    found = rollout(reading)
    assert_close(found.layers[-1], by_hand)
    assert_close(found.layers.sum(-1), np.ones((2, T)))
    assert_close(rollout(reading, residual=1.0).layers[-1], np.eye(T))
    assert_close(rollout(reading, residual=0.0).layers[0], A[0])


def test_nothing_flows_from_what_a_causal_model_has_not_seen(tokenizer):
    model = small_model(tokenizer, "gpt2")
    assert (np.triu(rollout(model, "the dog saw the cat").layers[-1], 1) == 0).all()
    assert (attention_flow(model, "the dog saw the cat", place=2).flow[3:] == 0).all()


def smallest_cut(capacities, start, end):
    """By trying every set of nodes that holds the start and not the end: what leaves the smallest is the flow."""
    L, T, _ = capacities.shape
    nodes = [(level, place) for level in range(L + 1) for place in range(T)]
    free = [node for node in nodes if node not in ((0, start), (L, end))]
    best = np.inf
    for size in range(len(free) + 1):
        for some in combinations(free, size):
            inside = np.zeros((L + 1, T), bool)
            inside[0, start] = True
            for node in some:
                inside[node] = True
            leaving = sum(capacities[layer][inside[layer]][:, ~inside[layer + 1]].sum() for layer in range(L))
            best = min(best, leaving)
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_maximum_flow_is_the_smallest_cut(seed):
    random = np.random.default_rng(seed)
    capacities = random.random((2, 3, 3)) ** 3
    for start in range(2):
        found = maximum_flows(capacities, start)
        assert_close(found, np.array([smallest_cut(capacities, start, end) for end in range(3)]))


def test_a_flow_goes_another_way_where_the_widest_path_was_taken_wrongly():
    capacities = np.array([[[1, 1], [0, 0]], [[0.6, 1], [0, 0.4]], [[1, 0], [0, 0.5]]], float)
    assert_close(maximum_flows(capacities, 0), np.array([0.6, 0.5]))
    assert_close(maximum_flows(capacities, 0)[0], smallest_cut(capacities, 0, 0))


def test_one_head_and_the_strongest_pairs(tokenizer):
    found = attention(small_model(tokenizer), TEXT)
    pairs = found.strongest(1, 1, count=4)
    assert [pair.weight for pair in pairs] == sorted(found.weights[1, 1].ravel().tolist(), reverse=True)[:4]
    for pair in pairs:
        assert found.weights[1, 1, pair.asking, pair.answering] == pair.weight
    with pytest.raises(ValueError, match="layers 0 to 1 with heads 0 to 1"):
        found.head(2, 0)


def test_every_figure_shows_the_pieces_or_the_heads(tokenizer):
    found = attention(small_model(tokenizer), TEXT)
    assert len(found.figure().axes) == 4
    for drawn in (found.head(0, 1), found.lines(0, 1), rollout(small_model(tokenizer), TEXT)):
        svg = drawn._repr_svg_()
        assert svg.count("[MASK]") == 2, "as one who looks, and as one who is looked at"
    assert "head →" in found._repr_svg_()


def test_a_reading_or_a_text_is_needed(tokenizer):
    model = small_model(tokenizer)
    with pytest.raises(ValueError, match="give a text"):
        attention(model)
    with pytest.raises(ValueError, match="a reading already"):
        attention(read(model, TEXT), TEXT)
    with pytest.raises(ValueError, match="did not watch"):
        attention(read(model, TEXT, watch=("Q_0",)))
    with pytest.raises(ValueError, match="places 0 to"):
        attention_flow(model, TEXT, place=30)


@pytest.fixture(scope="module")
def folder(tokenizer, tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    small_model(tokenizer, dtype=np.float32).save(path)
    tokenizer.save(path)
    return path


def test_the_command_tells_what_the_analysis_found(folder, capsys):
    assert main(["attention", TEXT, "--model", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    from mini_bert import load

    found = attention(load(folder), TEXT)
    assert [(head["layer"], head["head"]) for head in told["heads"]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert_close(np.array(told["heads"][3]["weights"], np.float32), found.weights[1, 1])
    assert told["heads"][2]["looks_at"] == found.summary(1, 0).role


def test_the_command_draws_and_tells_in_tables(folder, tmp_path, capsys):
    for options in (
        [],
        ["--layer", "1"],
        ["--layer", "1", "--head", "0"],
        ["--layer", "1", "--head", "0", "--lines"],
    ):
        path = tmp_path / f"{len(options)}.svg"
        assert main(["attention", TEXT, "--model", str(folder), "--figure", str(path), *options]) == 0
        assert "</svg>" in path.read_text("utf-8")
        assert "[MASK]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--head", "1"], "--layer too"),
        (["--layer", "7"], "layers 0 to 1"),
        (["--lines"], "--figure too"),
        (["--figure", "x.pdf"], ".png or an .svg"),
    ],
)
def test_the_command_says_what_is_wrong(folder, options, told, capsys):
    assert main(["attention", TEXT, "--model", str(folder), *options]) == 2
    assert told in capsys.readouterr().err
