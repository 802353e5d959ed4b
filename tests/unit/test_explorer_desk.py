"""The desk: a question is read once, as the analyses read it, with its changes and no others."""

import gc
import weakref
from threading import Barrier, Thread

import numpy as np
import pytest

from mini_bert.analysis.attention import attention_of
from mini_bert.analysis.reading import read
from mini_bert.analysis.removal import without_heads
from mini_bert.explorer import desk as desk_module
from mini_bert.explorer import work
from mini_bert.explorer.desk import Desk, Kept
from mini_bert.explorer.limits import Limits
from mini_bert.explorer.question import Edit, Question
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.analysed_models import member
from tests.unit.small_zoo import small_model
from tests.unit.variants import MODERN

TEXT = "a cow says [MASK] ."
EVERY_KIND = ("mini", "bert", "roberta", "albert", "deberta", "deberta-v2", "transformer-xl", "xlnet", "gpt2")


@pytest.fixture(scope="module")
def model(tokenizer):
    return member("mini", tokenizer)


@pytest.fixture
def desk(model):
    return Desk.of(model)


def edited(*edits, text=TEXT, **more):
    return Question(text=text, edits=tuple(Edit(**edit) for edit in edits), **more)


def test_a_question_is_read_as_the_analyses_read_it(model, desk):
    asked = desk.reading(Question(text=TEXT, hidden=[2], target={4: "a"}))
    expected = read(model, TEXT, hidden=[2], target={4: "a"})
    assert asked.pieces == expected.pieces
    assert asked.asked == [2, 4]
    np.testing.assert_array_equal(asked.labels, expected.labels)
    np.testing.assert_array_equal(asked.passed.logits, expected.passed.logits)


def test_equal_questions_share_one_pass(desk):
    first = desk.reading(Question(text=TEXT, hidden=[3, 1, 3]))
    assert desk.reading(Question(text=TEXT, hidden=[1, 3])) is first
    assert desk.reading(Question(text=TEXT, hidden=[1])) is not first


def test_also_those_that_come_at_the_same_moment(desk, monkeypatch):
    passes, found = [], []
    begin = Barrier(8)

    def counted(*args, **more):
        passes.append(1)
        return read(*args, **more)

    def ask():
        begin.wait()
        found.append(desk.reading(edited({"layer": 0, "head": 0, "kind": "off"})))

    monkeypatch.setattr(desk_module, "read", counted)
    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(passes) == 2  # without the change, and with it
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_what_cannot_be_read_is_told_each_time_and_not_kept(desk):
    for _ in range(2):
        with pytest.raises(ValueError, match="hidden place 99"):
            desk.reading(Question(text=TEXT, hidden=[99]))
    with pytest.raises(ValueError, match="target 'cow' at place 70: the text has places"):
        desk.reading(Question(text=TEXT, target={70: "cow"}))
    with pytest.raises(ValueError, match="up to “cow cow cow”; shorten it"):
        desk.reading(Question(text="cow " * 100))
    with pytest.raises(ValueError, match="5,000 characters"):
        desk.reading(Question(text="x" * 5000))
    with pytest.raises(ValueError, match="unknown model"):
        desk.reading(Question(text=TEXT, model="/etc/passwd"))
    assert not desk.readings


def test_old_readings_make_room(model):
    size = Kept(read(model, TEXT)).size
    desk = Desk.of(model, Limits(kept=int(3.5 * size)))
    first = desk.reading(Question(text=TEXT))
    for place in range(1, 4):
        desk.reading(Question(text=TEXT, hidden=[place]))
    assert len(desk.readings) == 3
    assert desk.reading(Question(text=TEXT)) is not first


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*MEMBERS, "modern"])
def test_what_is_forgotten_is_gone_at_once(tokenizer, name, dtype):
    """Not when Python next looks for rings of references: until then, hundreds of passes may come together."""
    settings = {"modern": MODERN}.get(name, {})
    model = small_model(tokenizer, "mini" if settings else name, dtype=dtype, **settings)
    reading = read(model, "The dog saw the cat.")
    graph = reading.graph
    for between in graph.numbers.between:
        assert graph.numbers[between].size
    if reading.passed.labels is not None:
        assert reading.exact.graph.gradients()
    passes = [weakref.ref(one.passed) for one in (reading, reading.exact)]
    gc.disable()
    try:
        del reading, graph
        assert [one() for one in passes] == [None, None]
    finally:
        gc.enable()


def test_gradients_that_were_asked_for_take_room_too(model):
    kept = Kept(read(model, TEXT))
    before = kept.size
    _ = kept.reading.passed.gradients
    grown = kept.size
    assert grown >= before + model.arena.flat.nbytes
    single = Kept(read(member32(model), TEXT))
    own = single.size
    _ = single.reading.exact
    assert single.size > 2.9 * own  # twice as wide, but for ids


def test_exact_passes_of_one_model_share_its_weights_in_float64(model):
    desk = Desk.of(member32(model))
    one, other = (desk.reading(Question(text=TEXT, hidden=[place])).exact.passed for place in (1, 2))
    assert one.trace.params is other.trace.params
    assert one.trace.params.flat.dtype == np.float64
    assert np.array_equal(one.trace.params.flat, desk.model("").arena.flat)


def member32(model):
    from mini_bert.models.mini import MiniBERT

    twin = MiniBERT(model.config)
    twin.tokenizer = model.tokenizer
    return twin


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_head_that_is_off_or_writes_its_mean(kind, tokenizer):
    model = member(kind, tokenizer)
    desk, plain = Desk.of(model), read(model, TEXT)
    for edit, source in (("off", None), ("mean", plain)):
        found = desk.reading(edited({"layer": 1, "head": 1, "kind": edit}))
        expected = read(model, TEXT, hooks=without_heads(model, [(1, 1)], source))
        assert_close(found.passed.logits, expected.passed.logits)
        assert not np.allclose(found.passed.logits, plain.passed.logits)


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_head_that_looks_evenly_or_at_one_piece(kind, tokenizer):
    model = member(kind, tokenizer)
    desk = Desk.of(model)
    plain, T = attention_of(desk.reading(Question(text=TEXT))), len(desk.reading(Question(text=TEXT)).ids)
    even = attention_of(desk.reading(edited({"layer": 1, "head": 0, "kind": "even"})))
    for i in range(T):
        seen = i + 1 if model.config.causal else T
        assert_close(even[1, 0, i], np.array([1 / seen] * seen + [0.0] * (T - seen)))
    assert_close(even[0], plain[0])
    assert_close(even[1, 1], plain[1, 1])
    look = attention_of(desk.reading(edited({"layer": 0, "head": 1, "kind": "look", "query": 3, "key": 2})))
    assert look[0, 1, 3].tolist() == [float(j == 2) for j in range(T)]
    others = [i for i in range(T) if i != 3]
    assert_close(look[0, 1, others], plain[0, 1, others])
    all_of_them = attention_of(desk.reading(edited({"layer": 0, "head": 1, "kind": "look", "key": 1})))
    from_here = 1 if model.config.causal else 0
    assert (all_of_them[0, 1, from_here:, 1] == 1).all()
    assert_close(all_of_them[0, 1, :from_here], plain[0, 1, :from_here])


def test_changes_go_together_and_leave_the_model_alone(model, desk):
    before = model.arena.flat.copy()
    found = attention_of(
        desk.reading(
            edited(
                {"layer": 1, "head": 0, "kind": "even"},
                {"layer": 1, "head": 1, "kind": "look", "key": 0},
                {"layer": 1, "head": 1, "kind": "look", "query": 2, "key": 3},
            )
        )
    )
    assert len(set(found[1, 0].ravel().tolist())) == 1
    assert found[1, 1].argmax(-1).tolist() == [3 if place == 2 else 0 for place in range(found.shape[-1])]
    np.testing.assert_array_equal(model.arena.flat, before)


def test_changes_that_cannot_be_made_are_told(desk, tokenizer):
    for edit, message in [
        ({"layer": 9, "head": 0, "kind": "off"}, "layers 0 to 2 with heads 0 to 1"),
        ({"layer": 0, "head": 0, "kind": "look", "key": 50}, "key 50: the text has places 0 to 7"),
        ({"layer": 0, "head": 0, "kind": "look", "key": 1, "query": 10**30}, "the text has places 0 to 7"),
    ]:
        with pytest.raises(ValueError, match=message):
            desk.reading(edited(edit))
    with pytest.raises(ValueError, match="sees only what came before"):
        Desk.of(member("gpt2", tokenizer)).reading(
            edited({"layer": 0, "head": 0, "kind": "look", "query": 1, "key": 2})
        )
    with pytest.raises(ValueError, match="there is no key"):
        Edit(layer=0, head=0, kind="look")
    with pytest.raises(ValueError, match="takes no query"):
        Edit(layer=0, head=0, kind="off", key=1)


def test_who_has_gone_is_not_answered(desk, monkeypatch):
    class Unwanted:
        class unwanted:
            is_set = staticmethod(lambda: True)

    monkeypatch.setattr(work.here, "job", Unwanted, raising=False)
    with pytest.raises(work.Gone):
        desk.reading(Question(text=TEXT))
