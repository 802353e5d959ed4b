"""The table that leads from the guide's scripts to commands: each command is accepted, and cheap ones are run."""

import re
import shlex
from pathlib import Path

import click
import pytest

from mini_bert.cli import cli, main

PAGE = (Path(__file__).parents[2] / "docs" / "from_the_scripts.md").read_text("utf-8")
COMMANDS = dict(re.findall(r"^\| `([\w.]+\.py.*?)` \| `mini-bert (.+?)` \|", PAGE, re.MULTILINE))
IMPORTS = re.findall(r"\| `(from mini_bert\S* import .+?)` \|", PAGE)
NAMED_BY_THE_GUIDE = {
    *("simple_test", "test_integration", "config", "tokenizer", "data", "model", "gradients", "utils", "mlm"),
    *("optimizer", "train_updated", "metrics", "probe_pos", "finetune_sst2", "evaluate", "checkpoint_utils"),
    *("performance_analysis", "optional_features"),
}
CHEAP = ("config.py", "data.py", "gradients.py", "metrics.py --test", "model.py", "tokenizer.py", "utils.py")


def parsed(args):
    """Let click read the arguments of the command that they lead to, and run nothing."""
    command = cli
    while isinstance(command, click.Group):
        name, *args = args
        command = command.get_command(click.Context(command), name)
    return command.make_context(name, args).params


def test_every_script_has_its_command():
    scripts = {script.split(".py")[0] for script in COMMANDS}
    assert scripts >= NAMED_BY_THE_GUIDE
    assert "evaluate.py --overfit_one_batch --quick" in COMMANDS
    assert COMMANDS.keys() >= set(CHEAP)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_command_is_accepted(command):
    parsed(shlex.split(command))


def test_a_wrong_option_would_be_noticed():
    with pytest.raises(click.NoSuchOption):
        parsed(["probe", "pos", "--max-sentence", "100"])


@pytest.mark.parametrize("script", CHEAP)
def test_what_is_cheap_runs(script, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(COMMANDS[script])) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("line", IMPORTS)
def test_every_name_is_there(line):
    exec(line, {})


def test_there_are_names_to_try():
    assert len(IMPORTS) > 10
