"""Checkpoints: whole or not at all, the last few and the best, and a way back when the newest is damaged."""

import contextlib
import os
from pathlib import Path

import pytest

from mini_bert.training import checkpoints as module
from mini_bert.training.checkpoints import Checkpoints


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path / "checkpoints", keep=3)


def content(step: int) -> dict[str, bytes]:
    return {"weights": f"weights of {step}".encode(), "state": b"{}"}


def names(checkpoints: Checkpoints) -> list[str]:
    return sorted(path.name for path in checkpoints.folder.iterdir())


def test_the_last_few_are_kept(checkpoints: Checkpoints) -> None:
    for step in range(10, 60, 10):
        checkpoints.save(step, content(step))
    assert names(checkpoints) == ["last", "step-00000030", "step-00000040"]
    newest = checkpoints.newest()
    assert newest is not None
    assert newest.step == 50
    assert newest.read("weights") == b"weights of 50"


def test_only_one_is_kept(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    checkpoints.save(1, content(1))
    checkpoints.save(2, content(2))
    assert names(checkpoints) == ["last"]


def test_the_best_stays_when_it_is_no_longer_among_the_last(checkpoints: Checkpoints) -> None:
    checkpoints.save(10, content(10), is_best=True)
    for step in range(20, 70, 10):
        checkpoints.save(step, content(step))
    assert (checkpoints.folder / "best" / "weights").read_bytes() == b"weights of 10"
    checkpoints.save(70, content(70), is_best=True)
    assert (checkpoints.folder / "best" / "weights").read_bytes() == b"weights of 70"
    assert not [name for name in names(checkpoints) if name.startswith(".")]


@pytest.mark.parametrize("damage", ["cut", "flipped", "missing", "no sums", "broken sums", "empty folder"])
def test_a_damaged_newest_gives_way_to_the_one_before(checkpoints: Checkpoints, damage: str) -> None:
    for step in (10, 20):
        checkpoints.save(step, content(step))
    last = checkpoints.folder / "last"
    if damage == "cut":
        (last / "weights").write_bytes(b"weig")
    elif damage == "flipped":
        (last / "weights").write_bytes(b"weights of 99")
    elif damage == "missing":
        (last / "state").unlink()
    elif damage == "no sums":
        (last / "checksums.json").unlink()
    elif damage == "broken sums":
        (last / "checksums.json").write_text('{"step": 20, "files"')
    else:
        for path in last.iterdir():
            path.unlink()
    newest = checkpoints.newest()
    assert newest is not None
    assert newest.step == 10
    assert list(checkpoints.damaged) == [last]
    checkpoints.save(20, content(20))
    assert names(checkpoints) == ["last", "step-00000010"]
    newest = checkpoints.newest()
    assert newest is not None
    assert newest.step == 20
    assert not checkpoints.damaged


def test_none_at_all(checkpoints: Checkpoints) -> None:
    assert checkpoints.newest() is None
    assert checkpoints.best() is None


def test_the_best_shares_its_files_with_the_last(checkpoints: Checkpoints) -> None:
    checkpoints.save(10, content(10), is_best=True)
    assert (checkpoints.folder / "best" / "weights").samefile(checkpoints.folder / "last" / "weights")


def test_a_disk_without_links_gets_copies(checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", no_links)
    checkpoints.save(10, content(10), is_best=True)
    best = checkpoints.best()
    assert best is not None
    assert best.read("weights") == b"weights of 10"


def test_steps_beyond_eight_digits_are_numbers_too(checkpoints: Checkpoints) -> None:
    for step in (99_999_999, 100_000_000, 100_000_001, 100_000_002):
        checkpoints.save(step, content(step))
    assert names(checkpoints) == ["last", "step-100000000", "step-100000001"]


def test_a_last_that_cannot_be_read_is_no_checkpoint(checkpoints: Checkpoints) -> None:
    checkpoints.save(10, content(10))
    (checkpoints.folder / "last" / "checksums.json").unlink()
    checkpoints.save(20, content(20))
    assert names(checkpoints) == ["last"]


@pytest.mark.parametrize("moment", range(16))
def test_wherever_a_save_breaks_off_a_sound_one_is_left(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Every rename and every removal is a moment at which the process may be killed."""
    for step in (10, 20, 30, 40):
        checkpoints.save(step, content(step), is_best=step == 20)
    left = moment

    def dies(function):
        def dying(*args, **options):
            nonlocal left
            if left == 0:
                raise SystemExit
            left -= 1
            return function(*args, **options)

        return dying

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", dies(os.replace))
        patch.setattr(module.shutil, "rmtree", dies(module.shutil.rmtree))
        with contextlib.suppress(SystemExit):
            checkpoints.save(50, content(50), is_best=True)
    newest = Checkpoints(checkpoints.folder).newest()
    assert newest is not None
    assert newest.step in (40, 50)
    assert newest.read("weights") == content(newest.step)["weights"]
    best = Checkpoints(checkpoints.folder).best()
    assert best is not None
    assert best.step in (20, 50)
    assert best.read("weights") == content(best.step)["weights"]
    assert best.step == 50 or newest.step == 40, "a newest that beats the best, and is not the best"
    again = Checkpoints(checkpoints.folder, keep=3)
    again.save(60, content(60))
    assert "last" in names(again)
    assert not [name for name in names(again) if name.startswith(".")]


def test_a_full_disk_leaves_the_last_one_intact(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.save(10, content(10))

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_atomically", full)
        with pytest.raises(OSError, match="No space left"):
            checkpoints.save(20, content(20))
    assert names(checkpoints) == ["last"]
    newest = checkpoints.newest()
    assert newest is not None
    assert newest.step == 10
