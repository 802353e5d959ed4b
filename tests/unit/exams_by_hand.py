"""Two small exams, and models to be examined: what evaluations are tested with."""

from types import SimpleNamespace

from mini_bert import MiniBERT, ModelConfig
from mini_bert.checked import Checked
from mini_bert.evaluation import suites
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table


class CoinSettings(Checked):
    tosses: int = 1000
    seed: int = 0


class OddSettings(Checked):
    trouble: str = "none"


def coins(subject, tasks, settings, report):
    """A table with everything a table can have, and a picture."""
    report(0.5, "half of them")
    right = share(settings.tosses * 9 // 10 + settings.seed, settings.tosses)
    rows = (
        Row(("this model", right, 1.25, settings.tosses)),
        Row(("per-word majority", Estimate(0.5), 2.5, settings.tosses), "baseline"),
        Row(("random weights", Estimate(0.4, 0.35, 0.45), None, settings.tosses), "control"),
    )
    columns = (Column(""), Column("right", is_share=True), Column("loss", decimals=2), Column("tosses"))

    def draw():
        from mini_bert.plots.bars import Bar, bars

        return bars([Bar("this model", 100 * right.value)], "right (%)", chance=50.0)

    return [
        Section(
            "coins",
            "Coins <tossed>",
            "Heads & tails.",
            (Table("Scores", columns, rows, "a note"),),
            {"accuracy": right.value, "seed": settings.seed, "nothing": float("nan")},
            (Picture("Heads", draw, "how to read it"),),
        )
    ]


def odd(subject, tasks, settings, report):
    if settings.trouble == "does not apply":
        raise DoesNotApply("this model has no head for it; take another")
    if settings.trouble == "user":
        raise ValueError("tasks/dev.tsv: no labels; add a column")
    if settings.trouble == "ours":
        raise ZeroDivisionError("a mistake of ours")
    table = Table("Depths", (Column(""), Column("depth")), (Row(("this model", 3)),))
    return [Section("odd", "Odd ones", "No rivals here.", (table,), {"depth": 3})]


def install(monkeypatch):
    """The exams `coins` and `odd`, for suites to name."""
    made = {
        "coins": SimpleNamespace(Settings=CoinSettings, examine=coins, seconds=lambda *told: 2.0),
        "odd": SimpleNamespace(Settings=OddSettings, examine=odd, seconds=seconds_of_odd),
    }
    monkeypatch.setattr(suites, "EXAMS", dict.fromkeys(made, "by hand"))
    monkeypatch.setattr(suites, "module_of", made.__getitem__)


def seconds_of_odd(subject, tasks, settings, pace):
    assert min(pace) > 0
    if settings.trouble == "foreseen":
        raise DoesNotApply("it needs a folder of tasks; name one with --data")
    return 1.0


def tiny_model(tokenizer, seed=0):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=seed)
    model.tokenizer = tokenizer
    return model


def write_suite(folder, trouble="none", name="mine"):
    """A suite with both exams, the second one in trouble."""
    path = folder / f"{name}.yaml"
    path.write_text(
        "title: My own suite\n"
        "exams:\n"
        "  - exam: coins\n"
        "    quick: {tosses: 100}\n"
        "  - exam: odd\n"
        f"    quick: {{trouble: {trouble}}}\n"
        "    full: false\n"
    )
    return str(path)
