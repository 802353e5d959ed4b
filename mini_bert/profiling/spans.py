"""Where the time of a step goes, by watching it from outside: layers and functions are wrapped for a while.

Each call that is watched is a span. Its own time is its time without that of the spans inside it, so that all own
times add up to the whole, and nothing counts twice.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from threading import local
from time import perf_counter
from types import FunctionType
from typing import Any

from mini_bert.core.layer import Part
from mini_bert.core.trace import Trace
from mini_bert.profiling.patching import Patch, patched
from mini_bert.training import step as step_module
from mini_bert.training.objectives import Objective
from mini_bert.training.optimizers.optimizer import Optimizer
from mini_bert.training.parallel import Team

FUNCTIONS = "mini_bert.core.functions."
PACKAGE = "mini_bert."
FORWARD, BACKWARD, REDUCTION, OPTIMIZER, OTHER, WAITING = (
    "forward",
    "backward",
    "sum of gradients",
    "optimizer",
    "other",
    "waiting",
)
Place = tuple[str, str, str]
"""phase, dotted path of the layer, name of the function or of the class of the layer"""


class Open(local):
    """The spans of one thread that have begun and not ended: the time inside each, and where it is."""

    def __init__(self) -> None:
        self.inner: list[float] = [0.0]
        self.phase, self.path = "", ""


@dataclass(frozen=True)
class Times:
    """Of one step: `own` seconds of each place, the mean over the workers; they add up to `seconds`."""

    seconds: float
    own: dict[Place, float]
    calls: Counter[Place]

    @property
    def explained(self) -> float:
        """The share of the step that has a name."""
        return 1 - sum(took for (phase, _, _), took in self.own.items() if phase == OTHER) / self.seconds


class Recorder:
    """Collects the spans of all threads."""

    def __init__(self) -> None:
        self.now = Open()
        self.records: list[tuple[Place, float]] = []

    def span(self, phase: str, path: str | None, name: str, work: Callable[[], Any]) -> Any:
        """Do the work, and note how long it took. A phase lasts until the outermost span of it ends."""
        now = self.now
        outer_phase, outer_path = now.phase, now.path
        now.phase = outer_phase or phase
        now.path = outer_path if path is None else path
        now.inner.append(0.0)
        start = perf_counter()
        try:
            return work()
        finally:
            seconds = perf_counter() - start
            inside = now.inner.pop()
            now.inner[-1] += seconds
            self.records.append(((now.phase or OTHER, now.path, name), seconds - inside))
            now.phase, now.path = outer_phase, outer_path

    def take(self, step: Callable[[], float], workers: int) -> Times:
        """One step; what its spans do not hold is other."""
        self.records.clear()
        start = perf_counter()
        step()
        seconds = perf_counter() - start
        own: dict[Place, float] = defaultdict(float)
        calls: Counter[Place] = Counter()
        for place, took in self.records:
            own[place] += took / workers
            calls[place] += 1
        own[OTHER, "", "between the jobs of the team"] += seconds - sum(own.values())
        return Times(seconds, own, calls)


@contextmanager
def watching() -> Iterator[Recorder]:
    """Every layer, function and job of the team is wrapped while inside."""
    recorder = Recorder()
    with patched([*of_functions(recorder), *of_parts(recorder), *of_phases(recorder)]):
        yield recorder


def of_functions(recorder: Recorder) -> Iterator[Patch]:
    """The functions of the mathematics wherever others than themselves call them by name."""
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith(PACKAGE) or module_name.startswith(FUNCTIONS):
            continue
        for name, function in list(vars(module).items()):
            if isinstance(function, FunctionType) and function.__module__.startswith(FUNCTIONS):
                yield Patch(module, name, watched_function(recorder, function))


def watched_function(recorder: Recorder, function: FunctionType) -> Callable[..., Any]:
    name = function.__name__
    phase = BACKWARD if name.endswith("_backward") else FORWARD

    @wraps(function)
    def watched(*args: Any, **options: Any) -> Any:
        return recorder.span(phase, None, name, lambda: function(*args, **options))

    return watched


def of_parts(recorder: Recorder) -> Iterator[Patch]:
    """`forward` and `backward` of every kind of part."""
    for kind in kinds_of(Part):
        for name, phase in (("forward", FORWARD), ("backward", BACKWARD)):
            method = vars(kind).get(name)
            if isinstance(method, FunctionType):
                yield Patch(kind, name, watched_method(recorder, method, kind.__name__, phase))


def kinds_of(kind: type[Part]) -> Iterator[type[Part]]:
    for below in kind.__subclasses__():
        yield below
        yield from kinds_of(below)


def watched_method(recorder: Recorder, method: FunctionType, kind: str, phase: str) -> Callable[..., Any]:
    """The trace is a part's last argument, and knows where it is."""

    @wraps(method)
    def watched(part: Part, *args: Any) -> Any:
        trace: Trace = args[-1]
        return recorder.span(phase, trace.path, kind, lambda: method(part, *args))

    return watched


def of_phases(recorder: Recorder) -> Iterator[Patch]:
    """What a step does beside the model, and the team's jobs, which hold all the rest."""
    add_arenas, scores = step_module.add_arenas, Objective.scores
    update, each = Optimizer.update, Team.each

    def watched_sum(*args: Any) -> Any:
        return recorder.span(REDUCTION, "", "add_arenas", lambda: add_arenas(*args))

    def watched_score(*args: Any) -> Any:
        return recorder.span(FORWARD, "", "scores", lambda: scores(*args))

    def watched_update(optimizer: Optimizer, *args: Any, **options: Any) -> Any:
        name = type(optimizer).__name__.lower()
        return recorder.span(OPTIMIZER, "", name, lambda: update(optimizer, *args, **options))

    def watched_each(team: Team, job: Callable[[int], Any]) -> Any:
        busy: list[float] = []

        def watched_job(worker: int) -> Any:
            start = perf_counter()
            try:
                return recorder.span("", "", "worker's job", lambda: job(worker))
            finally:
                busy.append(perf_counter() - start)

        start = perf_counter()
        try:
            return each(team, watched_job)
        finally:
            idle = team.size * (perf_counter() - start) - sum(busy)
            recorder.records.append(((WAITING, "", "for the other workers"), idle))

    yield Patch(step_module, "add_arenas", watched_sum)
    yield Patch(Objective, "scores", watched_score)
    yield Patch(Optimizer, "update", watched_update)
    yield Patch(Team, "each", watched_each)
