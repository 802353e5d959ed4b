"""Reports of runs: complete and broken ones, and what several say together."""

import doctest
import math
from html.parser import HTMLParser
from time import process_time

import pytest

from mini_bert.run_reports import comparison, durations, history, student
from mini_bert.run_reports.comparison import differences, groups_by_seed
from mini_bert.run_reports.report import write_report
from mini_bert.run_reports.search import runs_below
from mini_bert.run_reports.student import interval, share_within, t_quantile
from mini_bert.run_reports.summary import summary_of
from mini_bert.run_reports.verdict import verdict_of
from mini_bert.training.run_folder import RunFolder
from tests.unit.runs_by_hand import FACTS, held_out, inspection, line, write_run

VOID = {"meta", "br", "path", "use", "rect", "image"}


class Balanced(HTMLParser):
    """Fails on a tag that closes nothing, gathers what the page says and shows."""

    def __init__(self):
        super().__init__()
        self.open, self.titles, self.said = [], [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.said += data
        if self.open and self.open[-1] == "figcaption":
            self.titles.append(data)


def page_of(folder):
    text = write_report(folder).read_text("utf-8")
    parsed = Balanced()
    parsed.feed(text)
    assert parsed.open == []
    return text, parsed


@pytest.fixture
def whole_run(tmp_path):
    lines = [
        line(step, 6 - step / 50, **(held_out(5 - step / 50) | inspection() if step % 20 == 0 else {}))
        for step in range(10, 110, 10)
    ]
    lines[-1] |= {"second_loss": 0.6, "second_accuracy": 0.7, "masked_share": 0.2}
    return write_run(tmp_path / "run", lines, FACTS, spent=100, skipped=2)


def test_a_whole_run_is_told_with_every_plot(whole_run):
    start = process_time()
    text, page = page_of(whole_run)
    assert process_time() - start < 6  # a third of that on an idle machine
    assert page.titles == [
        "Loss",
        "Accuracy",
        "Learning rate",
        "Gradient norm",
        "Loss of the second task",
        "Accuracy of the second task",
        "Gradient by layer",
        "Update by layer",
        "Attention entropy by head",
        "Activations",
        "Dead units",
        "Speed",
        "Memory",
    ]
    assert "It finds 30.0 % of the hidden words in held-out text (perplexity 20.1)" in page.said
    assert "51,456" in page.said
    assert "2 steps skipped" in page.said
    assert "learning_rate: 0.005" in page.said
    assert len(text) < 400_000


def test_a_page_needs_nothing_from_elsewhere(whole_run):
    text, _ = page_of(whole_run)
    assert "<script" not in text
    assert "src=" not in text
    addresses = {part.split('"')[0].split(" ")[0] for part in text.split("http")[1:]}
    assert addresses <= {"://www.w3.org/1999/xlink", "://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [line(10)],
        [line(10), line(20, 3.0)],
        [line(10, None, accuracy=None, gradient_norm=None), line(20, None)],
        [line(10, **held_out(4.0)), line(20, **(held_out(4.0) | {"held_out_loss": None}))],
        [
            line(
                10,
                **(inspection() | {"inspection": {"attention_entropy": [[None, 1.0]], "dead_units": None}}),
            )
        ],
        [line(10, inspection={"attention_entropy": [[None]]})],
        [{"step": 10}, {"loss": 3.0}, 7],
        [line(10, inspection=None), line(20, inspection={"layers": {}, "attention_entropy": []})],
    ],
    ids=[
        "none",
        "one",
        "two",
        "not finite",
        "exam not finite",
        "nulls inside",
        "only nulls inside",
        "strange lines",
        "empty inside",
    ],
)
def test_what_is_missing_is_left_out(tmp_path, lines):
    _, page = page_of(write_run(tmp_path / "run", lines))
    assert "Configuration" in page.said


def test_text_is_escaped(tmp_path):
    folder = write_run(
        tmp_path / "a<b>&c", [line(10, troubles=["<b>spike</b>"])], corpus=["<script>x</script>.txt"]
    )
    text, page = page_of(folder)
    assert "<script>" not in text
    assert "<b>spike" not in text
    assert "<script>x</script>.txt" in page.said
    assert "a<b>&c" in page.said


@pytest.mark.parametrize(
    ("last", "facts", "tone", "words"),
    [
        ({}, FACTS, "plain", "not examined yet"),
        (held_out(4.0), FACTS, "good", "Guessing by word frequencies gives perplexity 148.4"),
        (held_out(5.1), FACTS, "poor", "no better than guessing"),
        (held_out(4.0), {}, "plain", "It finds 30.0 %"),
    ],
)
def test_the_verdict_compares_with_bare_frequencies(tmp_path, last, facts, tone, words):
    found = verdict_of(summary_of(write_run(tmp_path / "run", [line(10, **last)])), facts)
    assert found.tone == tone
    assert words in found.text


def test_the_verdict_tells_of_a_run_that_was_better_before(tmp_path):
    lines = [line(10, **held_out(3.0)), line(20, **held_out(3.4))]
    found = verdict_of(summary_of(write_run(tmp_path / "run", lines)), FACTS)
    assert found.tone == "poor"
    assert "better before: 3.000 at step 10, 3.400 now" in found.text


def test_the_verdict_tells_of_divergence(tmp_path):
    found = verdict_of(summary_of(write_run(tmp_path / "run", [line(10, None)])), FACTS)
    assert "diverged" in found.text


@pytest.mark.parametrize(("spent", "state"), [(None, "no checkpoint"), (50, "unfinished"), (100, "finished")])
def test_the_state_of_a_run_is_that_of_its_checkpoint(tmp_path, spent, state):
    run = summary_of(write_run(tmp_path / "run", [line(50, **held_out(4.0))], spent=spent))
    assert run.state == state
    assert run.steps == (spent or 50)
    assert run.held_out.loss == run.best.loss == 4.0


def test_a_damaged_checkpoint_counts_as_none(tmp_path):
    folder = write_run(tmp_path / "run", [], spent=100)
    (folder.checkpoints / "last" / "state.json").write_text("{")
    assert summary_of(folder).state == "no checkpoint"


def test_runs_are_found_below_folders_once_each(tmp_path):
    for name in ("sweep/a", "sweep/deep/b", "c"):
        write_run(tmp_path / name, [])
    (tmp_path / "sweep" / "other").mkdir()
    (tmp_path / "sweep" / "other" / "config.yaml").write_text("something: else\n")
    found = runs_below([tmp_path / "sweep", tmp_path / "c", tmp_path / "sweep" / "a"])
    assert list(found) == ["a", "deep/b", "c"]


def test_runs_of_one_name_are_told_apart(tmp_path):
    write_run(tmp_path / "x" / "a", [])
    write_run(tmp_path / "y" / "a", [])
    assert list(runs_below([tmp_path / "x", tmp_path / "y"])) == [
        str(tmp_path / "x" / "a"),
        str(tmp_path / "y" / "a"),
    ]


def test_differences_are_told_by_dotted_names():
    one, two = {"seed": 1, "optimizer": {"kind": "lion", "eps": 1}}, {"seed": 1, "optimizer": {"kind": "sgd"}}
    assert differences([one, two]) == {"optimizer.kind": ["lion", "sgd"], "optimizer.eps": [1, None]}
    assert differences([one, one]) == {}


def test_seeds_are_grouped_and_averaged_where_all_have_logged(tmp_path):
    lines = {
        1: [line(10, **held_out(4.0)), line(20, **held_out(3.0))],
        2: [line(10, **held_out(5.0)), line(20, **held_out(3.2))],
        3: [line(10, **held_out(6.0))],
    }
    runs = [summary_of(write_run(tmp_path / f"s{seed}", lines[seed], seed=seed)) for seed in lines]
    runs.append(
        summary_of(write_run(tmp_path / "lion", lines[1], optimizer={"kind": "lion", "learning_rate": 5e-3}))
    )
    same, lion = groups_by_seed(runs)
    assert (same.name, lion.name) == ("kind=adamw", "kind=lion")
    assert [run.name for run in same.runs] == ["s1", "s2", "s3"]
    series, half = same.mean("held_out_loss")
    assert series.steps.tolist() == [10]
    assert series.values.tolist() == [5.0]
    assert half[0] == pytest.approx(4.302652729749464 / math.sqrt(3))
    assert lion.mean("held_out_loss")[1] is None
    assert same.interval("held_out_loss").n == 3
    assert lion.interval("held_out_loss").half_width is None
    assert same.interval("second_loss") is None


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [
        (1, 12.7062047),
        (2, 4.3026527),
        (3, 3.1824463),
        (4, 2.7764451),
        (9, 2.2621572),
        (30, 2.0422725),
        (120, 1.9799304),
        (201, 1.9718365),
        (1000, 1.9623391),
        (100_000, 1.9599877),
    ],
)
def test_students_t_is_that_of_the_tables(freedom, expected):
    assert t_quantile(0.95, freedom) == pytest.approx(expected, abs=1e-6)
    assert share_within(expected, freedom) == pytest.approx(0.95, abs=1e-7)


def test_an_interval_covers_the_truth_as_often_as_it_says():
    import numpy as np

    draws = np.random.default_rng(0).normal(size=(2000, 4))
    covered = [abs(found.mean) < found.half_width for found in (interval(row.tolist()) for row in draws)]
    assert 0.935 < sum(covered) / len(covered) < 0.965


def test_a_folder_without_a_run_says_so(tmp_path):
    with pytest.raises(ValueError, match="no run here"):
        summary_of(RunFolder(tmp_path))


@pytest.mark.parametrize("module", [comparison, durations, history, student])
def test_examples(module):
    assert doctest.testmod(module).failed == 0
