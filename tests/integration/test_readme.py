"""What the README shows is what a reader gets."""

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from benchmarks.page_tables import TABLES, tables_of
from mini_bert import __version__
from mini_bert.cli import cli, main
from mini_bert.marked_page import rewritten
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.line_counts import Lines, lines_of_member
from mini_bert.models.zoo import MEMBERS
from mini_bert.training.config import TrainingConfig

README = Path(__file__).parents[2] / "README.md"
PAGES = [README, *sorted((README.parent / "docs").glob("**/*.md"))]
INDEXES = [README.parent / "docs" / "README.md"]
"""Pages that only lead to others."""
CONSOLE = re.compile(r"^```console\n\$ (mini-bert .*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)


def named(page):
    return str(page.relative_to(README.parent))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_example_prints_what_it_says(page):
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 5 or page in INDEXES
    assert result.failed == 0


SHOWN = [(page, *shown) for page in PAGES for shown in CONSOLE.findall(page.read_text("utf-8"))]


@pytest.mark.parametrize(("page", "command", "shown"), SHOWN, ids=[command for _, command, _ in SHOWN])
def test_every_terminal_shows_what_it_says(page, command, shown, capsys, monkeypatch, tmp_path):
    """... stands for any text; tables are as wide as where there is no terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    main(shlex.split(command)[1:])
    printed = "".join(f"{line.rstrip()}\n" for line in capsys.readouterr().out.splitlines())
    assert doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS), printed


def test_no_terminal_is_written_so_that_it_is_passed_over():
    blocks = sum(page.read_text("utf-8").count("```console") for page in PAGES)
    assert len(SHOWN) == blocks


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_exists(page):
    mentioned = set(re.findall(r"mini-bert ([a-z-]+)", page.read_text("utf-8")))
    assert mentioned or page in INDEXES
    assert mentioned <= cli.targets.keys()


@pytest.mark.parametrize("page", TABLES)
def test_every_computed_table_is_what_is_computed(page):
    """`python -m benchmarks.page_tables` writes them anew."""
    text = (README.parent / page).read_text("utf-8")
    assert rewritten(text, tables_of(page)) == text


def test_every_preset_is_listed_with_its_sizes():
    pages = [README, README.parent / "docs" / "family" / "README.md"]
    text = "".join(page.read_text("utf-8") for page in pages)
    rows = re.findall(r"\| `([\w-]+)` \| ([\d /]+) \| (\d+) \| (\d+) \|", text)
    told = {name: (*map(int, sizes.split(" / ")), int(T), int(V)) for name, sizes, T, V in rows}
    configs = {name: ModelConfig.preset(name) for name in presets()}
    assert told == {
        name: (c.num_layers, c.hidden_size, c.num_heads, c.intermediate_size, c.max_seq_length, c.vocab_size)
        for name, c in configs.items()
    }


@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in ("mini", "deberta-v2")])
def test_the_page_of_a_member_tells_its_lines(name):
    text = (README.parent / "docs" / "family" / f"{name}.md").read_text("utf-8")
    told = re.findall(r"`mini-bert zoo` counts (\d+) lines of code beside ([\w-]+)", text)
    counted = sum(lines_of_member(MEMBERS[name]).values(), Lines()).code
    assert told == [(str(counted), MEMBERS[name].parent)]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text("utf-8"))
    for path, anchor in links:
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def anchors(page):
    """The places that GitHub makes of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_citation_is_of_this_package():
    told = yaml.safe_load((README.parent / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((README.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert told["cff-version"] == "1.2.0"
    assert told["message"]
    assert told["authors"] == project["authors"]
    assert (told["version"], told["license"]) == (__version__, project["license"])
    assert told["keywords"] == project["keywords"]
    assert project["description"] in told["title"].replace("a BERT", "A BERT")


def test_every_setting_of_the_training_page_exists():
    told = re.findall(
        r"`([a-z_]+)\.([a-z_]+)(?:=[a-z]+)?`", (README.parent / "docs" / "training.md").read_text("utf-8")
    )
    groups = TrainingConfig().model_dump() | {"model": ModelConfig().model_dump()}
    known = {
        (group, name) for group, settings in groups.items() if isinstance(settings, dict) for name in settings
    }
    assert len(told) > 8
    assert {pair for pair in told if pair[0] in groups} <= known
