"""The exam that all runs of a search sit: the same rows, with the same words hidden.

Variants pack, hide and cut their text in ways of their own, so what runs score on their own held-out text cannot be
compared. Here, at most so many packed rows of each text are shown to all, 15 % of their tokens behind [MASK]; and the
first of them, at most a quarter of that number, once more, with the same tokens disguised as BERT's are in training
(80 % [MASK], 10 % another word, 10 % themselves).

    exam = CommonExam({"tales": corpus("tales.txt")}, tokenizer, T=64, rows=1024, seed=1)
    scores = examined(RunFolder(path), exam)         # kept beside the run, in exam.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from mini_bert.data.corpus import Corpus
from mini_bert.data.fingerprints import hashed
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.intrinsic.questions import Questions, answers_of, check_tells_words, packed_rows
from mini_bert.evaluation.intrinsic.row_scores import RowScores
from mini_bert.evaluation.subject import Subject
from mini_bert.files import cache_folder, write_atomically
from mini_bert.models.checkpoint import WEIGHTS
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.checkpoints import LAST, SUMS
from mini_bert.training.masking import Masking, masked_words
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.stream import MaskedStream
from mini_bert.training.validation import plain_masking

FORMAT = 1
EXAM_LENGTH = 64
HIDDEN, DISGUISED = "hidden", "disguised"
SHARES = {HIDDEN: 1.0, DISGUISED: 0.25}
"""Of the rows."""
KEPT = "exam.json"
DIGITS = 6
"""Of the losses that are kept."""


@dataclass(frozen=True)
class ExamScores:
    """How → text → scores; `asked` is the digest of the exam, `model` that of the weights that sat it."""

    asked: str
    model: str
    rows: Mapping[str, Mapping[str, RowScores]]

    def of(self, text: str | None = None, how: str = HIDDEN) -> RowScores:
        """The scores on a text, or on all of them together."""
        return self.rows[how][text] if text else RowScores.joined(list(self.rows[how].values()))

    @property
    def texts(self) -> list[str]:
        return list(self.rows[HIDDEN])


class CommonExam:
    """At most so many rows of T tokens from each text, in one vocabulary; the seed draws rows and hidden words."""

    def __init__(
        self, texts: Mapping[str, Corpus], tokenizer: Tokenizer, T: int, rows: int, seed: int
    ) -> None:
        self.texts, self.tokenizer, self.T, self.rows, self.seed = dict(texts), tokenizer, T, rows, seed

    @cached_property
    def digest(self) -> str:
        """The same for the same questions under the same names, in whichever folder the files are."""
        texts = [text.known_fingerprint(cache_folder()) for text in self.texts.values()]
        return hashed(
            [FORMAT, self.T, self.rows, self.seed, self.tokenizer.fingerprint(), list(self.texts), texts]
        )

    @cached_property
    def questions(self) -> dict[str, dict[str, Questions]]:
        """How → text → questions, made when they are first wanted."""
        made: dict[str, dict[str, Questions]] = {HIDDEN: {}, DISGUISED: {}}
        exercises = {HIDDEN: plain_masking(self.tokenizer), DISGUISED: Masking.of(self.tokenizer)}
        for name, text in self.texts.items():
            rows = packed_rows(text, self.tokenizer, self.T, self.seed)
            for how, exercise in exercises.items():
                count = min(ceil(self.rows * SHARES[how]), rows.rows_per_epoch)
                batch = MaskedStream(rows, exercise, masked_words(self.T), count, self.seed).take(count)
                made[how][name] = Questions(ExamText(name, text), rows, batch, False, None)
        return made

    def sat_by(self, subject: Subject, report: Report = silent) -> dict[str, dict[str, RowScores]]:
        """What a model scores."""
        check_tells_words(subject)
        if subject.tokenizer.fingerprint() != self.tokenizer.fingerprint():
            raise ValueError(
                "it reads another vocabulary than the exam is written in; train it with the same"
            )
        if subject.model.config.max_seq_length < self.T or subject.model.config.causal:
            raise ValueError(f"it cannot fill gaps in rows of {self.T} tokens, as the exam asks")
        papers = [(how, name) for how, some in self.questions.items() for name in some]
        found: dict[str, dict[str, RowScores]] = {HIDDEN: {}, DISGUISED: {}}
        for number, (how, name) in enumerate(papers):
            questions = self.questions[how][name]
            answers = answers_of(
                subject, questions, part(report, number / len(papers), (number + 1) / len(papers))
            )
            found[how][name] = RowScores.of(
                questions.row, answers.right, answers.log_prob, len(questions.batch.ids)
            )
        return found


def examined(run: RunFolder, exam: CommonExam, report: Report = silent) -> ExamScores:
    """The scores of a run's last checkpoint: those that are kept, if they are of this exam and these weights."""
    kept, model = kept_scores(run), weights_of(run)
    if kept is not None and (kept.asked, kept.model) == (exam.digest, model):
        return kept
    try:
        with Subject(from_pretrained(run.checkpoints / LAST)) as subject:
            scores = ExamScores(exam.digest, model, exam.sat_by(subject, report))
    except ValueError as error:
        raise ValueError(f"{run.path}: {error}") from None
    keep(run, scores)
    return kept_scores(run) or scores


def weights_of(run: RunFolder) -> str:
    """A digest of the weights in a run's last checkpoint."""
    path = run.checkpoints / LAST / SUMS
    try:
        return str(json.loads(path.read_text("utf-8"))["files"][WEIGHTS])
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path}: missing or damaged; go on with the run, which writes another") from None


def keep(run: RunFolder, scores: ExamScores) -> None:
    rows = {
        how: {
            text: {
                "asked": one.asked.tolist(),
                "found": one.found.tolist(),
                "loss": np.round(one.loss, DIGITS).tolist(),
            }
            for text, one in some.items()
        }
        for how, some in scores.rows.items()
    }
    told = {"format": FORMAT, "asked": scores.asked, "model": scores.model, "rows": rows}
    write_atomically(run.path / KEPT, json.dumps(told).encode())


def kept_scores(run: RunFolder) -> ExamScores | None:
    """What is kept beside a run; None if nothing is that can be read."""
    try:
        told: dict[str, Any] = json.loads((run.path / KEPT).read_text("utf-8"))
        if told["format"] != FORMAT:
            return None
        rows = {
            how: {
                text: RowScores(np.array(one["asked"]), np.array(one["found"]), np.array(one["loss"], float))
                for text, one in some.items()
            }
            for how, some in told["rows"].items()
        }
        return ExamScores(told["asked"], told["model"], rows)
    except (OSError, ValueError, KeyError, TypeError):
        return None
