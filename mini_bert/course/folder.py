"""A learner's folder: a file for each exercise, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from mini_bert.course.apart import judged_apart
from mini_bert.course.exercise import Exercise, exercises
from mini_bert.course.gaps import with_open_gaps
from mini_bert.course.progress import FILE, Progress, Record, changed_progress, is_ours, must_be_writable
from mini_bert.course.verdict import Verdict
from mini_bert.files import make_folder, write_atomically

HINTS = 3
README = """# Your course

Each file here is an exercise with a gap. From this folder:

    mini-bert course next        the theory and the task of the next exercise
    mini-bert course check       is it right?
    mini-bert course watch       check again whenever you save
    mini-bert course hint        up to three hints, each tells more
    mini-bert course solution    ours, after you have passed
    mini-bert course list        how far you are

Write your code in place of `raise NotImplementedError`. Exercises do not need each other's files: you may leave one
out and come back to it. `progress.json` remembers what you passed; leave it here.
"""


@dataclass(frozen=True)
class CourseFolder:
    path: Path

    @classmethod
    def found(cls, asked: Path | None) -> CourseFolder:
        """The folder that is named, or the one we are in, at any depth."""
        here = Path.cwd()
        for folder in (here, *here.parents) if asked is None else (asked,):
            if is_course(folder):
                Progress.read(folder)
                return cls(folder)
        if asked is not None:
            raise ValueError(f"{asked}: is no course; make one with: mini-bert course init DIR")
        raise ValueError(
            f"{here}: is not in a course; go into its folder, name it with --dir, or make one with: "
            "mini-bert course init DIR"
        )

    @classmethod
    def made(cls, path: Path) -> tuple[CourseFolder, int]:
        """A new course, or one to which the exercises that it lacks are added: how many those are."""
        has_progress = is_course(path)
        if path.is_dir() and any(path.iterdir()) and not has_progress and not has_exercises(path):
            raise ValueError(f"{path}: has other files in it; choose a new folder")
        make_folder(path)
        folder = cls(path)
        if has_progress:
            Progress.read(path)
        else:
            Progress().write(path)
        missing = [exercise for exercise in exercises() if not folder.file(exercise).exists()]
        for exercise in missing:
            folder.write_open(exercise)
        if not (path / "README.md").exists():
            write_atomically(path / "README.md", README.encode())
        return folder, len(missing)

    def file(self, exercise: Exercise) -> Path:
        return self.path / exercise.file_name

    def source(self, exercise: Exercise) -> str:
        path = self.file(exercise)
        if not path.exists():
            raise ValueError(f"{path}: is gone; bring it back with: mini-bert course reset {exercise.number}")
        return path.read_text("utf-8-sig", errors="replace")

    def write_open(self, exercise: Exercise) -> None:
        write_atomically(self.file(exercise), with_open_gaps(exercise.solution, exercise.name).encode())

    def record(self, exercise: Exercise) -> Record:
        return Progress.read(self.path).of(exercise.name)

    def next(self) -> Exercise | None:
        """The first exercise that is not passed."""
        progress = Progress.read(self.path)
        return next((exercise for exercise in exercises() if not progress.of(exercise.name).passes), None)

    def start(self, exercise: Exercise) -> None:
        with changed_progress(self.path) as progress:
            progress.records[exercise.name] = progress.of(exercise.name).started()

    def check(self, exercise: Exercise) -> Verdict:
        """Judge a learner's file and remember it; a file as it was given is no attempt."""
        must_be_writable(self.path)
        source = self.source(exercise)
        verdict = judged_apart(exercise, self.file(exercise))
        untouched = source == with_open_gaps(exercise.solution, exercise.name)
        with changed_progress(self.path) as progress:
            record = progress.of(exercise.name)
            if untouched:
                progress.records[exercise.name] = replace(record, passes=False)
            else:
                progress.records[exercise.name] = record.after_check(digest(source), verdict.passed)
        return verdict

    def next_hint(self, exercise: Exercise) -> int:
        """The number of the hint to show now; the last one again when there is no more."""
        with changed_progress(self.path) as progress:
            record = progress.of(exercise.name).started()
            record = replace(record, hints=min(record.hints + 1, HINTS))
            progress.records[exercise.name] = record
        return record.hints

    def mark_solution_seen(self, exercise: Exercise) -> None:
        with changed_progress(self.path) as progress:
            progress.records[exercise.name] = replace(progress.of(exercise.name), saw_solution=True)

    def reset(self, exercise: Exercise) -> Path | None:
        """Open the gap again; where the old file is kept, if it differed."""
        must_be_writable(self.path)
        path, kept = self.file(exercise), None
        fresh = with_open_gaps(exercise.solution, exercise.name)
        if path.exists() and self.source(exercise) != fresh:
            kept = free_name(path)
            path.replace(kept)
        self.write_open(exercise)
        with changed_progress(self.path) as progress:
            progress.records[exercise.name] = replace(progress.of(exercise.name), passes=False, checked=None)
        return kept


def is_course(path: Path) -> bool:
    """Other programs have a progress.json too: ours speaks of the course, or, if it is damaged, lies by exercises."""
    return is_ours(path) or ((path / FILE).is_file() and has_exercises(path))


def has_exercises(path: Path) -> bool:
    return any((path / exercise.file_name).is_file() for exercise in exercises())


def free_name(path: Path) -> Path:
    """softmax.py.bak, softmax.py.bak2, …"""
    number = 1
    while (kept := path.with_name(f"{path.name}.bak{number if number > 1 else ''}")).exists():
        number += 1
    return kept


def digest(source: str) -> str:
    return sha256(source.encode()).hexdigest()[:16]
