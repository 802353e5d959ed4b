"""What a teacher asks of many learners' folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mini_bert.course.exercise import exercises
from mini_bert.course.folder import is_course
from mini_bert.course.progress import FILE, Progress


@dataclass(frozen=True)
class Line:
    """One learner and one exercise; the learner is called as the folder is."""

    learner: str
    exercise: str
    begun: bool
    passed: bool
    attempts: int
    hints: int
    saw_solution: bool
    minutes: float | None


@dataclass(frozen=True)
class LearnerReport:
    learner: str
    lines: list[Line]

    @property
    def passed(self) -> int:
        return sum(line.passed for line in self.lines)

    def total(self, what: str) -> float:
        return sum(getattr(line, what) or 0 for line in self.lines)

    def as_dict(self) -> dict[str, object]:
        return {
            "learner": self.learner,
            "passed": self.passed,
            "exercises": {
                line.exercise: {
                    key: value for key, value in asdict(line).items() if key not in ("learner", "exercise")
                }
                for line in self.lines
            },
        }


def reports(folders: Sequence[Path]) -> list[LearnerReport]:
    """Of each course, or of the courses that are one level below a folder."""
    return [report_of(name, folder) for name, folder in courses_in(folders)]


def report_of(name: str, folder: Path) -> LearnerReport:
    progress = Progress.read(folder)
    lines = []
    for exercise in exercises():
        record = progress.of(exercise.name)
        lines.append(
            Line(
                name,
                exercise.name,
                record.begun is not None,
                record.passes,
                record.attempts,
                record.hints,
                record.saw_solution,
                record.minutes,
            )
        )
    return LearnerReport(name, lines)


def courses_in(folders: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"{folder}: no such folder")
        if is_course(folder):
            yield folder.resolve().name, folder
            continue
        below = sorted(path.parent for path in folder.glob(f"*/{FILE}") if is_course(path.parent))
        if not below:
            raise ValueError(f"{folder}: is no course, and has none in it; name the learners' folders")
        yield from ((path.name, path) for path in below)
