"""What our commands found, as a model card shows it: each kind of result in a table of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp
from pathlib import PurePath
from statistics import fmean
from typing import Any

from mini_bert.errors import counted
from mini_bert.evaluation.estimate import difference_told
from mini_bert.evaluation.linguistic.phenomena import BLIMP, MARVIN_LINZEN
from mini_bert.pretrained.card_prose import paragraph
from mini_bert.pretrained.card_tables import MISSING, decimal, markdown_table, percentage, score_told
from mini_bert.pretrained.exams import (
    IN_A_CONTEST,
    Exam,
    Result,
    Score,
    exams_in,
    hidden_words,
    of_contest,
    of_pairs,
    sets_of_pairs,
    without_ending,
)
from mini_bert.run_reports.history import is_number

OURS = "this model"
HOW_NOT_WHAT = {"model", "weights", "versions", "settings", "command", "date", "output", "report", "seed"}
"""What results tell of how they were made."""
ASKED = """\
{share} of the tokens are hidden, all behind [MASK]; a token is a word, a piece of a word or a punctuation mark. The
model sees rows of {T} tokens, {layout}. Trigrams know the word before and the word behind the hidden one, word
frequencies neither; both counted in {counted}. Brackets hold 95 % intervals."""
PUBLISHED = {"BLiMP": len(BLIMP), "Zorro": 23, "Marvin & Linzen": len(MARVIN_LINZEN)}
"""Paradigms of each set, as it was published."""
TREEBANKS = {"ud_ewt": "UD English EWT"}
"""By the folder that their files lie in."""
NO_ABILITY = "Nothing in it is compared with a baseline; evaluation.json has its figures."
OVER = "Intervals are clustered over {}: pairs that have them in common are not independent."
OF_PAIRS = """\
Intervals are those of independent pairs; but pairs share words, and for other words of the same construction they are
too narrow."""
LAYOUTS = {"packed": "documents one after the other", "documents": "a document in each"}
BY_LENGTH = """\
"Overall" counts each text by its length: {shares}. "Mean of the texts" counts all alike. Perplexity is e to the mean
loss."""
AS_BERT = """\
With BERT's disguise, 80 % behind [MASK], 10 % replaced and 10 % as they are, it finds {found} overall, with a
perplexity of {perplexity:.1f}."""


def results_of(name: str, result: Result) -> str:
    """What one command found, under a title: in a table of its kind if we know it, else every figure by its name."""
    exams = list(exams_in(result, name))
    if "summary" in result:
        rows = result["summary"]
        return f"### Abilities\n\n{abilities_table(rows, exams) if rows else NO_ABILITY}"
    if "uuas" in result:
        return f"### Trees in the distances of words\n\n{probed(result)}\n\n{beside_table(exams)}"
    if "paradigms" in result:
        return "\n\n".join(pairs_told(one, result.get("counted_in")) for one in sets_of_pairs(result))
    if "judged_on" in result:
        return contest_told(result)
    if hidden := list(hidden_words(result, name)):
        return "### Hidden words\n\n" + "\n\n".join(hidden_words_told(result, hidden))
    if exams:
        return f"### Probe: {exams[0].title}\n\n{probed(result)}\n\n{beside_table(exams)}"
    return f"### {name}\n\n{markdown_table(['figure', 'value'], list(map(list, figures(result))))}"


def beside_table(exams: Sequence[Exam]) -> str:
    """The model, and below it all its rivals; a column for each exam."""
    names = dict.fromkeys(rival.name for exam in exams for rival in exam.rivals)
    rows = [[OURS, *(score_told(exam.score, exam.is_share) for exam in exams)]]
    for name in names:
        found = [next((rival for rival in exam.rivals if rival.name == name), None) for exam in exams]
        cells = [
            score_told(rival, exam.is_share) if rival else MISSING
            for rival, exam in zip(found, exams, strict=True)
        ]
        rows.append([name, *cells])
    return markdown_table(["who", *(exam.title for exam in exams)], rows)


def abilities_table(summary: Sequence[Result], exams: Sequence[Exam]) -> str:
    """Of `mini-bert evaluate`: each ability beside all of its rivals."""
    rows = [
        [
            exam.title,
            score_told(exam.score, exam.is_share),
            "; ".join(f"{rival.name} {score_told(rival, exam.is_share)}" for rival in exam.rivals),
            one["beats_its_baselines"],
        ]
        for one, exam in zip(summary, exams, strict=True)
    ]
    return markdown_table(["ability", OURS, "beside it", "beats all"], rows)


def probed(result: Result) -> str:
    """What a probe learned from, and on what its layer was chosen."""
    counts = result.get("examples") or result["sentences"]
    unit = "words" if "examples" in result else "sentences"
    source = result["source"]
    treebank = TREEBANKS.get(PurePath(source.partition(",")[0]).parent.name)
    named = f"{treebank} ({source})" if treebank else source
    return paragraph(
        f"{named}: {counts['train']:,} {unit} to learn from, {counts['dev']:,} others that chose layer "
        f"{result['layer']}, {counts['test']:,} to be judged by; seeds: {result['seeds']}."
    )


def contest_told(result: Result) -> str:
    """Of `mini-bert finetune`: all seeds of both networks, and the rates that each has tried."""
    exam, sweep = of_contest(result), result.get("sweep") or {}
    settings = result["settings"]
    runs = {OURS: ("model", result["by_seed"])}
    if by_seed := result.get("random_model_by_seed"):
        runs[IN_A_CONTEST["random_model"]] = ("random_model", by_seed)
    has_leads = any(rival.lead for rival in exam.rivals)
    rows = []
    for score in (exam.score._replace(name=OURS), *exam.rivals):
        key, seeds = runs.get(score.name, ("", []))
        rate = (sweep.get(key) or {}).get("chosen", settings["learning_rate"]) if key else None
        rows.append(
            [
                score.name,
                score_told(score, exam.is_share),
                ", ".join(score_told(Score(one), exam.is_share) for one in seeds) or MISSING,
                MISSING if rate is None else f"{rate:g}",
                *(
                    [difference_told(score.lead, exam.is_share) if score.lead else MISSING]
                    if has_leads
                    else []
                ),
            ]
        )
    tried = [f"{one['rate']:g}" for one in (sweep.get("model") or {}).get("tried", ())]
    examples, pooling = result["examples"], settings["pooling"]
    told = (
        f"{result['origin']}: {examples['train']:,} examples to learn from, judged on {result['judged_on']} "
        f"({examples[result['judged_on']]:,}); {counted(len(result['epochs']), 'epoch')}"
        f"{f', pooling: {pooling}' if pooling else ''}."
    )
    if tried:
        told += f" Either network has chosen its rate among {', '.join(tried)}, on {sweep['judged_on']}."
        told += at_an_end(sweep)
    header = ["who", f"{result['metric']}, the median", "each seed", "learning rate"]
    if has_leads:
        header.append(f"this model ahead, {'points' if exam.is_share else result['metric']}")
        told += " The interval of a lead is over examples that both were asked about, and over the seeds."
    return f"### Fine-tuning: {result['task']}\n\n{paragraph(told)}\n\n{markdown_table(header, rows)}"


def at_an_end(sweep: Result) -> str:
    """Which networks chose a rate beyond which none was tried.

    >>> sweep = {"model": {"chosen": 3, "tried": [{"rate": 1}, {"rate": 3}, {"rate": 9}]}}
    >>> at_an_end(sweep), at_an_end({"model": sweep["model"] | {"chosen": 9}})
    ('', ' That of this model is the highest that was tried; one beyond it might be better.')
    """
    told = ""
    for key, name in (("model", OURS), ("random_model", "the network that was not pretrained")):
        if one := sweep.get(key):
            rates = [tried["rate"] for tried in one["tried"]]
            for end, called in ((min(rates), "lowest"), (max(rates), "highest")):
                if one["chosen"] == end:
                    told += f" That of {name} is the {called} that was tried; one beyond it might be better."
    return told


def pairs_told(result: Result, counted_in: str | None) -> str:
    """Of `mini-bert minimal-pairs`: all, and each paradigm."""
    told = (
        f"How often the good one of two sentences is found more likely: the mean over {paradigms_told(result)}, and "
        "each one."
    )
    if "scored_by" in result:
        told += f" Sentences are scored by {result['scored_by']}."
    if counted_in:
        told += f" Words were counted in {counted_in}."
    most = result.get("most_pairs")
    if most and most in {one["pairs"] for one in result["paradigms"].values()}:
        told += f" Of a paradigm at most {counted(most, 'pair')} {'was' if most == 1 else 'were'} asked."
    if asked := result.get("pairs_for_random_weights"):
        told += f" Random weights were asked about {counted(asked, 'pair')} of a paradigm at most."
    told += f" {OVER.format(over) if (over := result.get('intervals_over')) else OF_PAIRS}"
    names = list(result["baselines"])
    rows = [
        [
            paradigm,
            f"{one['pairs']:,}",
            percentage(one["accuracy"], [one.get("low"), one.get("high")]),
            *(percentage(one["baselines"].get(name)) for name in names),
        ]
        for paradigm, one in result["paradigms"].items()
    ]
    return "\n\n".join(
        [
            f"### Minimal pairs: {result['set']}",
            paragraph(told),
            beside_table([of_pairs(result)]),
            markdown_table(["paradigm", "pairs", OURS, *names], rows),
        ]
    )


def paradigms_told(result: Result) -> str:
    """
    >>> paradigms_told({"set": "BLiMP", "paradigms": {"wh_island": {}}})
    "1 of BLiMP's 67 paradigms"
    >>> paradigms_told({"set": "mine", "paradigms": {"a": {}, "b": {}}})
    '2 paradigms'
    """
    asked, published = len(result["paradigms"]), PUBLISHED.get(result["set"], 0)
    if asked > published:
        return counted(asked, "paradigm")
    return f"{'all' if asked == published else asked} of {result['set']}'s {published} paradigms"


def hidden_words_told(result: Result, exams: Sequence[tuple[str, Result]]) -> Iterator[str]:
    """Of `mini-bert metrics`: how it was asked, what was found in each text and in all."""
    asked = exams[0][1]
    if "asked_share" in asked:
        yield paragraph(
            ASKED.format(
                share=percentage(asked["asked_share"]),
                T=asked["row_length"],
                layout=LAYOUTS[asked["layout"]],
                counted=asked["counted_in"],
            )
        )
    overall = result.get("overall")
    if overall is None:
        yield hidden_table(exams)
        return
    texts = [found for _, found in exams if found is not overall]
    yield hidden_table([*exams, ("mean of the texts", mean_of(texts))])
    shares = ", ".join(
        f"{without_ending(text)} {100 * share:.0f} %" for text, share in overall["shares"].items()
    )
    yield paragraph(BY_LENGTH.format(shares=shares))
    if disguised := overall.get("berts_disguise"):
        found = percentage(disguised["masked_accuracy"], disguised["intervals"]["masked_accuracy"])
        yield paragraph(AS_BERT.format(found=found, perplexity=disguised["perplexity"]))


def mean_of(texts: Sequence[Result]) -> dict[str, Any]:
    """The plain mean of several exams, and of their baselines."""

    def mean(some: Sequence[Result]) -> dict[str, Any]:
        accuracy = fmean(one["masked_accuracy"] for one in some)
        return {"masked_accuracy": accuracy, "perplexity": exp(fmean(one["loss"] for one in some))}

    beside = {key: mean([one["baselines"][key] for one in texts]) for key in ("neighbours", "unigram")}
    return {**mean(texts), "baselines": beside, "questions": sum(one["questions"] for one in texts)}


def hidden_table(exams: Sequence[tuple[str, Result]]) -> str:
    rows = []
    for text, one in exams:
        beside = one["baselines"]
        rows.append(
            [
                without_ending(text),
                percentage(one["masked_accuracy"], (one.get("intervals") or {}).get("masked_accuracy") or []),
                decimal(one.get("perplexity"), 1),
                *(
                    f"{percentage(by.get('masked_accuracy'))} / {decimal(by.get('perplexity'), 1)}"
                    for by in (beside.get("neighbours") or {}, beside.get("unigram") or {})
                ),
                decimal(one.get("questions"), 0),
            ]
        )
    header = ["text", "found", "perplexity", "trigrams: found / perplexity", "word frequencies", "asked"]
    return markdown_table(header, rows)


def figures(result: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every number, by the names that lead to it; those of a list by their places."""
    if is_number(result):
        yield path, f"{result:,}" if isinstance(result, int) else f"{result:.4g}"
        return
    inside: Mapping[str, Any] = {}
    if isinstance(result, Mapping):
        inside = {key: inner for key, inner in result.items() if key not in HOW_NOT_WHAT}
    elif isinstance(result, list):
        inside = {str(place): inner for place, inner in enumerate(result, start=1)}
    for key, inner in inside.items():
        yield from figures(inner, f"{path} › {key}" if path else str(key))
