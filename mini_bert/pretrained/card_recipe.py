"""The recipe of a run in words: the settings that had an effect, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mini_bert.models.config import ModelConfig
from mini_bert.pretrained.card_prose import paragraph
from mini_bert.pretrained.card_tables import from_to
from mini_bert.training.changes import Change, in_words

Settings = Mapping[str, Any]


def recipe_rows(config: ModelConfig, settings: Settings) -> list[list[str]]:
    """Part and settings at the end; a part that did nothing is left out."""
    rows = {"model": architecture(config), **recipe_of(settings)}
    return [[part, told] for part, told in rows.items() if told]


def recipe_of(settings: Settings) -> dict[str, str]:
    """The parts that settings have, each in words; none for one that did nothing."""
    text = {"text": layout(settings)} if "packed" in settings else {}
    return text | {
        part.replace("_", " "): tell(settings[part]) for part, tell in PARTS.items() if part in settings
    }


def architecture(config: ModelConfig) -> str:
    """What differs from the learning guide's model, however its weights were drawn.

    >>> architecture(ModelConfig(tied=True, residual="pre-norm")), architecture(ModelConfig())
    ('residual pre-norm, tied', "every setting is the learning guide's")
    """
    plain = ModelConfig().model_dump(exclude={"initializer"})
    changed = {key: value for key, value in config.model_dump().items() if value != plain.get(key, value)}
    return listed(changed) or "every setting is the learning guide's"


def listed(settings: Settings) -> str:
    """
    >>> listed({"kind": "muon", "weight_decay": 0.05, "beta1": None, "nesterov": False, "tied": True})
    'muon, weight decay 0.05, tied'
    """
    told = []
    for key, value in settings.items():
        name = key.replace("_", " ")
        if value is not None and value is not False:
            told.append(str(value) if key == "kind" else name if value is True else f"{name} {value}")
    return ", ".join(told)


def layout(settings: Settings) -> str:
    """
    >>> layout({"packed": True, "aligned": True}), layout({"packed": True}), layout({"packed": False})
    ('rows full of text, which begin with a document where they can', 'rows full of text', 'a row for each document')
    """
    if not settings["packed"]:
        return "a row for each document"
    return "rows full of text" + (
        ", which begin with a document where they can" if settings.get("aligned") else ""
    )


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def masking(one: Settings) -> str:
    ways = [f"{percent(one['hidden'])} of them behind [MASK]", f"{percent(one['replaced'])} replaced"]
    ways.append(f"{percent(1 - one['hidden'] - one['replaced'])} as they are")
    share = from_to(one["share"], one["final_share"])
    return ", ".join(
        [f"{one['kind']}, a share of {share}", *ways, *(key for key in ("static", "adaptive") if one[key])]
    )


def optimizer(one: Settings) -> str:
    return listed({key: value for key, value in one.items() if (key, value) != ("layer_decay", 1.0)})


def schedule(one: Settings) -> str:
    told = [
        one["kind"],
        *(f"{key} {percent(one[key])}" for key in ("warmup", "floor", "cooldown") if one[key]),
    ]
    return ", ".join(told)


def batch(one: Settings) -> str:
    told = f"{from_to(one['ramp_from'], one['size'])} rows"
    if one["ramp_from"] is not None:
        told += f" over the first {percent(one['ramp_until'])} of the run"
    if one["short_rows"] is not None:
        told += f"; more and shorter ones, of {one['short_rows']} tokens, in the first {percent(one['short_until'])}"
    return told


def clipping(one: Settings) -> str:
    bounds = {
        "norm": f"to a norm of {one['max_norm']:g}",
        "adaptive": f"to {one['factor']:g} of a weight's norm",
    }
    return bounds.get(one["kind"], "")


def averaging(one: Settings) -> str:
    used = {"ema": ["decay"], "lookahead": ["every", "share"]}.get(one["kind"])
    return "" if used is None else listed({"kind": one["kind"]} | {key: one[key] for key in used})


def curriculum(one: Settings) -> str:
    return (
        "" if one["kind"] == "none" else f"{one['kind']}, over the first {percent(one['until'])} of the run"
    )


def second_task(one: Settings) -> str:
    """
    >>> second_task({"kind": "sentence-order", "importance": 0.5}), second_task({"kind": "own", "importance": 1.0})
    ('sentence-order, importance 0.5', '')
    """
    return "" if one["kind"] == "own" else listed(one)


def distillation(one: Settings) -> str:
    return "" if one["teacher"] is None else listed(one)


def differences_told(stages: Sequence[Settings]) -> Iterator[str]:
    """A sentence for each stage before the last that did otherwise what the table of stages does not tell.

    >>> parts = [{"packed": True, "curriculum": {"kind": kind, "until": 0.5}} for kind in ("length", "none")]
    >>> [*differences_told([{"settings": part} for part in parts])]
    ['In stage 1 other than in the last: curriculum length, over the first 50 % of the run.']
    """
    *earlier, last = (recipe_of(stage.get("settings") or {}) for stage in stages)
    for number, told in enumerate(earlier, start=1):
        if other := [
            f"{part} {told[part]}" if told[part] else f"no {part}"
            for part in UNTABLED
            if part in told and told[part] != last.get(part, "")
        ]:
            yield paragraph(f"In stage {number} other than in the last: {'; '.join(other)}.")


def changes_told(stages: Sequence[Settings]) -> Iterator[str]:
    """A sentence for each change in the middle of a stage."""
    for number, stage in enumerate(stages, start=1):
        for one in stage.get("changes", ()):
            yield paragraph(f"Changed in stage {number}, {changed(one)}.")


def means_told(stages: Sequence[Settings]) -> Iterator[str]:
    """A sentence for each stage whose weights are a mean.

    >>> [*means_told([{"settings": {}}, {"averaged": [80_003_072, 116_000_000]}])][0][:87]
    'The weights of stage 2 are the mean of those after 80,003,072 and 116,000,000 tokens; n'
    >>> [*means_told([{"averaged": [None, 2_000_000, 3_000_000]}])][0][:76]
    'The weights of stage 1 are the mean of those at 3 moments of the training; n'
    >>> [*means_told([{"averaged": [2_000, 3_000]}, {"averaged": [3_000, 4_000]}])][1][:89]
    'The weights of stage 2 are the mean of those after 3,000 (the mean of stage 1) and 4,000 '
    """
    means: dict[int, int] = {}
    for number, stage in enumerate(stages, start=1):
        if moments := stage.get("averaged"):
            when = f"at {len(moments)} moments of the training"
            if None not in moments:
                *others, last = (moment_told(tokens, means) for tokens in moments)
                when = f"after {', '.join(others)} and {last} tokens"
                means[moments[-1]] = number
            yield paragraph(
                f"The weights of stage {number} are the mean of those {when}; no line of the curve tells of the mean."
            )


def moment_told(tokens: int, means: Mapping[int, int]) -> str:
    """With the stage whose weights at that moment were a mean themselves, if one's were."""
    return f"{tokens:,} (the mean of stage {means[tokens]})" if tokens in means else f"{tokens:,}"


def changed(one: Change) -> str:
    """
    >>> changed({"step": 16150, "tokens": 43487232, "optimizer.weight_decay": [0.05, 0.01]})
    'after step 16,150 and 43.5 million tokens: optimizer.weight_decay 0.05 → 0.01'
    >>> changed({"step": 16150, "until_step": 16200, "tokens": 43487232, "seed": [0, 1]})
    'between steps 16,150 and 16,200, after about 43.5 million tokens: seed 0 → 1'
    """
    when, tokens = f"after step {one['step']:,} and", f"{one['tokens'] / 1e6:,.1f} million tokens"
    if "until_step" in one:
        when = f"between steps {one['step']:,} and {one['until_step']:,}, after about"
    told = f"{when} {tokens}: {in_words(one)}"
    if any(name.startswith("budget.") for name in one):
        told += "; warm-up, ramps and schedules were laid over the former until then"
    return told


PARTS: dict[str, Callable[[Any], str]] = {
    "masking": masking,
    "optimizer": optimizer,
    "schedule": schedule,
    "batch": batch,
    "clipping": clipping,
    "averaging": averaging,
    "curriculum": curriculum,
    "second_task": second_task,
    "distillation": distillation,
    "budget": listed,
    "seed": str,
}
UNTABLED = ("text", "clipping", "averaging", "curriculum", "second task", "distillation")
"""Parts of which the table of stages has no column."""
