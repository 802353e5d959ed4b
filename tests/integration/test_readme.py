"""What the README shows is what a reader gets."""

import doctest
import re
from pathlib import Path

from mini_bert.cli import cli
from mini_bert.models.config import ModelConfig, presets

README = Path(__file__).parents[2] / "README.md"


def test_every_example_prints_what_it_says():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_every_command_exists():
    mentioned = set(re.findall(r"mini-bert ([a-z]+)", README.read_text("utf-8")))
    assert mentioned
    assert mentioned <= cli.targets.keys()


def test_every_preset_is_listed_with_its_sizes():
    rows = re.findall(r"\| `([\w-]+)` \| ([\d /]+) \| (\d+) \| (\d+) \|", README.read_text("utf-8"))
    told = {name: (*map(int, sizes.split(" / ")), int(T), int(V)) for name, sizes, T, V in rows}
    configs = {name: ModelConfig.preset(name) for name in presets()}
    assert told == {
        name: (c.num_layers, c.hidden_size, c.num_heads, c.intermediate_size, c.max_seq_length, c.vocab_size)
        for name, c in configs.items()
    }


def test_every_link_leads_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text("utf-8"))
    assert links
    assert all((README.parent / link).exists() for link in links)
