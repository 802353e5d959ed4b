"""`mini-bert bench inference` with nobody else: real processes, one round of the smallest shape."""

import json

import pytest
from click.testing import CliRunner

from mini_bert.cli import bench_inference, contest


@pytest.mark.parametrize("as_json", [True, False])
def test_ours_alone(monkeypatch, as_json):
    monkeypatch.setattr(bench_inference, "judge", lambda name: "no torch here")
    monkeypatch.setattr(contest, "WARM_UP", 1)
    options = ["--shape", "fill-mask", "--rounds", "1", *["--json"] * as_json]
    done = CliRunner().invoke(bench_inference.command, options)
    assert done.exit_code == 0, done.output
    if not as_json:
        assert "one hidden word in each text, 1 rounds" in done.stdout
        assert "Ours alone: no torch here." in done.stdout
        return
    found = json.loads(done.stdout)["fill-mask"]
    assert found["ours_ms"] > 0
    assert 0 < found["sgemm_fraction"] < 2  # of a peak that others on the machine may disturb
