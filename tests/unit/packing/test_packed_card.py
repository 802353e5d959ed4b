"""The card of a packed model says what was measured, and nothing else."""

import doctest
import json
import shutil

import pytest
import yaml

from mini_bert import from_pretrained
from mini_bert.pretrained import card, card_recipe, card_tables, exams, stages
from mini_bert.pretrained.card import card_of, curve
from mini_bert.pretrained.card_tables import log_table, stage_table
from mini_bert.pretrained.packing import pack
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training import changes


@pytest.mark.parametrize(
    "module",
    [card, stages, card_tables, card_recipe, changes, exams],
    ids=lambda module: module.__name__,
)
def test_docstring_examples(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_the_card(packed):
    text = (packed.folder / "README.md").read_text("utf-8")
    assert text == card_of(packed.folder)
    _, front, body = text.split("---\n", 2)
    assert yaml.safe_load(front)["license"] == "mit"
    assert yaml.safe_load(front)["pipeline_tag"] == "fill-mask"
    for words in (
        "# tiny",
        "51,456 parameters",
        'mini_bert.load("./tiny")',
        "| tatoeba | CC BY 2.0 FR | 95 | 1.5 | 90 | Tatoeba and its contributors |",
        "Training took 20 steps",
        "![loss over the steps](curve.svg)",
        "is asked to name all 2 sources",
        "shared under the MIT licence",
        "of the training documents, which each run sets aside",
        "| 1 | 0.0 | 20 | 0.00 | 1 | adamw |",
        "The held-out text of books is 2 documents",
        "| tatoeba | 51.2 % (50.0–52.4) | 17.2 | 31.0 % / 90.5 | 8.0 % / 600.0 | 5,120 |",
        "reads at most 32 tokens",
        "[MASK] is a nurse.",
        "28 % of the Tatoeba sentences",
        "First guesses: ",
    ):
        assert words in body
    assert "19.8 %" not in body  # counted with five sources, of which these are one and another
    assert "a hundred years old" not in body  # said of other books than these
    assert " None" not in body
    assert "nan" not in body.split()


def test_what_was_not_recorded_is_not_counted_as_nothing():
    settings = {"optimizer": {"kind": "muon"}, "batch": {"size": 64}, "masking": {"share": 0.15}}
    stage = {"tokens": 2_000_000, "steps": 10, "seconds": None, "settings": settings}
    assert stage_table([stage]).splitlines()[-1] == (
        "| 1 | 2.0 | 10 | not recorded | not recorded | muon | not recorded | not recorded | 64 | 0.15 | not recorded |"
    )


def test_a_model_without_a_run_has_a_shorter_card(run, tmp_path):
    model = from_pretrained(run / "checkpoints" / "last")
    model.save(tmp_path / "model")
    found = pack(tmp_path / "model", tmp_path / "packed", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert "## Recipe" not in text
    assert "## Data" not in text
    assert "curve.svg" not in found.files


def test_commands_on_the_card_name_the_folder_whatever_the_model_is_called(run, tmp_path):
    found = pack(run, tmp_path / "my first", name="My BERT", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert text == card_of(found.folder)
    assert "# My BERT" in text
    assert 'mini_bert.load("./my first")' in text
    assert text.count("--model './my first'") == 3
    assert "Text is lowercased and cut" in text


def test_commands_on_the_card_of_a_folder_that_is_called_like_a_shipped_model_are_for_the_folder(
    run, tmp_path
):
    found = pack(run, tmp_path / "mini", most_rows=4)
    text = (found.folder / "README.md").read_text("utf-8")
    assert text == card_of(found.folder)
    assert 'mini_bert.load("./mini")' in text
    assert text.count("--model ./mini\n") == 3


def test_a_model_that_reads_capital_letters_is_not_said_to_lower_them(packed, tmp_path):
    place = tmp_path / "cased"
    shutil.copytree(packed.folder, place)
    tokenizer = WordPieceTokenizer.load(place, lowercase=False)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (place / name).unlink()
    tokenizer.save(place)
    text = card_of(place)
    assert "Text is cut into word pieces" in text
    assert "lowercased" not in text
    assert "without capital letters" not in text


@pytest.mark.parametrize("count", [1, 3, 12, 13, 100])
def test_a_dozen_points_of_a_log_with_the_last(count):
    log = [{"step": step, "loss": 5.0, "held_out_loss": 4.0} for step in range(1, count + 1)]
    rows = log_table(log).splitlines()[2:]
    assert len(rows) == min(count, 12)
    assert rows[-1].startswith(f"| {count} |")


def test_the_log_of_stages_has_the_end_of_each():
    log = [{"step": step, "loss": 5.0, "held_out_loss": 4.0} for step in range(1, 101)]
    rows = [row.split(" | ")[:2] for row in log_table(log, [50, 51, 100]).splitlines()[2:]]
    assert [row for row in rows if row[1] in ("50", "51", "100")] == [
        ["| 1", "50"],
        ["| 2", "51"],
        ["| 3", "100"],
    ]
    assert len(rows) == 13, "50 is among the dozen"
    assert "stage" not in log_table(log, [100])
    assert log_table(log[60:], [50, 100]).splitlines()[2].startswith("| 2 |"), (
        "of a stage without a log there is no row"
    )


def test_a_rate_that_was_left_open_is_the_optimizers_own():
    settings = {
        "optimizer": {"kind": "lion", "learning_rate": None},
        "batch": {"size": 64},
        "masking": {"share": 0.15},
    }
    assert " | lion | 0.0001 | " in stage_table([{"settings": settings}])


def test_remarks_stand_above_the_results_until_they_are_taken_away(packed, tmp_path):
    once = pack(packed.folder, tmp_path / "once", remarks=["Chosen with an eye on the exam."]).folder
    for folder in (once, pack(once, tmp_path / "again").folder):
        _, after = (folder / "README.md").read_text("utf-8").split("## Evaluation")
        assert after.index("Chosen with an eye on the exam.") < after.index("### Hidden words")
    again = pack(once, tmp_path / "more", remarks=["Once more."]).folder
    assert json.loads((again / "evaluation.json").read_text("utf-8"))["remarks"] == [
        "Chosen with an eye on the exam.",
        "Once more.",
    ]
    other = pack(once, tmp_path / "other", remarks=["", "Twice."]).folder
    assert "Chosen with an eye" not in (other / "README.md").read_text("utf-8")
    cleared = pack(once, tmp_path / "cleared", remarks=[""]).folder
    assert "remarks" not in json.loads((cleared / "evaluation.json").read_text("utf-8"))


@pytest.mark.parametrize("rows", [(16,), (16, None), (None, 16)])
def test_short_rows_of_any_stage_are_told_beside_losses_on_full_ones(rows):
    def told(rows):
        stages = [
            {
                "settings": {"batch": {"short_rows": short}},
                "text": {"held_out": 0.01},
                "steps": 8,
                "tokens": 512,
            }
            for short in rows
        ]
        log = [{"step": 8, "tokens": 512, "loss": 4.0, "held_out_loss": 6.0}]
        return " ".join(" ".join(curve({"stages": stages, "log": log}, False)).split())

    without = told([None] * len(rows))
    assert told(rows).startswith(without)
    assert "Rows of training are short at first" in told(rows).removeprefix(without)
