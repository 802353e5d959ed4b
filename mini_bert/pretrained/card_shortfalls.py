"""What a model was found not to be good at, for the limits on its card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill

from mini_bert.pretrained.card_prose import WIDTH
from mini_bert.pretrained.card_tables import score_told
from mini_bert.pretrained.exams import Exam, Result, exams_in, sets_of_pairs
from mini_bert.run_reports.history import is_number


def shortfalls(results: Mapping[str, Result]) -> Iterator[str]:
    """Points of a list, of exams in which a rival is as good, and of grammar that is got wrong beyond chance."""
    exams = [exam for name, result in results.items() for exam in exams_in(result, name)]
    if beaten := [told for exam in exams if (told := rival_told(exam))]:
        yield point(f"It is not clearly better than a simpler way at {'; '.join(beaten)}.")
    sets = [one for result in results.values() if "paradigms" in result for one in sets_of_pairs(result)]
    wrong = {
        name: one["accuracy"]
        for pairs in sets
        for name, one in pairs["paradigms"].items()
        if is_number(one.get("high")) and one["high"] < pairs["chance"]
    }
    if wrong:
        paradigms = ", ".join(f"{name} ({100 * accuracy:.1f} %)" for name, accuracy in wrong.items())
        yield point(
            f"Of minimal pairs it prefers the wrong sentence, beyond what chance explains, in {paradigms}."
        )


def rival_told(exam: Exam) -> str:
    """The best rival of an exam, if it reaches into the model's interval; nothing if it does not.

    >>> from mini_bert.pretrained.exams import Score
    >>> rivals = [Score(0.5, name="chance"), Score(0.58, name="words counted")]
    >>> rival_told(Exam("minimal pairs", Score(0.6, [0.57, 0.63]), rivals))
    'minimal pairs (60.0 %, words counted 58.0 %)'
    >>> rival_told(Exam("minimal pairs", Score(0.6, [0.59, 0.63]), rivals))
    ''
    """
    asked = [rival for rival in exam.rivals if not rival.of_sample]
    best = max(asked, key=lambda rival: rival.value, default=None)
    low = min([exam.score.value, *(end for end in exam.score.ends if end is not None)])
    if best is None or best.value < low:
        return ""
    ours, theirs = (score_told(score._replace(ends=()), exam.is_share) for score in (exam.score, best))
    return f"{exam.title} ({ours}, {best.name} {theirs})"


def point(told: str) -> str:
    """Of a list in Markdown."""
    return fill(f"- {told}", WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
