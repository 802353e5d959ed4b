"""Which learning rate: what it is chosen by, and that neither network is favoured."""

from threading import Barrier

import pytest

from mini_bert.data.tasks import Labelled
from mini_bert.evaluation.downstream.contest import as_dict, contest
from mini_bert.evaluation.downstream.exam import contest_section
from mini_bert.evaluation.downstream.sweep import Sweep, Tried, checked_rates, trial_task
from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.held_back import whole_texts, with_some_held_back
from mini_bert.finetuning.side_by_side import side_by_side
from mini_bert.finetuning.tasks import Task, labelled_task
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report
from mini_bert.tokenizers import WordPieceTokenizer

SENTENCES = [f"the {noun} was {word} and {more} ." for noun in ("film", "plot", "end") for word, more in
             [("good", "warm"), ("bad", "cold"), ("fine", "long"), ("dull", "short"), ("odd", "sad")]]  # fmt: skip
PHRASES = ["good", "bad", "was good", "film was good", "plot was bad and cold"]
TWO = [Labelled("a", "x"), Labelled("b", "y")]
BRIEF = FinetuningConfig(epochs=1, batch=8, learning_rate=1e-3)


@pytest.fixture
def model(tokenizer: WordPieceTokenizer) -> MiniBERT:
    made = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    made.tokenizer = tokenizer
    return made


@pytest.fixture
def reviews() -> Task:
    texts = [*SENTENCES, *PHRASES] * 2
    examples = [Labelled(text, "yes" if "o" in text.split(" and ")[-1] else "no") for text in texts]
    return labelled_task("reviews", examples, examples[:10])


def test_whole_texts_and_what_stands_in_them() -> None:
    texts = [tuple(text.split()) for text in ("a b c", "b c", "c", "d c", "a b c", "c a")]
    assert whole_texts(texts) == {
        ("a", "b", "c"): {("a", "b", "c"), ("b", "c"), ("c",)},
        ("d", "c"): {("d", "c"), ("c",)},
        ("c", "a"): {("c", "a"), ("c",)},
    }
    long = tuple(map(str, range(10)))
    assert whole_texts([long, long[:9], long[1:], long[2:4]]) == {long: {long, long[:9], long[1:], long[2:4]}}


def test_phrases_of_held_back_sentences_are_not_learned_from(reviews: Task) -> None:
    found = with_some_held_back(reviews, share=0.3)
    held, learned = {one.text for one in found.dev}, {one.text for one in found.train}  # type: ignore[union-attr]
    assert len(held) == 4
    assert held <= set(SENTENCES)
    assert held.isdisjoint(learned)
    kept = set(SENTENCES) - held
    assert learned == kept | {phrase for phrase in PHRASES if any(phrase in text for text in kept)}
    assert with_some_held_back(reviews, share=0.3) == found
    with pytest.raises(ValueError, match="too few to hold some back"):
        with_some_held_back(labelled_task("two", TWO, TWO))


def test_dev_chooses_where_there_is_a_test(reviews: Task) -> None:
    tested = labelled_task("reviews", reviews.train, reviews.dev, reviews.dev)
    assert trial_task(tested).dev == reviews.dev
    assert not trial_task(tested).test
    assert trial_task(reviews).dev != reviews.dev


def test_both_networks_choose_among_the_same_rates(model: MiniBERT, reviews: Task) -> None:
    rates = (1e-3, 1e-4, 1e30)
    found = contest(model, reviews, BRIEF, (0, 1), rates=rates, at_once=1)
    again = contest(model, reviews, BRIEF, (0, 1), rates=rates, at_once=2)
    figures = as_dict(found)
    assert {key: value for key, value in figures.items() if key != "seconds"} == {
        key: value for key, value in as_dict(again).items() if key != "seconds"
    }
    sweep = figures["sweep"]
    assert sweep["judged_on"] == "held-back train"
    for who in ("model", "random_model"):
        tried = {one["rate"]: one["score"] for one in sweep[who]["tried"]}
        assert list(tried) == sorted(rates)
        assert tried[1e30] is None
        best = max(score for score in tried.values() if score is not None)
        assert tried[sweep[who]["chosen"]] == best
    assert figures["settings"]["learning_rate"] == sweep["model"]["chosen"]
    section = contest_section(found)
    assert [table.title for table in section.tables][1] == "Learning rates, by accuracy on held-back train"
    assert section.tables[1].rows[-1].cells == ("1e+30", "went astray", "went astray")
    assert "whole texts of train that were held back" in section.told


def test_a_single_rate_is_no_choice(model: MiniBERT, reviews: Task) -> None:
    found = contest(model, reviews, BRIEF, rates=(2e-3,), baselines=False)
    assert found.trials is None
    assert as_dict(found)["sweep"] is None
    assert as_dict(found)["settings"]["learning_rate"] == 2e-3
    assert len(contest_section(found).tables) == 1


def test_the_lowest_of_the_best_is_chosen() -> None:
    assert Sweep((Tried(1e-4, 0.8), Tried(3e-4, 0.9), Tried(1e-3, 0.9), Tried(3e-3, None))).chosen == 3e-4
    with pytest.raises(ValueError, match=r"rates 0\.1, 1: with none of them the model learns; choose lower"):
        _ = Sweep((Tried(0.1, None), Tried(1.0, None))).chosen
    with pytest.raises(ValueError, match="choose numbers above 0"):
        checked_rates([1e-3, 0.0])
    assert checked_rates([1e-3, 1e-4, 1e-3]) == (1e-4, 1e-3)


def test_runs_go_side_by_side_in_their_order() -> None:
    together = Barrier(2, timeout=20)
    heard: list[float] = []

    def run(number: int, report: Report) -> int:
        together.wait()
        report(1.0, "done")
        return number

    runs = [lambda report, number=number: run(number, report) for number in range(4)]
    assert side_by_side(runs, lambda done, note: heard.append(done), at_once=2) == [0, 1, 2, 3]
    assert heard == [0.25, 0.5, 0.75, 1.0]


def test_a_failure_stops_the_others() -> None:
    started = Barrier(2, timeout=20)
    ended: list[str] = []

    def fails(report: Report) -> None:
        started.wait()
        raise ValueError("no")

    def goes_on(report: Report) -> None:
        started.wait()
        try:
            for step in range(10**9):
                report(step / 1e9, "")
        finally:
            ended.append("stopped")

    with pytest.raises(ValueError, match=r"^no$"):
        side_by_side([fails, goes_on, goes_on], at_once=2)
    assert ended == ["stopped"]
