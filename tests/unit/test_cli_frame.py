"""The command line's frame: lazy imports, suggestions, and how a run ends."""

import errno
import os
import subprocess
import sys
import types

import click
import pytest

from mini_bert import __version__
from mini_bert.cli import SECTIONS, cli, main

STAND_IN = """
import sys, types, click
from mini_bert.cli import main

@click.command()
def command():
    print({text})

sys.modules["mini_bert.cli.info"] = types.SimpleNamespace(command=command)
sys.exit(main(["info"]))
"""


def run_python(*args: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *args], stderr=subprocess.PIPE, timeout=60, **options)


@pytest.fixture
def info_that(monkeypatch):
    """Replace the body of `mini-bert info`."""

    def install(body):
        module = types.SimpleNamespace(command=click.command("info")(body))
        monkeypatch.setitem(sys.modules, "mini_bert.cli.info", module)

    return install


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from mini_bert.cli import main; main(['--help']);"
        "print('loaded:', *sorted({'numpy', 'rich', 'pydantic', 'yaml', 'safetensors'} & set(sys.modules)))"
    )
    done = run_python("-c", code, stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().splitlines()[-1].strip() == "loaded:"


@pytest.mark.parametrize("argv", [[], ["-h"], ["--help"]])
def test_help_shows_sections_commands_and_examples(argv, capsys):
    assert main(argv) == 0
    shown = capsys.readouterr().out
    for word in [*SECTIONS, *cli.list_commands(click.Context(cli)), "Examples:"]:
        assert word in shown


def test_module_runs_and_tells_its_version():
    done = run_python("-m", "mini_bert", "--version", stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode().strip() == f"mini-bert {__version__}"


@pytest.mark.parametrize(
    ("typed", "remedy"), [("gradchek", "did you mean 'gradcheck'?"), ("xyzzy", "choose from demo, course")]
)
def test_unknown_command_suggests(typed, remedy, capsys):
    assert main([typed]) == 2
    assert remedy in capsys.readouterr().err


def test_value_error_becomes_a_message(info_that, capsys):
    def body():
        raise ValueError("H=10 is not divisible by A=3; choose A from 1, 2, 5, 10")

    info_that(body)
    assert main(["info"]) == 2
    assert capsys.readouterr().err == "error: H=10 is not divisible by A=3; choose A from 1, 2, 5, 10\n"


def test_debug_shows_the_traceback(info_that, monkeypatch):
    def body():
        raise ValueError("shape mismatch")

    info_that(body)
    monkeypatch.setenv("MINI_BERT_DEBUG", "1")
    with pytest.raises(ValueError, match="shape mismatch"):
        main(["info"])


def test_interrupt_exits_130(info_that):
    def body():
        raise KeyboardInterrupt

    info_that(body)
    assert main(["info"]) == 130


def test_command_chooses_its_exit_code(info_that):
    info_that(lambda: click.get_current_context().exit(3))
    assert main(["info"]) == 3


@pytest.mark.parametrize("text", ["'buffered'", "'longer than any buffer' * 100_000"])
def test_closed_pipe_is_quiet(text):
    reader, writer = os.pipe()
    os.close(reader)
    done = run_python(
        "-c", STAND_IN.format(text=text), stdout=writer, env=os.environ | {"PYTHONUNBUFFERED": ""}
    )
    os.close(writer)
    assert done.stderr == b""


def test_symbols_survive_a_cp1252_console():
    done = run_python(
        "-c",
        STAND_IN.format(text="'dγ = Σ dy · x̂'"),
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        check=True,
    )
    assert done.stdout.decode("cp1252").strip() == "d? = ? dy · x?"


@pytest.mark.parametrize(
    ("number", "reason", "remedy"),
    [
        (errno.EACCES, "Permission denied", "ask for the right to read and write there"),
        (errno.ENOSPC, "No space left on device", "make room on the disk"),
    ],
)
def test_a_file_that_cannot_be_written_is_a_users_error(info_that, capsys, number, reason, remedy):
    def body():
        raise OSError(number, reason, "model")

    info_that(body)
    assert main(["info"]) == 2
    assert capsys.readouterr().err == f"error: model: {reason}; {remedy}, or choose another place\n"


def test_no_standard_output_is_no_crash(info_that, monkeypatch):
    info_that(lambda: None)
    monkeypatch.setattr("sys.stdout", None)
    assert main(["info"]) == 0
