"""Every command of the README and the documents runs, and prints what its page says it prints."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from contextlib import redirect_stdout
from itertools import groupby
from pathlib import Path
from threading import Timer

import pytest

from mini_bert.cli import main
from tests.integration.shell_blocks import PAGES, ROOT, Command, commands, is_told
from tests.integration.shell_home import fill
from tests.integration.shell_smoke import ELSEWHERE, KEPT, SERVERS, SMOKE, Smoke, found

PROGRAM = "mini-bert "
SILENCE = 120.0
"""Seconds after which a command that goes on, but never says that it is ready, is ended."""
ALL = [command for page in PAGES for command in commands(page)]


def to_run() -> dict[Path, list[Command]]:
    """The commands of each page; what was shown before is run there, but for what makes files."""
    seen: set[str] = set()
    chosen: dict[Path, list[Command]] = {}
    for command in ALL:
        if found(ELSEWHERE, command.text):
            continue
        line = " ".join(command.words)
        of_page = chosen.setdefault(command.page, [])
        again = KEPT.search(line) and all(line != " ".join(other.words) for other in of_page)
        if line not in seen or again or command.output:
            of_page.append(command)
        seen.add(line)
    return {page: commands for page, commands in chosen.items() if commands}


TO_RUN = to_run()


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        fill(folder)
    return folder


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the home for one page."""
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    (copy / "docs" / "images" / "how_to").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "recipe_search.md", copy / "docs")
    monkeypatch.chdir(copy)
    monkeypatch.setenv("HOME", str(copy))
    monkeypatch.setenv("USERPROFILE", str(copy))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return copy


def test_every_line_is_run_or_listed_with_its_reason():
    unknown = [
        str(command)
        for command in ALL
        if not command.text.startswith((PROGRAM, "cd ")) and not found(ELSEWHERE, command.text)
    ]
    assert not unknown, "neither run nor listed in shell_smoke.py; a block that is no shell says ```text"


def test_every_rule_is_needed():
    lines = {" ".join(command.words[1:]) for command in ALL if not found(ELSEWHERE, command.text)}
    needed = {found(SERVERS, line) or found(SMOKE, line) for line in lines}
    needed |= {found(ELSEWHERE, command.text) for command in ALL}
    assert {*SERVERS, *SMOKE, *ELSEWHERE} <= needed


@pytest.mark.parametrize("page", TO_RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_runs(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch):
    forget_own_results(page, folder)
    problems = []
    for _, block in groupby(TO_RUN[page], key=lambda command: command.block):
        monkeypatch.chdir(folder)
        problems += [problem for command in block if (problem := trouble(command, folder, monkeypatch))]
    assert not problems, "\n\n".join(problems)


def forget_own_results(page: Path, folder: Path) -> None:
    """Runs, corpora and courses that a page makes itself are not there before."""
    for command in TO_RUN[page]:
        for before, value in zip(command.words, command.words[1:], strict=False):
            is_run = before == "--out" and (folder / value / "config.yaml").is_file()
            if is_run or (before in ("build", "init") and (folder / value).is_dir()):
                shutil.rmtree(folder / value)


def trouble(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What went wrong with a command, in words; nothing if it ran."""
    program, *words = command.words
    if program == "cd":
        monkeypatch.chdir(words[0])
        return ""
    line = " ".join(words)
    if server := found(SERVERS, line):
        more, ready = SERVERS[server]
        code, printed = until_heard([*words, *more.split()], ready, folder)
        is_well = code in (0, 130) and ready in printed
        return "" if is_well else f"{command}\nended with {code}:\n{printed}"
    rule = found(SMOKE, line)
    monkeypatch.delenv("MINI_BERT_MODEL", raising=False)
    if rule and command.output is None:
        smoke = SMOKE[rule]
        monkeypatch.setenv("MINI_BERT_MODEL", str(folder / "runs" / "stories"))
    else:
        smoke = Smoke()
    words, target = redirected([os.path.expanduser(word) for word in smoke(words)])
    code, printed, told = run(words)
    if target:
        Path(target).write_text(printed, "utf-8")
    if code not in smoke.codes:
        return f"{command}\nas {words}\nended with {code}:\n{told[-1500:]}"
    if command.output and not is_told(command.output, printed, varies=command.varies):
        return f"{command}\nprints\n{printed}\nand the page says\n{command.output}"
    return ""


def redirected(words: list[str]) -> tuple[list[str], str | None]:
    if ">" not in words:
        return words, None
    place = words.index(">")
    return words[:place] + words[place + 2 :], words[place + 1]


def run(words: list[str]) -> tuple[int, str, str]:
    """The exit code, what was printed, and what was told beside it."""
    printed, told = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", told)
        code = main(words)
    return code, printed.getvalue(), told.getvalue()


def until_heard(words: list[str], ready: str, folder: Path) -> tuple[int, str]:
    """Start a command that goes on, wait until it says that it is ready, visit the address it names, and stop it."""
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a process that ignores it hands that down
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "mini_bert", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT), "MINI_BERT_MODEL": str(folder / "runs" / "stories")},
    )
    signal.signal(signal.SIGINT, before)
    silence = Timer(SILENCE, process.kill)
    silence.start()
    heard = ""
    try:
        for line in process.stdout:
            heard += line
            if ready in line:
                break
        if address := re.search(r"http://\S+", heard):
            with urllib.request.urlopen(address[0], timeout=60) as answer:
                assert answer.status == 200
        process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        rest, _ = process.communicate(timeout=60)
    finally:
        silence.cancel()
        process.kill()
    return process.returncode, heard + rest
