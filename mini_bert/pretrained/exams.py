"""What our commands found, in a line for each exam: the score of the model, and those of all that stood beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.probing.sections import MAJORITIES, TITLES

Result = Mapping[str, Any]
NEIGHBOURS = {"neighbours": "trigrams", "unigram": "word frequencies"}
RIVALS = {
    "random_model": "random weights",
    "linear_chain": "linear chain",
    "random_tree": "random trees",
    "positions_alone": "positions alone",
    "majority": "majority of the word",
    "most_frequent": "most frequent class",
}
IN_A_CONTEST = {
    "random_model": "same network, not pretrained",
    "bag_of_words": "bag of words",
    "majority": "most frequent answer",
    "word_majority": "the word's most frequent tag",
}
ENDINGS = (".gz", ".bz2", ".txt")


class Score(NamedTuple):
    """What a model, or a way to do without one, reaches in an exam; `ends` are those of its interval.

    Of a sample of the questions it says too little to be called the best. `lead` is how far the model is ahead of it on
    the same questions, where that was measured.
    """

    value: float
    ends: Sequence[float | None] = ()
    name: str = ""
    of_sample: bool = False
    lead: Estimate | None = None


class Exam(NamedTuple):
    """An exam by its title: the model's score, and those of its rivals; all are shares, or all plain numbers."""

    title: str
    score: Score
    rivals: list[Score]
    is_share: bool = True


def exams_in(result: Result, name: str) -> Iterator[Exam]:
    """The exams in what a command wrote with --json; none if we do not know its kind."""
    if "summary" in result:
        yield from map(of_ability, result["summary"])
    elif "uuas" in result:
        yield of_trees(result, "")
        yield of_trees(result, "_without_punctuation")
    elif "paradigms" in result:
        yield from map(of_pairs, sets_of_pairs(result))
    elif "judged_on" in result:
        yield of_contest(result)
    elif result.get("task") in TITLES:
        yield of_probe(result)
    else:
        for text, found in hidden_words(result, name):
            yield of_hidden_words(text, found)


def of_ability(one: Result) -> Exam:
    """Of `mini-bert evaluate`."""
    title = f"{one['title']} ({one['measure']})"
    rivals = [score_in(rival, rival["name"]) for rival in one["rivals"]]
    return Exam(title, score_in(one["score"]), rivals, one["is_share"])


def of_trees(result: Result, ending: str) -> Exam:
    """Of `mini-bert probe distances`."""
    key = f"uuas{ending}"
    rivals = [
        Score(result[f"{rival}{ending}"], name=RIVALS[rival])
        for rival in ("linear_chain", "random_model", "random_tree")
        if f"{rival}{ending}" in result
    ]
    alone = result["positions_alone"]
    rivals.append(Score(alone[key], alone[f"{key}_interval"], RIVALS["positions_alone"]))
    title = f"edges of trees found{ending.replace('_', ' ')}, UUAS"
    return Exam(title, Score(result[key], result[f"{key}_interval"]), rivals)


def sets_of_pairs(result: Result) -> list[Result]:
    return list(result["sets"].values()) if "sets" in result else [result]


def of_pairs(result: Result) -> Exam:
    """Of `mini-bert minimal-pairs`."""
    few = result.get("pairs_for_random_weights") or inf
    sampled = any(one["pairs"] > few for one in result["paradigms"].values())
    rivals = [
        Score(value, name=name, of_sample=sampled and name == RIVALS["random_model"])
        for name, value in result["baselines"].items()
    ]
    rivals.append(Score(result["chance"], name="chance"))
    return Exam(f"minimal pairs, {result['set']}", score_in({**result, "value": result["accuracy"]}), rivals)


def of_contest(result: Result) -> Exam:
    """Of `mini-bert finetune`."""
    metric = result["metric"]
    leads = {key: Estimate(**one) for key, one in (result.get("ahead_of") or {}).items()}
    rivals = [
        Score(result[key], ends, IN_A_CONTEST.get(key, key.replace("_", " ")), lead=leads.get(key))
        for key, ends in result["intervals"].items()
    ]
    return Exam(
        f"fine-tuning, {result['task']} ({metric})",
        Score(result[metric], result["interval"]),
        rivals,
        is_share=metric != "matthews",
    )


def of_probe(result: Result) -> Exam:
    """Of `mini-bert probe pos`, `relations`, `edges` and `entities`; of these, the F1 by which the layer was chosen."""
    names = {**RIVALS, "majority": MAJORITIES.get(result["task"], RIVALS["majority"])}
    title = f"{TITLES[result['task']].lower()}, {result['probe']} probe"
    if "f1" in result:
        rivals = [Score(result[f"{key}_f1"], name=names[key]) for key in ("majority", "random_model")]
        return Exam(f"{title} (F1)", Score(result["f1"], result.get("f1_interval") or ()), rivals)
    rivals = [Score(result[key], name=names[key]) for key in ("majority", "most_frequent", "random_model")]
    return Exam(title, Score(result["accuracy"], result["interval"]), rivals)


def hidden_words(result: Any, name: str) -> Iterator[tuple[str, Result]]:
    """Every exam of hidden words in a result of `mini-bert metrics`, by the text that was asked about."""
    if not isinstance(result, Mapping):
        return
    if "masked_accuracy" in result and isinstance(result.get("baselines"), Mapping):
        told = result.get("text")
        yield (told if isinstance(told, str) else name), result
        return
    for key, inner in result.items():
        for one in inner if isinstance(inner, list) else [inner]:
            yield from hidden_words(one, str(key))


def of_hidden_words(text: str, found: Result) -> Exam:
    rivals = [
        Score(found["baselines"][key]["masked_accuracy"], name=name)
        for key, name in NEIGHBOURS.items()
        if key in found["baselines"]
    ]
    ends = (found.get("intervals") or {}).get("masked_accuracy") or ()
    return Exam(f"hidden words found, {without_ending(text)}", Score(found["masked_accuracy"], ends), rivals)


def without_ending(text: str) -> str:
    """
    >>> without_ending("held_out/tales.txt.gz")
    'held_out/tales'
    """
    for ending in ENDINGS:
        text = text.removesuffix(ending)
    return text


def score_in(told: Result, name: str = "") -> Score:
    return Score(told["value"], [told.get("low"), told.get("high")], name)
