"""Steps on one sentence: the same every time, what they change, and what they would change."""

import numpy as np
import pytest
from pydantic import ValidationError

from mini_bert.analysis.lessons import as_lesson, gradient_at, loss_at, twin_of
from mini_bert.analysis.rate_sensitivity import rate_sensitivity
from mini_bert.analysis.reading import read
from mini_bert.analysis.update_sizes import update_of_step
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.learning.bench import Bench, Step, bench_of
from mini_bert.explorer.learning.chosen_word import last_word
from mini_bert.explorer.question import Question
from mini_bert.explorer.views.learn import (
    ChangeAsked,
    LearnAsked,
    RatesAsked,
    give_change,
    give_learn,
    give_rates,
)
from mini_bert.models.passes import fingerprint
from mini_bert.tokenizers.unigram import UnigramTokenizer
from mini_bert.training.optimizers import SGD
from tests.tolerances import assert_close, assert_same_bits
from tests.unit.small_zoo import TELLING_WORDS, small_model

TEXT = "The dog saw the cat."
QUESTION = Question(text=TEXT, hidden=(2,))
MIXED = (
    Step(optimizer="adamw", rate=0.003),
    Step(optimizer="adamw", rate=0.001),
    Step(optimizer="sgd", rate=0.05),
    Step(optimizer="lion", rate=0.001),
    Step(optimizer="momentum", rate=0.02),
    Step(optimizer="momentum", rate=0.02),
    Step(optimizer="muon", rate=0.002),
    Step(optimizer="muon", rate=0.002),
    Step(optimizer="lamb", rate=0.01),
)


def test_the_last_whole_word_is_hidden_if_none_is_in_any_vocabulary(tokenizer):
    texts = ["the snow fell on the dog .", "the dog saw snow ."] * 4
    unigram = UnigramTokenizer.train(texts, 27)
    for vocabulary in (tokenizer, unigram):
        reading = read(small_model(vocabulary), "The dog saw snowballs .")
        assert reading.pieces[last_word(reading)].lstrip("▁") == "saw"


@pytest.fixture(scope="module")
def model(tokenizer):
    return small_model(tokenizer)


@pytest.fixture
def desk(model):
    return Desk.of(model)


def learn(desk, *steps, **more):
    return give_learn(desk, LearnAsked(question=QUESTION, steps=steps, **more))


def test_nothing_has_moved_before_the_first_step(model, desk):
    answer = learn(desk)
    reading = read(model, TEXT, hidden=[2])
    assert_close(answer["losses"], [reading.passed.loss])
    assert_close(answer["answer_p"], np.exp([[-reading.passed.loss]]))
    assert all(one["moved"] == 0 for one in answer["weights"])
    assert all(one["overlap"] == pytest.approx(1) for one in answer["others"])


def test_a_plain_step_goes_against_the_gradient(model, desk):
    answer = learn(desk, Step(optimizer="sgd", rate=0.1))
    lesson = as_lesson(model, read(model, TEXT, hidden=[2]))
    twin = twin_of(model)
    _, gradient = gradient_at(model, lesson)
    twin.arena.flat[:] -= 0.1 * gradient.flat
    assert_close(answer["losses"][1], loss_at(twin, lesson))
    for one in answer["weights"]:
        assert_close(one["moved"], 0.1 * np.linalg.norm(gradient[one["dotted"]]))


def test_update_sizes_are_those_of_the_analysis(model, desk):
    answer = learn(desk, Step(optimizer="adamw", rate=0.002))
    taken = update_of_step(model, read(model, TEXT, hidden=[2]), 0.002)
    assert_close(answer["losses"], [taken.before, taken.after])
    known = np.isfinite(taken.ratios[:, 0])
    assert known.sum() >= 20
    found = np.array([one["moved_last"] for one in answer["weights"]])[known]
    sizes = np.array([one["size"] for one in answer["weights"]])[known]
    assert_close(found / sizes, taken.ratios[known, 0])


def test_the_same_steps_lead_to_the_same_bits(model, desk):
    at_once = bench_of(Desk.of(model)).walk(Desk.of(model), QUESTION, MIXED)
    bench = Bench()
    for length in range(len(MIXED) + 1):
        one_by_one = bench.walk(desk, QUESTION, MIXED[:length])
    forgetful = Bench(kept_bytes=0)
    for length in (3, len(MIXED)):
        again = forgetful.walk(desk, QUESTION, MIXED[:length])
    for other in (one_by_one, again):
        assert_same_bits(other.last.weights, at_once.last.weights)
        assert [sight.loss for sight in other.sights] == [sight.loss for sight in at_once.sights]
    assert not forgetful.states


def test_memory_of_an_optimizer_goes_on_and_ends_with_another(desk):
    adam, plain = Step(optimizer="adamw", rate=0.003), Step(optimizer="sgd", rate=0.05)
    bench = Bench()
    assert bench.walk(desk, QUESTION, (adam, adam)).last.memory["steps"] == 2
    assert bench.walk(desk, QUESTION, (adam, plain, adam)).last.memory["steps"] == 1


def test_what_is_kept_is_bounded(model, desk):
    one = model.arena.flat.nbytes
    bench = Bench(kept_bytes=20 * one)
    for length in range(10):
        bench.walk(desk, QUESTION, (Step(rate=0.001),) * length)
        assert sum(state.nbytes for state in bench.states.values()) <= 20 * one
    assert 1 < len(bench.states) < 9


def test_undo_is_the_way_before(desk):
    before = learn(desk, *MIXED[:2])
    learn(desk, *MIXED[:3])
    again = learn(desk, *MIXED[:2])
    assert again["losses"] == before["losses"]
    assert again["parts"] == before["parts"]


def test_the_model_itself_never_changes(model, desk):
    before = fingerprint(model.arena)
    learn(desk, *MIXED)
    give_rates(desk, RatesAsked(question=QUESTION, steps=MIXED[:2]))
    assert fingerprint(model.arena) == before


def test_learning_raises_the_word_and_tells_what_it_costs(desk):
    answer = learn(desk, *[Step(optimizer="adamw", rate=0.01)] * 12)
    assert answer["losses"][-1] < 0.2 * answer["losses"][0]
    assert answer["answer_p"][-1, 0] > 0.5
    assert answer["words"][0][0]["word"] == answer["asked"][0]["answer"]["token"]
    assert all(0 <= one["overlap"] < 0.999 for one in answer["others"])
    told = {one["word"] for one in answer["moved_words"][0]["words"]}
    assert told
    assert answer["moved_words"][0]["moved"] > 0


def test_rows_of_words_that_are_not_read_stay_where_they_are(tokenizer):
    """By plain gradient descent with tables of their own only the pieces of the text move as they are read."""
    desk = Desk.of(small_model(tokenizer, tied=False))
    table, _ = learn(desk, Step(optimizer="sgd", rate=0.1))["moved_words"]
    pieces = set(desk.reading(QUESTION).pieces)
    assert table["moved"] == len(pieces) == len({one["word"] for one in table["words"]} & pieces)


def test_a_loss_that_is_no_number_is_said_aloud(model, desk, monkeypatch):
    import mini_bert.explorer.learning.bench as bench

    def bursting(weights):
        optimizer = SGD(weights, momentum=0.0)
        optimizer.step = lambda grads: weights.flat.fill(np.nan)
        return optimizer

    monkeypatch.setitem(bench.KINDS, "sgd", bench.KINDS["sgd"]._replace(make=bursting))
    answer = learn(desk, *[Step(optimizer="sgd", rate=1.0)] * 3)
    assert answer["burst"]
    assert answer["taken"] == 1
    assert answer["others"] == []
    assert answer["others_note"]
    with pytest.raises(ValueError, match="undo"):
        give_rates(desk, RatesAsked(question=QUESTION, steps=(Step(optimizer="sgd", rate=1.0),)))


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adamw", "lion", "muon", "lamb"])
def test_rates_tell_what_a_step_would_bring(desk, optimizer):
    steps, rates = (Step(optimizer=optimizer, rate=0.001),) * 2, (1e-4, 0.004, 0.3)
    answer = give_rates(desk, RatesAsked(question=QUESTION, steps=steps, optimizer=optimizer, rates=rates))
    for rate, loss in zip(rates, answer["losses"], strict=True):
        taken = learn(desk, *steps, Step(optimizer=optimizer, rate=rate))
        assert_close(loss, taken["losses"][3])
        assert answer["loss"] == taken["losses"][2]


def test_rates_are_those_of_the_analysis_at_the_start(model, desk):
    answer = give_rates(desk, RatesAsked(question=QUESTION))
    found = rate_sensitivity(model, read(model, TEXT, hidden=[2]), rates=answer["rates"], steps=1)
    assert_close(answer["losses"], found.after_one)


def test_the_change_of_a_weight(model, desk):
    steps = (Step(optimizer="sgd", rate=0.1),)
    _, gradient = gradient_at(model, as_lesson(model, read(model, TEXT, hidden=[2])))
    answer = give_change(desk, ChangeAsked(question=QUESTION, steps=steps, name="W1_0", rows=5))
    change = -0.1 * gradient["encoder.layers.0.ffn.up.weight"].T
    most = np.sort(np.argsort(-np.linalg.norm(change, axis=1))[:5])
    assert answer["rows"] == most.tolist()
    assert_close(answer["difference"], change[most])
    assert_close(answer["before"], model.params["W1_0"][most])
    words = give_change(desk, ChangeAsked(question=QUESTION, steps=steps, name="token_embeddings", rows=8))
    assert len(words["labels"]) == len(words["rows"])
    assert words["before"].shape[1] == model.config.hidden_size
    with pytest.raises(ValueError, match="W1_O"):
        give_change(desk, ChangeAsked(question=QUESTION, name="W1_O"))


def test_one_who_has_gone_takes_no_more_steps(desk, monkeypatch):
    class Gone(Exception):
        pass

    calls = []

    def go_on():
        calls.append(1)
        if len(calls) > 5:
            raise Gone

    monkeypatch.setattr(desk, "go_on", go_on)
    with pytest.raises(Gone):
        learn(desk, *[Step(rate=1e-4)] * 50)
    assert len(bench_of(desk).sights) < 10


def test_too_many_steps_and_wrong_ones_are_refused():
    with pytest.raises(ValidationError):
        LearnAsked(question=QUESTION, steps=[Step()] * 101)
    for wrong in ({"rate": 0}, {"rate": -1}, {"rate": float("nan")}, {"optimizer": "sophia"}, {"rate": 1e9}):
        with pytest.raises(ValidationError):
            Step(**wrong)


def test_other_sentences_need_a_hidden_word(desk):
    with pytest.raises(ValueError, match=r"\[MASK\]"):
        learn(desk, others=("A dog.",))
    with pytest.raises(ValueError, match="2,001 characters"):
        learn(desk, others=("a" * 2_001,))
    (other,) = learn(desk, others=("A [MASK].",))["others"]
    assert other["text"] == "A [MASK]."


@pytest.mark.parametrize("name", TELLING_WORDS)
def test_every_member_that_tells_words_learns(name, tokenizer):
    model = small_model(tokenizer, name)
    question = Question(text=TEXT) if model.config.causal else QUESTION
    asked = LearnAsked(question=question, steps=(Step(optimizer="sgd", rate=1e-3),))
    answer = give_learn(Desk.of(model), asked)
    assert answer["losses"][1] < answer["losses"][0]
    assert bool(answer["others"]) != model.config.causal
