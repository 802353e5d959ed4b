"""`mini-bert data build`, as a user runs it."""

import json
from pathlib import Path

import pytest

from mini_bert.cli import main

RAW = Path(__file__).parents[1] / "fixtures" / "corpus_sources"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(tmp_path)

    def run(*argv):
        code = main(["data", "build", *map(str, argv)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_table_in_a_narrow_terminal(run):
    code, shown, _ = run(
        "corpus", "--source", f"tatoeba={RAW / 'eng_sentences.tsv'}", "--held-out", "tatoeba=0.3"
    )
    assert code == 0
    assert "tatoeba" in shown
    assert "CC BY 2.0 FR" in shown
    assert "corpus.json" in shown


def test_files_that_were_passed_over_are_counted(run):
    code, shown, _ = run("corpus", "--source", f"stories={RAW / 'stories'}", "--held-out", "stories=0")
    assert code == 0
    told = (
        "stories: 3 of 4 files were passed over: no stories in English under a licence that allows every use"
    )
    assert told in " ".join(shown.split())


def test_files_that_were_passed_over_are_counted_beside_plain_text_with_many_documents(run):
    Path("more.txt").write_text("\n\n".join(f"Story {number}." for number in range(6)), "utf-8")
    code, shown, _ = run(
        *("corpus", "--source", f"stories={RAW / 'stories'}", "--source", "stories=more.txt"),
        *("--held-out", "stories=0"),
    )
    assert code == 0
    assert "stories: 3 of 5 files were passed over: no stories in English" in " ".join(shown.split())


@pytest.mark.parametrize("content", ["1\teng\tHello.\0 there\n2\teng\tBye.\n", "Hello.\0 there\n\nBye.\n"])
def test_a_zero_byte_is_refused_for_no_command_would_read_it(run, content):
    name = "zeros.tsv" if "\t" in content else "zeros.txt"
    Path(name).write_text(content, "utf-8")
    code, _, told = run("corpus", "--source", f"tatoeba={name}")
    assert code == 2
    assert f"error: {name}: a zero byte in 'Hello.\\x00 there'; save it as UTF-8, without any" in told
    assert not Path("corpus").exists()


def test_json(run):
    tales, stories = f"tales={RAW / 'tales'}", f"stories={RAW / 'stories'}"
    code, shown, _ = run(
        "corpus",
        "--source",
        tales,
        "--source",
        stories,
        "--held-out",
        "tales=0.5",
        "--held-out",
        "stories=0",
        "--json",
    )
    told = json.loads(shown)
    assert code == 0
    assert told.pop("folder") == "corpus"
    assert told == json.loads(Path("corpus/corpus.json").read_text("utf-8"))
    assert told["sources"]["tales"]["held_out"]["documents"] == 1


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--source", "tatoeba"], "--source tatoeba: write the name of a source, =, and what belongs to it"),
        (
            ["--source", "tales=x", "--held-out", "tales=0.1", "--held-out", "tales=0.2"],
            "--held-out: tales is named more than once",
        ),
        (
            ["--source", "tales=x", "--held-out", "tales=some"],
            "--held-out tales=some: 'some' is not such a number",
        ),
        (["--source", "tales=nowhere"], "tales: nowhere: no such file or folder"),
    ],
)
def test_complaints(run, argv, message):
    code, _, complaint = run("corpus", *argv)
    assert code == 2
    assert f"error: {message}" in complaint
    assert not Path("corpus").exists()
