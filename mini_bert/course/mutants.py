"""Classic wrong answers, by which the checks themselves are tested."""

from __future__ import annotations

import yaml

from mini_bert.checked import Checked
from mini_bert.course.exercise import Exercise


class Mutant(Checked):
    """`replace`, which is in the solution exactly once, becomes `by`; the learner must be `told` this phrase."""

    name: str
    replace: str
    by: str
    told: str

    def applied_to(self, solution: str) -> str:
        times = solution.count(self.replace)
        if times != 1:
            raise ValueError(
                f"mutant {self.name!r}: the solution has {self.replace!r} {times} times, not once"
            )
        return solution.replace(self.replace, self.by)


def mutants_of(exercise: Exercise) -> list[Mutant]:
    where = f"{exercise.name}/mutants.yaml"
    try:
        found = yaml.safe_load((exercise.folder / "mutants.yaml").read_text("utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(
            f"{where}: not YAML ({' '.join(str(error).split())}); put quotes around code"
        ) from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"{where}: expected a list of {{name, replace, by, told}}")
    try:
        return [Mutant(**one) for one in found]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
