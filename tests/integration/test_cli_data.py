"""`mini-bert data`, as a user runs it."""

import io
import json
import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from mini_bert.cli import main
from mini_bert.cli.data_sample import chosen
from mini_bert.data import download, harvest
from mini_bert.data.catalogue import EMBEDDED, SETS, find
from mini_bert.data.sources import documents
from mini_bert.data.tasks import read_conllu, read_marvin_linzen
from mini_bert.data.world import FACTS, PHENOMENA, stories, texts
from mini_bert.tokenizers.files import load_tokenizer

TREE = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
WIKI = " = Owl = \n An owl hunts . \n = Hen = \n It lays an egg . \n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MINI_BERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in a terminal of 80 columns: its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*argv: object) -> tuple[int, str, str]:
        code = main(["data", *map(str, argv)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def wiki(run, tmp_path):
    """WikiText-2, installed from a copy."""
    (tmp_path / "wiki.train.raw").write_text(WIKI)
    run("get", "wikitext-2", "--from", "wiki.train.raw")


def as_json(result: tuple[int, str, str]) -> dict:
    return json.loads(result[1])


@pytest.mark.parametrize("argv", [[], ["list"], ["get"], ["sample"], ["prepare"]], ids=" ".join)
def test_help_has_examples(run, argv):
    code, out, _ = run(*argv, "--help")
    assert code == 0
    assert f"  mini-bert data {' '.join(argv)}" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("columns", ["50", "80"])
def test_output_fits_the_terminal(run, wiki, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    for argv in (["list"], ["prepare", "wikitext-2"]):
        code, out, _ = run(*argv)
        assert code == 0
        short = [line for line in out.splitlines() if "cache" not in line]  # a path is never broken
        assert max(map(len, short)) <= int(columns)
        assert "\x1b" not in out


@pytest.mark.parametrize(
    ("argv", "remedy"),
    [
        (["lst"], "did you mean 'list'?"),
        (["get", "wikitex-2"], "did you mean 'wikitext-2'?"),
        (["get", "world"], "comes with the package"),
        (["get", "ud-ewt", "--from", "nowhere"], "no such file or folder"),
        (["get", "ud-ewt", "--from", "none"], "en_ewt-ud-train.conllu"),
        (["sample", "wrld"], "did you mean 'world'?"),
        (["sample", "tinystories"], "mini-bert data get tinystories"),
        (["sample", "missing.txt"], "no such file or folder"),
        (["sample", "empty.txt"], "no text in it"),
        (["sample", "binary.txt"], "zero bytes"),
        (["sample", "none"], "the folder has no .txt or .jsonl file"),
        (["sample", "plain.txt", "--gold"], "only the world has labels"),
        (["sample", "world", "--gold", "--facts"], "one at a time"),
        (["sample", "world:20"], "mini-bert data sample world -n 20"),
        (["sample", "world", "--pairs", "npi_evr"], "did you mean 'npi_ever'?"),
        (["sample", "world", "--pairs", ""], "unknown phenomenon ''; choose from"),
        (["sample", "world", "--pairs", "nope"], "(--pairs list shows all)"),
        (["sample", "world", "--facts", "--mb", "1"], "-n"),
        (["sample", "notes.md"], "or pipe it into standard input, -"),
        (["sample", "posts.jsonl"], "text_field, or --text-field"),
        (["prepare", "posts.jsonl"], "text_field, or --text-field"),
        (["sample", "plain.txt", "--seed", "1", "--mb", "1"], "leave --seed out"),
        (["prepare"], "Missing argument"),
        (["prepare", "wrld"], "did you mean 'world'?"),
        (["prepare", "sst-2"], "labelled, for measuring"),
        (["prepare", "missing.txt"], "no such file or folder"),
        (["prepare", "empty.txt"], "no text in it"),
        (["prepare", "binary.txt"], "zero bytes"),
        (["prepare", "none"], "the folder has no .txt or .jsonl file"),
        (["prepare", "latin.txt", "--strict"], "byte 3 (0xe9) is not UTF-8"),
        (["prepare", "latin.txt", "--strict"], "no --strict"),
        (["prepare", "plain.txt", "--tokenizer", "nowhere"], "no such vocabulary"),
        (["prepare", "plain.txt", "--tokenizer", "x", "--vocab-size", "99"], "give one of them"),
        (["prepare", "plain.txt", "--held-out", "1"], "not in the range"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_users_error_is_explained(run, tmp_path, argv, remedy):
    (tmp_path / "none").mkdir()
    (tmp_path / "empty.txt").touch()
    (tmp_path / "notes.md").write_text("# One\n")
    (tmp_path / "posts.jsonl").write_text('{"body": "one"}\n')
    (tmp_path / "plain.txt").write_text("one\n\ntwo\n")
    (tmp_path / "latin.txt").write_bytes("café\n".encode("latin-1"))
    (tmp_path / "binary.txt").write_bytes(b"\x7fELF\x00\x01")
    code, _, err = run(*argv)
    assert code == 2
    assert remedy in " ".join(err.split())


class TestList:
    def test_shows_every_set_with_its_licence(self, run):
        _, out, _ = run("list")
        for entry in (*EMBEDDED, *SETS):
            assert entry.name in out
            assert entry.licence in out
        assert "on this machine" not in out

    def test_knows_what_is_here(self, run, wiki):
        assert run("list")[1].count("on this machine") == 1
        here = {entry["name"]: entry["here"] for entry in as_json(run("list", "--json"))["sets"]}
        assert [name for name in here if here[name]] == ["wikitext-2"]

    def test_counts_the_files_of_a_set_that_is_here_in_part(self, run, tmp_path):
        (tmp_path / "train.conllu").write_text(TREE)
        run("get", "ud-ewt", "--from", "train.conllu")
        assert "on this machine: 1 of 3 files" in run("list")[1]
        (tmp_path / "dev.conllu").write_text(TREE)
        (tmp_path / "test.conllu").write_text(TREE)
        run("get", "ud-ewt", "--from", tmp_path, "--force")
        assert "on this machine\n" in re.sub(" +\n", "\n", run("list")[1])
        (found,) = (entry for entry in as_json(run("list", "--json"))["sets"] if entry["name"] == "ud-ewt")
        assert (found["files_here"], found["files"]) == (3, 3)


class TestGet:
    def test_says_the_licence_before_it_asks_the_hub(self, run, monkeypatch):
        pytest.importorskip(
            "huggingface_hub", reason="sets are fetched with huggingface_hub, of the extra hub"
        )
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        code, out, err = run("get", "ud-ewt")
        assert code == 2
        assert "CC BY-SA 4.0" in out
        assert err.startswith("error: ud-ewt: the hub is switched off here (HF_HUB_OFFLINE=1)")
        assert "mini-bert data prepare my.txt" in err

    def test_fetches_verifies_and_notices_a_change(self, run, monkeypatch, tmp_path):
        def connect(dataset):
            def fetch(path, folder, advance):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(TREE)

            return fetch

        monkeypatch.setattr(download, "hub", connect)
        code, out, _ = run("get", "ud-ewt")
        assert code == 0
        assert "It is here now: 3 files" in out
        assert "here already, and unaltered" in run("get", "ud-ewt")[1]
        path = tmp_path / "cache" / "data" / "ud-ewt" / "train.conllu"
        path.write_text(TREE * 2)
        code, _, err = run("get", "ud-ewt")
        assert code == 2
        assert str(path) in err
        assert "mini-bert data get ud-ewt --force" in err
        assert run("get", "ud-ewt", "--force")[0] == 0
        assert path.read_text() == TREE

    def test_says_if_the_same_revision_brings_other_bytes(self, run, monkeypatch):
        texts = iter([TREE] * 6 + [TREE, TREE.replace("Cats", "Dogs"), TREE])

        def connect(dataset):
            def fetch(path, folder, advance):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(next(texts))

            return fetch

        monkeypatch.setattr(download, "hub", connect)
        run("get", "ud-ewt")
        assert "warning" not in run("get", "ud-ewt", "--force")[2]
        code, out, err = run("get", "ud-ewt", "--force", "--json")
        (other,) = json.loads(out)["altered"]
        assert code == 0
        assert f"warning: {other}: not the bytes that came before" in err

    def test_an_interruption_is_no_traceback(self, run, monkeypatch):
        def connect(dataset):
            raise KeyboardInterrupt

        monkeypatch.setattr(download, "hub", connect)
        code, _, err = run("get", "ud-ewt")
        assert code == 130
        assert "mini-bert data get ud-ewt brings the rest" in err

    def test_a_copy_says_what_is_missing(self, run, tmp_path):
        (tmp_path / "train.conllu").write_text(TREE)
        _, out, _ = run("get", "ud-ewt", "--from", "train.conllu")
        assert "Not in the copy: dev.conllu, test.conllu." in out

    def test_json_has_the_checksums(self, run, tmp_path):
        (tmp_path / "train.conllu").write_text(TREE)
        found = as_json(run("get", "ud-ewt", "--from", tmp_path, "--json"))
        assert found["files"].keys() == {"train.conllu"}
        assert found["licence"] == find("ud-ewt").licence


class TestSample:
    def test_what_is_printed_can_be_read_again(self, run, tmp_path):
        (tmp_path / "world.txt").write_text(run("sample", "world", "-n", "20", "--seed", "3")[1])
        assert list(documents(tmp_path / "world.txt")) == list(texts(20, seed=3))

    def test_gold_is_conllu(self, run, tmp_path):
        _, out, _ = run("sample", "world", "--gold", "-n", "2", "--seed", "1")
        (tmp_path / "gold.conllu").write_text(out)
        first, second = islice(stories(seed=1), 2)
        found = [sentence.text for sentence in read_conllu(tmp_path / "gold.conllu")]
        assert found == [sentence.text for story in (first, second) for sentence in story.sentences]
        assert out.count("# newdoc id = ") == 2
        assert f"# referent 0 = {first.referents[0].name}" in out
        assert "# sentiment = " in out

    def test_pairs_can_be_read_as_such(self, run, tmp_path):
        (tmp_path / "pairs.tsv").write_text(run("sample", "world", "--pairs", "npi_any", "-n", "4")[1])
        found = read_marvin_linzen(tmp_path / "pairs.tsv")
        assert len(found) == 4
        assert {pair.case for pair in found} == {"npi_any"}

    def test_pairs_of_every_phenomenon_can_be_listed(self, run):
        assert run("sample", "world", "--pairs", "list")[1].split() == list(PHENOMENA)

    def test_another_field_of_json(self, run, tmp_path):
        (tmp_path / "posts.jsonl").write_text('{"body": "one"}\n{"body": "two"}\n')
        assert run("sample", "posts.jsonl", "--text-field", "body")[1] == "one\n\ntwo\n\n"

    def test_python_docs_are_harvested_once(self, run, monkeypatch):
        harvests = []

        def gathered():
            harvests.append(1)
            return iter(["Return the root.\nIt is a float.", "Close the file."])

        monkeypatch.setattr(harvest.python_docs, "python_docs", gathered)
        monkeypatch.setattr(harvest.python_docs, "sources", list)
        for _ in range(2):
            _, out, _ = run("sample", "python-docs")
            assert out == "Return the root.\nIt is a float.\n\nClose the file.\n\n"
        assert len(harvests) == 1

    def test_facts_come_in_order_or_at_random(self, run):
        first = run("sample", "world", "--facts", "-n", "5")[1].splitlines()
        assert [line.split("\t")[1] for line in first] == [fact.subject for fact in FACTS[:5]]
        assert first != run("sample", "world", "--facts", "-n", "5", "--seed", "1")[1].splitlines()

    def test_so_many_megabytes(self, run):
        _, out, _ = run("sample", "world", "--mb", "0.02")
        assert 20_000 <= len(out.encode()) < 25_000

    def test_a_set_by_name(self, run, wiki):
        assert run("sample", "wikitext-2")[1] == "Owl\nAn owl hunts .\n\nHen\nIt lays an egg .\n\n"

    def test_a_labelled_set_by_name(self, run, tmp_path):
        (tmp_path / "train.conllu").write_text(TREE)
        run("get", "ud-ewt", "--from", "train.conllu")
        assert run("sample", "ud-ewt")[1] == "Cats sleep\n\n"

    def test_lines_of_files(self, run, tmp_path):
        (tmp_path / "a.txt").write_text("one\ntwo\n\nthree\n")
        assert run("sample", "*.txt", "--unit", "line", "-n", "2")[1] == "one\n\ntwo\n\n"

    def test_a_random_choice_is_fair_and_keeps_the_order(self):
        picks = [list(chosen(range(10), 3, seed)) for seed in range(3000)]
        assert all(pick == sorted(set(pick)) and len(pick) == 3 for pick in picks)
        counts = [sum(number in pick for pick in picks) for number in range(10)]
        assert min(counts) > 780  # of 900 expected, with a deviation of 25
        assert max(counts) < 1020

    @pytest.mark.skipif(os.name == "nt", reason="a closed pipe is made the POSIX way")
    def test_a_reader_who_leaves_is_no_error(self):
        command = [sys.executable, "-m", "mini_bert", "data", "sample", "world", "--mb", "2000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout.read(1000)
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(timeout=60) == 1


class TestPrepare:
    @pytest.fixture
    def text(self, tmp_path):
        path = tmp_path / "text.txt"
        path.write_text("\n\n".join(texts(200)))
        return path

    def test_tells_what_came_of_it(self, run, text):
        found = as_json(run("prepare", text, "--json"))
        words = sum(len(story.split()) for story in texts(200))
        assert (found["documents"], found["words"]) == (200, words)
        assert found["tokens_per_word"] == found["tokens"] / words
        assert found["held_out"]["documents"] == 10
        assert 200 * 2 < found["sentences"] < found["words"]
        assert found["unknown_share"] == 0
        _, out, _ = run("prepare", text)
        for number in (words, found["tokens"]):
            assert f"{number:,}" in out
        assert found["folder"] in out
        assert found["tokenizer"] in out

    def test_keeps_the_vocabulary_and_finds_it_again(self, run, text):
        first = as_json(run("prepare", text, "--vocab-size", "500", "--json"))
        tokenizer = load_tokenizer(first["tokenizer"])
        assert tokenizer.vocab_size == first["vocab_size"] == 500
        assert as_json(run("prepare", text, "--vocab-size", "500", "--json")) == first
        assert as_json(run("prepare", text, "--tokenizer", first["tokenizer"], "--json")) == first

    def test_counts_what_the_vocabulary_cannot_spell(self, run, text, tmp_path):
        learned = as_json(run("prepare", text, "--json"))["tokenizer"]
        (tmp_path / "greek.txt").write_text("the γάτα and the dog\n", encoding="utf-8")
        found = as_json(run("prepare", "greek.txt", "--tokenizer", learned, "--json"))
        assert found["unknown_share"] == 1 / found["tokens"]

    def test_counts_bytes_that_are_no_text(self, run, tmp_path):
        (tmp_path / "latin.txt").write_bytes("le café\n\nune fête\n".encode("latin-1"))
        assert as_json(run("prepare", "latin.txt", "--json"))["replaced_bytes"] == 2
        _, out, _ = run("prepare", "latin.txt")
        assert "not UTF-8: 2" in out
        assert "Too few documents to hold out" in out

    def test_lines_are_documents_if_told(self, run, tmp_path):
        (tmp_path / "lines.txt").write_text("a cat\na dog\n")
        assert as_json(run("prepare", "lines.txt", "--json"))["documents"] == 1
        assert as_json(run("prepare", "lines.txt", "--unit", "line", "--json"))["documents"] == 2

    def test_a_set_and_a_corpus_by_name(self, run, wiki):
        found = as_json(run("prepare", "wikitext-2", "world:50", "--json"))
        assert found["documents"] == 52

    def test_standard_input_is_kept(self, run, text, tmp_path, monkeypatch):
        def pipe():
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.read_bytes())))

        pipe()
        found = as_json(run("prepare", "-", "--json"))
        kept = Path(found["kept_input"])
        assert kept.parent == tmp_path / "cache" / "stdin"
        assert kept.read_bytes() == text.read_bytes()
        assert found["documents"] == 200
        pipe()
        assert found["kept_input"] in run("prepare", "-")[1]
        again = as_json(run("prepare", kept, "--json"))
        assert again == {**found, "kept_input": None}
        assert as_json(run("prepare", text, "--json"))["folder"] == found["folder"]

    def test_a_file_by_two_names_counts_once(self, run, text):
        assert as_json(run("prepare", text.name, text, "--json"))["documents"] == 200

    def test_another_field_of_json(self, run, tmp_path):
        (tmp_path / "posts.jsonl").write_text('{"body": "a cat"}\n{"body": "a dog"}\n')
        assert as_json(run("prepare", "posts.jsonl", "--text-field", "body", "--json"))["documents"] == 2

    def test_what_can_be_cut_is_told_apart_from_what_cannot(self, run, tmp_path):
        (tmp_path / "few.txt").write_text("a cat\na dog\n")
        assert "Too few documents to hold out 5 % of them; try --unit line" in run("prepare", "few.txt")[1]
        for argv in (["world:5"], ["few.txt", "--unit", "line"]):
            assert "of them; add text or a greater --held-out" in run("prepare", *argv)[1]

    def test_a_cache_that_cannot_be_written_is_explained(self, run, text, tmp_path, monkeypatch):
        monkeypatch.setenv("MINI_BERT_CACHE", str(text))
        code, _, err = run("prepare", text)
        assert code == 2
        assert "cannot be written" in err
        assert "MINI_BERT_CACHE" in err
