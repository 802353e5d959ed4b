"""A table of how far we are from our judges, PyTorch and transformers; without them nothing here runs."""

from __future__ import annotations

import pytest
import torch
import transformers

COLUMNS = ("loss", "logits", "gradient", "entries", "weights")
LEGEND = """
Worst errors, relative to theirs. logits: of a model, or the value of a function; gradient: ‖ours − theirs‖ /
‖theirs‖ of the worst weight; entries: of the worst entry of any gradient; weights: after training, absolute."""

torch.set_num_threads(1)  # sums are then added in the same order on every run


class Measured:
    """The worst error of each quantity, per model or function."""

    columns: tuple[str, ...] = COLUMNS

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, float]] = {}

    def __call__(self, row: str, **errors: float) -> None:
        assert errors.keys() <= set(self.columns)
        worst = self.rows.setdefault(row, {})
        for column, error in errors.items():
            worst[column] = max(error, worst.get(column, 0.0))

    def table(self) -> list[str]:
        width = max(map(len, self.rows), default=0)
        lines = [" " * width + "".join(f"{column:>10}" for column in self.columns)]
        for row, worst in self.rows.items():
            cells = [f"{worst[column]:.1e}" if column in worst else "" for column in self.columns]
            lines.append(f"{row:<{width}}" + "".join(f"{cell:>10}" for cell in cells))
        return lines


class Members(Measured):
    """The same for the members of the family."""

    columns = ("forward", "loss", "gradient", "load", "save")


MEASURED = pytest.StashKey[Measured]()
MEMBERS = pytest.StashKey[Members]()
MEMBERS_LEGEND = """
forward: the largest difference of any hidden state or logit; loss: of the loss; gradient: ‖ours − theirs‖ / ‖theirs‖
of the worst parameter; load: 0 if every parameter came over; save: the largest difference after writing it back."""


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MEASURED] = Measured()
    config.stash[MEMBERS] = Members()


@pytest.fixture
def measured(pytestconfig: pytest.Config) -> Measured:
    """Call it with a row's name and its errors: the table at the end of the run shows them."""
    return pytestconfig.stash[MEASURED]


@pytest.fixture
def members(pytestconfig: pytest.Config) -> Members:
    return pytestconfig.stash[MEMBERS]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.section(
        f"parity with torch {torch.__version__}, transformers {transformers.__version__}"
    )
    for line in [*config.stash[MEASURED].table(), *LEGEND.splitlines()]:
        terminalreporter.write_line(line)
    if config.stash[MEMBERS].rows:
        terminalreporter.section("the BERT family")
        for line in [*config.stash[MEMBERS].table(), *MEMBERS_LEGEND.splitlines()]:
            terminalreporter.write_line(line)
