"""Experiments as they are written: every shipped one can be trained, and a bad one is refused with the remedy."""

import re
from pathlib import Path

import pytest

from mini_bert.experiments.experiment import BASE, Experiment, experiment_names
from mini_bert.experiments.ground import Ground, ground_in
from mini_bert.experiments.sameness import apart
from mini_bert.experiments.trials import check_same, trials_of
from mini_bert.marked_page import END, MARK, rewritten
from mini_bert.models.build import build_network
from mini_bert.training.config import TrainingConfig
from tests.unit.runs_by_hand import line, write_run

PAGE = Path(__file__).parents[2] / "docs" / "recipe_search.md"
CLAIMS = (
    "Muon at its higher rate ([optimizer.muon-5e-3])",
    "[masking_share.30] with 30 %, [masking_share.40] with 40 %, [masking_share.30-to-15] from 30 down to 15 %",
    "16 rows in a step ([batch.16])",
    "DeBERTa's positions ([positions.disentangled])",
    "the gated feed-forward ([activation.gated-gelu])",
    "smaller first weights ([initializer.std-0.02])",
    "ReLU ([activation.relu])",
    "the norm after the sum ([norm.post-norm])",
    "short sentences first ([curriculum.length])",
    "rows of 32 tokens at first ([row_length.32-then-64])",
    "a third more width ([shape.3-layers-of-256])",
    "Numbers for distances ([positions.relative]) and learned positions ([positions.learned])",
    "LAMB ([optimizer.lamb]), Lion ([optimizer.lion]), SGD ([optimizer.sgd]) and Sophia ([optimizer.sophia])",
    "One line to a row ([packing.one-line-per-row])",
    "Twice, four times or half of the learning rate "
    "([learning_rate.2e-3], [learning_rate.4e-3], [learning_rate.5e-4])",
    "Larger first weights ([initializer.std-0.06])",
    "128 and 64 rows in a step ([batch.128], [batch.64]), and from 16 to 64 ([batch.16-to-64])",
    "Hiding spans ([masking_kind.spans]) and whole words ([masking_kind.whole-words])",
    "[disguise.80-20-0] for 80/20/0, [disguise.100-0-0] for 100/0/0",
    "Two tables ([tying.untied])",
    "sentence order beside the words ([second_task.sentence-order])",
    "six layers ([shape.6-layers])",
    "dropout ([dropout.0.1])",
    "rows of 16 tokens at first ([row_length.16-then-64])",
    "rare words last ([curriculum.rarity])",
    "rows that begin where a document does ([packing.aligned])",
    "four layers of 224 ([shape.4-layers-of-224])",
    "the base is far ahead of it ([guide.the base of the search])",
    "other seeds ([guide.as-drawn-seed-1] and [guide.as-drawn-seed-2])",
    "one seed has [guide.short-rows-first], and is still near it, the other [guide.short-rows-first-seed-1]",
    "at its rate of 5e-3 and in full rows, with [guide.mini-recipe-full-rows-5e-3]",
    "more hidden words ([guide.more-hidden-words])",
    "Muon alone at 1e-3 ([guide.muon]) and at 5e-3 ([guide.muon-5e-3], with GELU too)",
    "in full rows ([guide.mini-recipe-full-rows]) and with half of the run in short ones ([guide.mini-recipe])",
    "only twice AdamW's rate is worse than no change ([guide.faster])",
    "All of `mini-best`, with the base's longer warm-up, is [combined.mini-best] from",
    "the base; with AdamW, [combined.mini-best-by-adamw]",
    "Six layers ([shape.6-layers])",
    "Rows that begin where a document does ([packing.aligned])",
    "From 16 to 64 rows in a step ([batch.16-to-64]), and not 16 throughout ([batch.16])",
    "From 30 down to 15 % hidden words ([masking_share.30-to-15]), and not 40 % throughout ([masking_share.40])",
)
"""What the summary of the page says, with the names of variants where it has their figures."""
GOOD = "question: Where?\nbase_is: post\nvariants:\n  pre-norm: {model: {residual: pre-norm}}\n"


def written(folder, text, name="where.yaml"):
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("name", experiment_names())
def test_every_shipped_variant_can_be_trained_and_differs_from_the_base(name, tmp_path):
    experiment = Experiment.named(name)
    base, *variants = trials_of([experiment], Ground(), tmp_path)
    assert base.run.path.name == BASE
    assert [trial.run.path.name for trial in variants] == [
        f"{name}.{variant}" for variant in experiment.variants
    ]
    for trial in variants:
        assert apart(base.config, trial.config)
        build_network(trial.config.described_model)
        assert trial.config.short_row_length is None or trial.config.batch.short_rows


@pytest.mark.parametrize("name", experiment_names())
def test_every_shipped_experiment_has_its_words_and_its_place_on_the_page(name):
    experiment = Experiment.named(name)
    assert experiment.question.endswith("?")
    assert experiment.told
    assert experiment.base_is != BASE
    found = re.findall(f"<!-- experiment: {name} -->\n\n(.*?)\n\n{END}", PAGE.read_text("utf-8"), re.DOTALL)
    words, _, tables = "".join(found).partition("\n\n|")
    assert words == f"### {experiment.question}\n\n{experiment.told.strip()}"
    assert not tables or tables.startswith(f" {name.replace('_', ' ')} | found |")


def test_the_page_speaks_of_no_other_experiment():
    marks = MARK.findall(PAGE.read_text("utf-8"))
    assert sorted(marks) == [f"experiment: {name}" for name in experiment_names()]


def page_figures():
    """Variant → how far its loss is from what it is compared with, as the tables of the page have it."""
    parts = re.findall(rf"<!-- experiment: (\w+) -->(.*?){END}", PAGE.read_text("utf-8"), re.DOTALL)
    row = re.compile(r"^\| ([^|]+?) \|[^|]*\|[^|]*\| ([−+]\d\.\d{3}) ± ", re.MULTILINE)
    return {f"{name}.{variant}": figure for name, part in parts for variant, figure in row.findall(part)}


def test_each_figure_in_the_summary_of_the_page_is_that_of_its_variant():
    figures = page_figures()
    summary = PAGE.read_text("utf-8").split("## What was found")[1].split("<!-- experiment", 1)[0]
    left = " ".join(summary.split())
    seeds = [float(figure[1:]) for name, figure in figures.items() if name.startswith("seed.")]
    claims = [re.sub(r"\[(.+?)\]", lambda name: figures[name[1]], claim) for claim in CLAIMS]
    for claim in [*claims, f"the base with another seed is up to {max(seeds):.3f} away"]:
        assert claim in left
        left = left.replace(claim, "")
    assert re.findall(r"\d\.\d{3}", left) == []


def test_the_whole_search_stays_short():
    runs = 1 + sum(len(Experiment.named(name).variants) for name in experiment_names())
    assert runs <= 60  # five minutes each are five hours of a core, as the page says


def test_the_combination_is_that_of_the_shipped_model(tmp_path):
    trials = trials_of([Experiment.named("combined")], Ground(), tmp_path)
    [combined] = [trial for trial in trials if trial.name == "combined.mini-best"]
    assert apart(combined.config, TrainingConfig.named("mini-best")) == {
        "budget.tokens": (2_048_000, 80_000_000),
        "schedule.warmup": (0.05, 0.01),  # as the experiment tells
    }


def test_the_recipe_for_the_guides_architecture_is_that_of_the_shipped_model(tmp_path):
    trials = trials_of([Experiment.named("guide")], Ground(), tmp_path)
    [recipe] = [trial for trial in trials if trial.name == "guide.mini-recipe"]
    assert apart(recipe.config, TrainingConfig.named("mini")) == {
        "batch.short_until": (0.5, 0.05),
        "budget.tokens": (2_048_000, 64_000_000),
        "schedule.warmup": (0.05, 0.01),  # as the experiment tells
    }


def test_variants_may_be_compared_with_one_of_them(tmp_path):
    text = GOOD.replace("variants:", "against: pre-norm\nvariants:") + "  wide: {model: {hidden_size: 48}}\n"
    experiment = Experiment.named(written(tmp_path, text))
    assert experiment.titles == {"pre-norm": "pre-norm", BASE: "post", "wide": "wide"}
    assert list(Experiment.named(written(tmp_path, GOOD)).titles) == [BASE, "pre-norm"]


def test_a_file_of_ones_own_is_an_experiment_named_after_it(tmp_path):
    experiment = Experiment.named(written(tmp_path, GOOD))
    assert (experiment.name, experiment.base_is) == ("where", "post")
    assert experiment.folder_of("pre-norm") == "where.pre-norm"
    assert experiment.folder_of(BASE) == BASE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "question: Why?\nvariants:\n  20: {seed: 1}\n",
            "variant 20 is read as a number; put its name in quotes",
        ),
        ("question: Why?\nvariants:\n  base: {seed: 1}\n", "base: not a name for a variant"),
        ("question: Why?\nvariants:\n  a/b: {seed: 1}\n", "a/b: not a name for a variant"),
        ("question: Why?\nvariants:\n  a: {}\n", "a: changes nothing"),
        ("question: Why?\nvariants:\n  a: {corpus: [x]}\n", "a.corpus: must be the same for all"),
        ("question: Why?\nvariant:\n  a: {seed: 1}\n", "unknown setting 'variant'; did you mean 'variants'?"),
        ("question: Why?\n", "variants: Field required"),
        (
            "question: Why?\nagainst: aa\nvariants:\n  a1: {seed: 1}\n",
            "against: unknown variant 'aa'; choose from base, a1",
        ),
    ],
)
def test_bad_experiments_are_refused_with_the_remedy(tmp_path, text, message):
    with pytest.raises(ValueError, match=f"(?s)where.yaml: .*{re.escape(message)}"):
        Experiment.named(written(tmp_path, text))


def test_unknown_names_and_missing_files_are_told():
    with pytest.raises(ValueError, match="did you mean 'norm'"):
        Experiment.named("nrom")
    with pytest.raises(ValueError, match=r"nowhere\.yaml"):
        Experiment.named("nowhere.yaml")


def test_a_variant_that_is_the_base_or_cannot_be_is_refused(tmp_path):
    same = Experiment.named(written(tmp_path, "question: Why?\nvariants: {a: {seed: 0}}"))
    with pytest.raises(ValueError, match=r"where\.a: the base \(debugging\) is so already"):
        trials_of([same], Ground(base="debugging"), tmp_path)
    wrong = Experiment.named(written(tmp_path, "question: Why?\nvariants: {a: {model: {num_heads: 5}}}"))
    with pytest.raises(ValueError, match=r"where\.a: .*not divisible by A=5"):
        trials_of([wrong], Ground(base="debugging"), tmp_path)


def test_steps_are_tokens_so_that_all_batches_see_the_same_text():
    ground = Ground(base="debugging", steps=10)
    assert ground.config().budget.tokens == 10 * 32 * 32
    assert ground.config({"batch": {"size": 8}}).budget.tokens == 10 * 32 * 32
    assert ground.config({"budget": {"steps": 200}}).budget.steps == 20  # of 100 in the base


def test_the_same_run_is_the_same_however_it_was_written_down(tmp_path):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(f"The text of {name}.", "utf-8")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "c.txt").write_text("The text of a.txt.", "utf-8")
    shared = {"optimizer": {"kind": "adamw", "learning_rate": 1e-3}}
    one = TrainingConfig.named("debugging", {**shared, "corpus": [str(tmp_path / "*.txt")], "workers": 2})
    other = TrainingConfig.named(
        "debugging",
        {
            **shared,
            "corpus": [str(copy / "c.txt"), str(tmp_path / "b.txt")],
            "budget": {"tokens": 100 * 32 * 32},
            "logging": {"every": 1},
            "saving": {"keep": 9},
            "tokenizer": "elsewhere",
        },
    )
    assert apart(one, other) == {}
    changed = TrainingConfig.named(
        "debugging", {"corpus": [str(tmp_path / "a.txt")], "model": {"tied": True}}
    )
    assert set(apart(one, changed)) == {"corpus", "model.tied", "optimizer.learning_rate"}


def test_runs_of_another_recipe_are_refused_by_name(tmp_path):
    experiment, ground = Experiment.named(written(tmp_path, GOOD)), Ground(base="debugging")
    write_run(tmp_path / BASE, [line(100)], spent=100, corpus=["world:2000"])
    write_run(tmp_path / "where.pre-norm", [line(50)], spent=50, model={"residual": "pre-norm"})
    trials = trials_of([experiment], ground, tmp_path)
    assert [trial.state for trial in trials] == ["finished", "unfinished"]
    check_same(trials, ground)
    other = Ground(base="debugging", steps=7)
    with pytest.raises(ValueError, match=r"base: holds another run \(budget.tokens 102400, not 7168\)"):
        check_same(trials_of([experiment], other, tmp_path), other)


def test_a_run_that_its_guard_has_stopped_is_not_tried_again(tmp_path):
    lines = [line(40, None, troubles=["step 40: not finite: loss nan (stop)"])]
    write_run(tmp_path / BASE, lines, spent=30)
    (base, *_) = trials_of([], Ground(base="debugging"), tmp_path)
    assert base.state == "stopped"
    assert "not finite" in base.trouble


def test_the_ground_is_remembered_and_seen_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ground = ground_in(tmp_path / "s", {"corpus": ["a/*.txt", "world"], "held_out": ["b.txt"], "steps": 5})
    ground.keep(tmp_path / "s")
    monkeypatch.chdir(tmp_path / "s")
    again = ground_in(tmp_path / "s", {"steps": 6})
    assert again.corpus == [str(tmp_path / "a" / "*.txt"), "world"]
    assert (again.held_out, again.steps) == ([str(tmp_path / "b.txt")], 6)
    (tmp_path / "s" / "search.json").write_text("{", "utf-8")
    with pytest.raises(ValueError, match="damaged; remove it"):
        ground_in(tmp_path / "s", {})


def test_each_held_out_file_is_a_text_of_its_own(tmp_path):
    for name in ("tales.txt", "books.txt"):
        (tmp_path / name).write_text("Once upon a time.", "utf-8")
    assert list(Ground(held_out=[str(tmp_path / "*.txt")]).exam_texts()) == ["books", "tales"]
    assert list(Ground().exam_texts()) == ["world"]
    assert Ground(held_out=["world:5"]).exam_texts()["world:5"].name == "world:5 with seed 103"
    with pytest.raises(ValueError, match="--corpus without --held-out"):
        Ground(corpus=["world"]).exam_texts()
    texts = [str(tmp_path / "*.txt")]
    with pytest.raises(ValueError, match="--held-out: tales is in the corpus, too; name text that no run"):
        Ground(corpus=texts, held_out=[str(tmp_path / "tales.txt")]).check_held_out()
    Ground(corpus=[texts[0].replace("*", "books")], held_out=[str(tmp_path / "tales.txt")]).check_held_out()


def test_a_page_keeps_what_is_not_between_marks():
    page = "top\n<!-- experiment: a -->\nold\n<!-- end -->\nmiddle\n<!-- experiment: b -->\n<!-- end -->\n"
    new = rewritten(page, {"experiment: b": "B\n", "experiment: a": "A\n"})
    assert new == rewritten(new, {"experiment: a": "A", "experiment: b": "B"})
    assert "old" not in new
    assert new.index("A") < new.index("middle") < new.index("B")
    with pytest.raises(ValueError, match="no place for experiment: c"):
        rewritten(page, {"experiment: c": ""})
    with pytest.raises(ValueError, match="has no end"):
        rewritten("<!-- experiment: a -->\n<!-- experiment: b -->\n<!-- end -->", {"experiment: a": ""})
