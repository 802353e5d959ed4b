"""What a model was found not to be good at, for the limits on its card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill

from mini_bert.pretrained.card_prose import WIDTH
from mini_bert.pretrained.card_tables import score_told
from mini_bert.pretrained.exams import Exam, Result, Score, exams_in, sets_of_pairs
from mini_bert.run_reports.history import is_number


def shortfalls(results: Mapping[str, Result]) -> Iterator[str]:
    """Points of a list, of exams in which a rival is as good, and of grammar that is got wrong."""
    exams = [exam for name, result in results.items() for exam in exams_in(result, name)]
    if reached := [told for exam in exams if (told := rival_told(exam))]:
        yield point(f"It is not clearly better than a simpler way at {'; '.join(reached)}.")
    sets = [one for result in results.values() if "paradigms" in result for one in sets_of_pairs(result)]
    if wrong := [told for pairs in sets if (told := paradigms_below_chance(pairs))]:
        yield point(
            f"It prefers the wrong one of minimal pairs, with all of the interval below chance, in {'; '.join(wrong)}."
        )


def rival_told(exam: Exam) -> str:
    """The best rival that an exam does not set clearly below the model; nothing if there is none.

    >>> rivals = [Score(0.5, name="chance"), Score(0.58, name="words counted")]
    >>> rival_told(Exam("minimal pairs", Score(0.6, [0.57, 0.63]), rivals))
    'minimal pairs (60.0 %, words counted 58.0 %)'
    >>> rival_told(Exam("minimal pairs", Score(0.6, [0.59, 0.63]), rivals))
    ''
    """
    near = [rival for rival in exam.rivals if not rival.of_sample and not is_beaten(rival, exam.score)]
    best = max(near, key=lambda rival: rival.value, default=None)
    if best is None:
        return ""
    ours, theirs = (score_told(score._replace(ends=()), exam.is_share) for score in (exam.score, best))
    return f"{exam.title} ({ours}, {best.name} {theirs})"


def is_beaten(rival: Score, score: Score) -> bool:
    """By the interval of the lead, if both were asked the same; else its score is below the model's interval."""
    if rival.lead is not None:
        return rival.lead.low is not None and rival.lead.low > 0
    return rival.value < min([score.value, *(end for end in score.ends if end is not None)])


def paradigms_below_chance(pairs: Result) -> str:
    wrong = [
        f"{name} ({100 * one['accuracy']:.1f} %)"
        for name, one in pairs["paradigms"].items()
        if is_number(one.get("high")) and one["high"] < pairs["chance"]
    ]
    return f"{pairs['set']}: {', '.join(wrong)}" if wrong else ""


def point(told: str) -> str:
    """Of a list in Markdown."""
    return fill(f"- {told}", WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
