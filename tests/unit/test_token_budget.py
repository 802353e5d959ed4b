"""A budget in tokens: a batch that grows and a share of hidden words that falls both go by the tokens seen."""

from pathlib import Path

import pytest

from mini_bert.training.config import TrainingConfig
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.schedules import BatchRamp, MaskingSchedule, Schedule
from mini_bert.training.session import new_run

T, FEWEST, MOST = 32, 4, 16
TOKENS = 400 * T
FULL_STEP = MOST * T / TOKENS
"""The share of the run that the largest step is: what a schedule may be asked too early or too late."""
RATE = 0.01


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = Path(tmp_path_factory.mktemp("runs")) / "run"
    changes = {
        "corpus": ["world:120"],
        "model": {"hidden_size": 16, "num_heads": 2, "intermediate_size": 32, "vocab_size": 400},
        "budget": {"tokens": TOKENS},
        "batch": {"size": MOST, "micro": FEWEST, "ramp_from": FEWEST},
        "masking": {"share": 0.3, "final_share": 0.15},
        "optimizer": {"learning_rate": RATE},
        "schedule": {"kind": "linear", "warmup": 0.1},
        "logging": {"every": 1},
        "workers": 1,
    }
    with new_run(TrainingConfig.named("debugging", changes), folder) as trainer:
        trainer.run()
    return list(RunFolder(folder).metrics())


def starts(run):
    """The share of the tokens seen before each step, with its line."""
    return zip([0.0, *(line["tokens"] / TOKENS for line in run[:-1])], run, strict=True)


def test_the_run_ends_with_the_step_that_spends_the_tokens(run):
    assert run[-2]["tokens"] < TOKENS <= run[-1]["tokens"] < TOKENS + MOST * T
    assert run[-1]["tokens"] == sum(line["batch_size"] for line in run) * T


def test_the_batch_grows_by_tokens_not_by_steps(run):
    sizes = [line["batch_size"] for line in run]
    assert (sizes[0], sizes[-1]) == (FEWEST, MOST)
    assert sizes == sorted(sizes)
    ramp = BatchRamp(FEWEST, MOST, 0.5, FEWEST)
    for before, line in starts(run):
        assert ramp(before) <= line["batch_size"] <= ramp(before + FULL_STEP)


def test_the_rate_follows_the_tokens(run):
    schedule = Schedule("linear", 0.1)
    for before, line in starts(run):
        expected = [schedule(before), schedule(before + FULL_STEP)]
        peak = before < 0.1 < before + FULL_STEP
        assert min(expected) <= line["learning_rate"] / RATE <= (1 if peak else max(expected))


def test_the_share_of_hidden_words_follows_the_tokens(run):
    share = MaskingSchedule(0.3, 0.15)
    assert run[0]["masked_share"] == pytest.approx(0.3, abs=1 / T)
    assert run[-1]["masked_share"] == pytest.approx(0.15, abs=1 / T)
    for before, line in starts(run):
        most, least = round(share(before) * T), round(share(before + FULL_STEP) * T)
        assert least <= line["masked_share"] * T <= most
