"""`mini-bert evaluate`, as a user runs it, with exams of our own."""

import json

import pytest

from mini_bert import WordPieceTokenizer
from mini_bert.cli import main
from mini_bert.data.world import texts
from mini_bert.evaluation.exam import Pace
from tests.unit.exams_by_hand import install, tiny_model, write_suite


@pytest.fixture(scope="session")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(60)), 300)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, tokenizer):
    """Work in a folder in which `model` is the one to be examined."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    install(monkeypatch)
    monkeypatch.setattr("mini_bert.evaluation.evaluate.pace_of", lambda subject: Pace(1e4, 1e3, 1e9))
    model = tiny_model(tokenizer)
    model.save(tmp_path / "model")
    tokenizer.save(tmp_path / "model")
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(*argv):
        code = main(["evaluate", *argv])
        return code, *capsys.readouterr()

    return run


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_it_tells_a_summary_and_where_the_report_is(run, folder):
    code, out, err = run("model", "--suite", write_suite(folder))
    assert code == 0
    assert "quick evaluation: 2 exams, about 3 s (mine 3 s)" in err
    row = next(line for line in out.splitlines() if "Coins" in line)
    assert "90.0 % (82.6–94.5)" in row
    assert "50.0 %" in row
    assert "yes" in row.split()
    assert max(map(len, out.splitlines())) <= 80
    page = folder / "evaluations" / "model-quick" / "report.html"
    assert f"report: {page.relative_to(folder)}" in out
    assert "asked on the embedded world. The baselines have counted" in " ".join(out.split())
    assert "Coins &lt;tossed&gt;" in page.read_text("utf-8")


def test_baselines_are_not_told_of_where_there_are_none(run, folder):
    (folder / "odd.yaml").write_text("title: Odd\nexams:\n  - exam: odd\n", "utf-8")
    code, out, _ = run("model", "--suite", "odd.yaml")
    assert code == 0
    assert "1 section; the report has the figures." in out
    assert "baselines" not in out


def test_of_real_text_the_embedded_world_is_not_told(run, folder):
    (folder / "tasks" / "sst2").mkdir(parents=True)
    (folder / "tasks" / "sst2" / "dev.tsv").write_text("label\tsentence\n1\tgood\n0\tbad\n", "utf-8")
    code, out, err = run("model", "--suite", write_suite(folder), "--data", "tasks")
    assert code == 0, err
    assert "embedded world" not in out


def test_full_leaves_out_what_only_quick_asks_and_says_so(run, folder):
    code, out, _ = run("model", "--full", "--suite", write_suite(folder))
    assert code == 0
    assert "left out: odd: not in a full evaluation" in out
    assert files_below(folder / "evaluations") == ["model-full/report.html", "model-full/report.json"]


def test_json_is_what_the_report_holds(run, folder, monkeypatch):
    monkeypatch.setenv("MINI_BERT_MODEL", "model")
    code, out, _ = run("--suite", write_suite(folder), "--seed", "4", "--output", "here", "--json")
    told = json.loads(out)
    assert code == 0
    assert told.pop("report") == str(folder.__class__("here", "report.html"))
    assert told == json.loads((folder / "here" / "report.json").read_text("utf-8"))
    assert told["exams"][0]["sections"][0]["figures"]["accuracy"] == 0.94


def test_an_error_in_the_second_exam_leaves_no_report(run, folder):
    code, out, err = run("model", "--suite", write_suite(folder, "user"))
    assert code == 2
    assert out == ""
    assert "error: odd: tasks/dev.tsv: no labels; add a column" in err
    assert not (folder / "evaluations").exists()


def test_an_error_leaves_the_report_that_was_there(run, folder):
    run("model", "--suite", write_suite(folder))
    place = folder / "evaluations" / "model-quick"
    before = {name: (place / name).read_bytes() for name in files_below(place)}
    assert run("model", "--suite", write_suite(folder, "user"))[0] == 2
    assert {name: (place / name).read_bytes() for name in files_below(place)} == before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--suite", "probin"], "unknown suite 'probin'; did you mean 'probing'?"),
        (["--suite", "mine.yml"], "mine.yml: "),
        (["--data", "nowhere"], "nowhere: no such folder"),
        (["--data", "model"], "model: no labelled set in this folder"),
        (["--output", "model/config.json"], "config.json: is a file, not a folder"),
    ],
)
def test_what_cannot_be_is_refused_before_it_begins(run, folder, options, told):
    suite = [] if "--suite" in options else ["--suite", write_suite(folder)]
    code, out, err = run("model", *suite, *options)
    assert (code, out) == (2, "")
    assert f"error: {told}" in err.replace("model/config", "config")
    assert "evaluation:" not in err
    assert not (folder / "evaluations").exists()


def test_a_model_without_a_tokenizer_cannot_be_examined(run, folder, tokenizer):
    model = tiny_model(tokenizer)
    model.tokenizer = None
    model.save(folder / "bare")
    code, _, err = run("bare", "--suite", write_suite(folder))
    assert code == 2
    assert "there is no tokenizer beside this model" in err
