"""Hidden words in a form that can be asked of many checkpoints: the questions and the counts are made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mini_bert.evaluation.intrinsic.answers import Answers
from mini_bert.evaluation.intrinsic.counted_words import ByCounts, by_counts
from mini_bert.evaluation.intrinsic.exam import Settings, rows_asked, text_of
from mini_bert.evaluation.intrinsic.exam_text import counted_as_learned
from mini_bert.evaluation.intrinsic.hidden_word_scores import FIRST_FEW
from mini_bert.evaluation.intrinsic.metrics import compute_perplexity
from mini_bert.evaluation.intrinsic.questions import Questions, answers_of, questions_for
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.mini import MiniBERT

ROWS = 256


class HiddenWords:
    """`measures()` are functions of a subject, all of the same tokenizer; what one has asked, the next need not ask.

    Baselines count in what the `learner` learned from, if it is given and that is known, as in the exam of one model.
    """

    def __init__(
        self,
        tasks: TaskFolder | None = None,
        rows: int = ROWS,
        seed: int = 0,
        learner: MiniBERT | None = None,
    ) -> None:
        self.settings = Settings(rows=rows, seed=seed)
        self.tasks, self.learner = tasks, learner
        self.prepared: tuple[Questions, ByCounts] | None = None
        self.last: tuple[Subject, Answers] | None = None

    def measures(self) -> dict[str, Callable[[Subject], Mapping[str, float]]]:
        return {"hidden words found (%)": self.found, "perplexity of hidden words": self.perplexity}

    def remark(self) -> str:
        """On all measures, once something was asked."""
        return f"Words and their neighbours were counted in {self.prepared[1].told}." if self.prepared else ""

    def found(self, subject: Subject) -> dict[str, float]:
        answers, counts = self.answers(subject)
        return {
            "first guess": float(answers.right.mean()),
            f"first {FIRST_FEW} guesses": float(answers.among(FIRST_FEW).mean()),
            "baseline: neighbouring words": float(counts.neighbours.right.mean()),
            "baseline: word frequencies": float(counts.words.right.mean()),
        }

    def perplexity(self, subject: Subject) -> dict[str, float]:
        answers, counts = self.answers(subject)
        return {
            "perplexity": compute_perplexity(-answers.log_prob.mean()),
            "baseline: neighbouring words": compute_perplexity(-counts.neighbours.log_prob.mean()),
            "baseline: word frequencies": compute_perplexity(-counts.words.log_prob.mean()),
        }

    def answers(self, subject: Subject) -> tuple[Answers, ByCounts]:
        if self.prepared is None:
            text = text_of(self.tasks, self.settings)
            if self.learner is not None:
                text = counted_as_learned(text, self.learner)
            questions = questions_for(subject, text, rows_asked(subject, self.settings), self.settings.seed)
            self.prepared = questions, by_counts(questions, subject.tokenizer, self.settings.seed)
        questions, counts = self.prepared
        if self.last is None or self.last[0] is not subject:
            self.last = subject, answers_of(subject, questions)
        return self.last[1], counts
