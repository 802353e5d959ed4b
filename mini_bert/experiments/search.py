"""A search: experiments, the ground they stand on, and the folder with their runs.

search = Search([Experiment.named("norm")], ground_in(folder, {}), folder)
search.train(parallel=2)
for comparison in search.compare(): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mini_bert.data.corpus import corpus
from mini_bert.data.token_cache import tokenized
from mini_bert.errors import counted
from mini_bert.experiments.common_exam import (
    EXAM_LENGTH,
    CommonExam,
    ExamScores,
    examined,
    kept_scores,
)
from mini_bert.experiments.comparison import Comparison, Contestant, misfit, seeds_told
from mini_bert.experiments.experiment import BASE, Experiment
from mini_bert.experiments.ground import Ground
from mini_bert.experiments.side_by_side import train
from mini_bert.experiments.trials import Trial, check_same, trials_of
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.training.run_folder import RunFolder

SEEDS = "seed"
"""The experiment that tells how far apart two runs of one recipe are."""


class Search:
    """Some experiments in a folder; `troubles` are what went wrong with a trial, by its name."""

    def __init__(self, experiments: Sequence[Experiment], ground: Ground, out: Path) -> None:
        self.experiments, self.ground, self.out = list(experiments), ground, out
        self.trials = trials_of(self.experiments, ground, out)
        self.troubles = {trial.name: trial.trouble for trial in self.trials if trial.trouble}

    def train(self, parallel: int, report: Report = silent) -> None:
        """Train what is not finished yet. Text is read and cut once, before, for all."""
        self.ground.check_held_out()  # a file that is not there is told before all else
        check_same(self.trials, self.ground)
        self.ground = self.ground.with_tokenizer(self.out, part(report, 0.0, 0.005))
        self.ground.keep(self.out)
        self.trials = trials_of(self.experiments, self.ground, self.out)
        check_same(self.trials, self.ground)
        left = [trial for trial in self.trials if trial.state in ("new", "unfinished")]
        if left:
            self.prepare(left, part(report, 0.005, 0.009))
            found = train(left, parallel, part(report, 0.009, 1.0))
            self.troubles |= {name: trouble for name, trouble in found.items() if trouble}
        self.trials = trials_of(self.experiments, self.ground, self.out)

    def prepare(self, trials: Sequence[Trial], report: Report) -> None:
        """Tokenize the text of these trials, which is the same for most."""
        texts = {(*trial.config.corpus, trial.config.unit): trial.config for trial in trials}
        for config in texts.values():
            assert config.tokenizer is not None
            text = corpus(*config.corpus, unit=config.unit, text_field=config.text_field)
            tokenized(text, load_tokenizer(config.tokenizer), report=report)

    def examine(self, report: Report = silent) -> None:
        """Have every finished run sit the exam; one that has sat it keeps its scores."""
        finished = [trial for trial in self.trials if trial.state == "finished"]
        if not finished:
            return
        exam = self.exam(finished[0].run)
        for number, trial in enumerate(finished):
            inner = told_of(trial.name, part(report, number / len(finished), (number + 1) / len(finished)))
            try:
                examined(trial.run, exam, inner)
            except ValueError as error:
                self.troubles[trial.name] = str(error)

    def exam(self, first: RunFolder) -> CommonExam:
        """In the vocabulary of the first run, and in rows that it can read."""
        T = min(EXAM_LENGTH, self.trials[0].config.described_model.max_seq_length)
        ground, tokenizer = self.ground, load_tokenizer(first.tokenizer)
        return CommonExam(ground.exam_texts(), tokenizer, T, ground.exam_rows, ground.exam_seed)

    def compare(self) -> list[Comparison]:
        """Each experiment with the scores that are kept; those of another exam than the base sat are left out."""
        sat = {trial.name: self.kept(trial) for trial in self.trials}
        asked = next((scores.asked for scores in sat.values() if scores), None)
        seeds = [
            scores for path in sorted(self.out.glob(f"{SEEDS}.*")) if (scores := kept_scores(RunFolder(path)))
        ]
        base = self.trials[0]
        found = []
        for experiment in self.experiments:
            names = [experiment.folder_of(variant) for variant in experiment.titles]
            trials = [next(trial for trial in self.trials if trial.name == name) for name in names]
            notes = [misfit(trial, base) for trial in trials]
            contestants = []
            for title, trial in zip(experiment.titles.values(), trials, strict=True):
                scores = sat[trial.name]
                if scores and scores.asked != asked:
                    scores, trouble = None, "sat another exam; name --held-out, and it will sit this one"
                else:
                    trouble = self.troubles.get(trial.name, "")
                parameters = trial.run.facts().get("parameters")
                contestants.append(Contestant(title, trial, scores, parameters, trouble))
                notes.append(f"{trial.name}: {trouble}" if trouble else "")
            if experiment.name != SEEDS and experiment.against == BASE:
                notes.append(seeds_told(sat[BASE], seeds))
            found.append(Comparison(experiment, tuple(contestants), tuple(filter(None, notes))))
        return found

    def kept(self, trial: Trial) -> ExamScores | None:
        """The scores of a trial as it stands now; None while it is not finished."""
        return kept_scores(trial.run) if trial.state == "finished" else None

    @property
    def missing(self) -> str:
        """Which runs are not there yet, in words."""
        names = [trial.name for trial in self.trials if trial.state != "finished"]
        return f"{counted(len(names), 'run')} to go: {', '.join(names)}" if names else ""


def told_of(name: str, report: Report) -> Report:
    """A report that says whom it tells about."""
    return lambda done, note: report(done, f"{name}: {note}")
