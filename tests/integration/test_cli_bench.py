"""`mini-bert bench train` with nobody else: real processes, one round."""

import json

import pytest
from click.testing import CliRunner

from mini_bert.cli import bench_train, contest
from mini_bert.training.parallel import available_cores


@pytest.mark.parametrize("as_json", [True, False])
def test_ours_alone(monkeypatch, as_json):
    monkeypatch.setattr(bench_train, "judge", lambda name: "no torch here")
    monkeypatch.setattr(contest, "WARM_UP", 1)
    done = CliRunner().invoke(bench_train.command, ["--rounds", "1", *["--json"] * as_json])
    assert done.exit_code == 0, done.output
    if not as_json:
        assert "Ours alone: no torch here." in done.stdout
        return
    found = json.loads(done.stdout)
    for case in ("b8", "logical32"):
        assert found[case]["ours_ms"] > 0
        assert 0 < found[case]["sgemm_fraction"] < 2  # of a peak that others on the machine may disturb
    assert (
        60e6 < found["b8"]["ours_array_bytes"] < 130e6 + 17e6 * max(0, len(available_cores()) - 2)
    )  # two workers, and gradients of each more
