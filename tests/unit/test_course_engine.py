"""What a learner's code may do, and what is told of it; in a process of its own and in ours."""

import time
from pathlib import Path

import numpy as np
import pytest

from mini_bert.core.functions.softmax import softmax, softmax_backward
from mini_bert.course import judging as judge
from mini_bert.course.apart import judged_apart, judged_each_apart
from mini_bert.course.exercise import exercise_named
from mini_bert.course.gaps import gaps_of, with_open_gaps, without_marks
from mini_bert.course.judging import Mismatch
from mini_bert.course.mutants import Mutant
from mini_bert.course.showing import shown
from mini_bert.course.trial import PRINTED, Trial
from mini_bert.course.verdict import Verdict

SOFTMAX = exercise_named("softmax")
HEAD = "import numpy as np\n"
SOLUTION = "    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"


def verdict_of(source: str, exercise=SOFTMAX) -> Verdict:
    return Trial(exercise, source, "/course/mine.py").verdict()


def apart(source: str, folder: Path, seconds: float | None = None) -> Verdict:
    file = folder / "mine.py"
    file.write_text(source, "utf-8")
    return judged_apart(SOFTMAX, file, seconds)


class TestWhatIsTold:
    @pytest.mark.parametrize(
        ("source", "kind", "told", "line"),
        [
            (
                "def softmax(x):\n    raise NotImplementedError",
                "open",
                "the gap in `softmax` is still open",
                2,
            ),
            ("def softmax(x:\n    return x", "syntax", "was never closed", 1),
            ("x = '\0'", "syntax", "save it as UTF-8", None),
            ("from mini_bert.core.functions.softmax import softmax", "wrong", "write it yourself", None),
            ("def sofmax(x): return x", "wrong", "it was renamed to `sofmax`", None),
            ("", "wrong", "`mini-bert course reset 07_softmax` brings it back", None),
            ("def softmax(x): pass", "wrong", "ends without `return`", None),
            ("def softmax(x): return [1]", "wrong", "gave a list, expected a NumPy array", None),
            ("def softmax(x): return x, x", "wrong", "several things are returned", None),
            ("def softmax(x, axis): return x", "wrong", "leave the line with `def` as it was", None),
            ("def softmax(x):\n\n    return y", "raised", "a name is misspelt", 3),
            ("def softmax(x): return x > 0 and x", "raised", "join conditions on arrays by &", 1),
            (
                f"{HEAD}def softmax(x): return (k := np.ones((2, 2, 3, 2))) @ k.T",
                "raised",
                ".T reverses all",
                2,
            ),
            ("def softmax(x): return 1 / 0", "raised", "ZeroDivisionError", 1),
            ("def softmax(x): return softmax(x)", "raised", "RecursionError", 1),
            ("def softmax(x):\n    exit()", "ended", "leave exit() out", 2),
            ("import sys\nsys.exit(0)", "ended", "leave exit() out", 2),
            ("raise MemoryError('7 TiB')", "memory", "too much memory: 7 TiB", 1),
            ("def softmax(x): return np.ones(3)", "raised", "'np' is not defined", 1),
            (f"{HEAD}def softmax(x): return np.ones((2, 1))", "wrong", "shape (2, 1), expected (2, 3)", None),
            (f"{HEAD}def softmax(x): return np.array([[None] * 3] * 2)", "wrong", "array of objects", None),
        ],
    )
    def test_every_accident_has_its_word(self, source, kind, told, line):
        verdict = verdict_of(source)
        assert (verdict.kind, verdict.line) == (kind, line), verdict.message
        assert told in verdict.message
        assert "Traceback" not in verdict.message

    def test_an_error_is_told_with_the_learners_line_and_input(self):
        told = verdict_of(
            "def softmax(x):\n    return x + helper(x)\ndef helper(x):\n    return x[9]"
        ).message
        assert "`helper` raised IndexError" in told
        assert "line 4:  return x[9]" in told
        assert "It was called as softmax(x) with\n  x = [[ 1.   2.   3. ]" in told

    def test_steps_that_passed_are_told(self):
        verdict = verdict_of(f"{HEAD}def softmax(x): return np.exp(x) / np.exp(x).sum(-1, keepdims=True)")
        assert verdict.steps_passed[0] == "shape and dtype"
        assert verdict.step_failed == "large scores"
        assert verdict.warned[0] == "line 2: overflow encountered in exp"

    def test_prints_are_shown_but_not_endlessly(self):
        printing = f"{HEAD}def softmax(x):\n    print('hello', x.shape)\n{SOLUTION}"
        assert verdict_of(printing).printed.startswith("hello (2, 3)\n")
        flood = verdict_of(f"{HEAD}def softmax(x):\n    print('a' * 10**6)\n{SOLUTION}").printed
        assert len(flood) < PRINTED + 10

    def test_what_is_asked_for_the_main_program_is_not_run(self):
        assert verdict_of(f"{HEAD}def softmax(x):\n{SOLUTION}\nif __name__ == '__main__':\n    1 / 0").passed

    def test_a_dataclass_of_the_learner_works(self):
        fields = (
            "from __future__ import annotations\nfrom dataclasses import dataclass\n"
            "@dataclass\nclass A:\n    x: int\n"
        )
        assert verdict_of(f"{fields}{HEAD}def softmax(x):\n{SOLUTION}").passed


class TestApart:
    def test_passes_and_says_how_long_it_took(self, tmp_path):
        verdict = apart(f"{HEAD}def softmax(x):\n    print('seen')\n{SOLUTION}", tmp_path)
        assert verdict.passed
        assert verdict.printed.startswith("seen")
        assert verdict == Verdict.from_json(verdict.to_json())

    def test_what_never_ends_is_stopped_and_its_line_told(self, tmp_path):
        begun = time.process_time()
        verdict = apart("def softmax(x):\n    while True:\n        x = x + 1", tmp_path, seconds=1)
        assert verdict.kind == "slow"
        assert verdict.line in (2, 3)
        assert "a loop that never ends" in verdict.message
        assert time.process_time() - begun < 1

    @pytest.mark.skipif("sys.platform == 'win32'", reason="Windows has no limit of computing time")
    def test_one_operation_that_never_ends_is_stopped_by_the_system(self, tmp_path):
        verdict = apart("def softmax(x):\n    return 10 ** 10 ** 10", tmp_path, seconds=0.5)
        assert verdict.kind == "slow"
        assert "still" in verdict.message

    def test_a_way_out_is_no_way_to_pass(self, tmp_path):
        verdict = apart("import os\nos._exit(0)", tmp_path)
        assert verdict.kind == "ended"
        assert "leave os._exit() out" in verdict.message

    @pytest.mark.skipif("sys.platform != 'linux'", reason="only Linux limits the address space reliably")
    def test_a_huge_array_is_refused(self, tmp_path):
        verdict = apart(f"{HEAD}def softmax(x): return np.ones((10**5, 10**5))", tmp_path)
        assert verdict.kind == "memory"
        assert "GiB" in verdict.message

    def test_what_no_exercise_needs_is_refused_with_a_word(self, tmp_path):
        solution = "importlib.import_module('mini_bert.course.exercises.07_softmax.solution')"
        sources = {
            "open('progress.json', 'w')": "writes to progress.json",
            "import os\nos.remove('progress.json')": "changes files (os.remove)",
            f"import importlib\n{solution}": "reads our solution",
            "import socket\nsocket.create_connection(('127.0.0.1', 9))": "uses the network",
            "import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 9))": "uses the network",
            "import subprocess\nsubprocess.run(['true'])": "starts another program",
            "import os\nos.kill(os.getpid(), 9)": "ended your code (signal 9)",
            "while True: pass": "a loop that never ends",
            f"{HEAD}def softmax(x):\n{SOLUTION}": "",
        }
        files = [tmp_path / f"{i}.py" for i in range(len(sources))]
        for file, source in zip(files, sources, strict=True):
            file.write_text(source, "utf-8-sig")  # with the mark that some editors put in front
        verdicts = judged_each_apart(SOFTMAX, files, seconds=1)
        for verdict, told in zip(verdicts, sources.values(), strict=True):
            assert told in verdict.message
        assert [verdict.kind for verdict in verdicts] == ["refused"] * 6 + ["ended", "slow", "passed"]

    def test_a_file_beside_it_does_not_stand_in_for_numpy(self, tmp_path):
        (tmp_path / "numpy.py").write_text("1 / 0")
        assert apart(f"{HEAD}def softmax(x):\n{SOLUTION}", tmp_path).passed


class TestGaps:
    SOLUTION = (
        'def f(x):\n    """Twice."""\n    # gap: twice x,\n    #      in one line\n    # because\n'
        "    return 2 * x\n    # end of gap\n"
    )

    def test_the_sentence_stays_and_the_lines_go(self):
        assert with_open_gaps(self.SOLUTION) == (
            'def f(x):\n    """Twice."""\n    # Your part: twice x,\n    # in one line\n    raise NotImplementedError\n'
        )
        assert gaps_of(self.SOLUTION)[0].lines == ("    # because", "    return 2 * x")

    def test_a_solution_is_shown_without_marks(self):
        shown = without_marks(self.SOLUTION)
        assert "gap" not in shown
        assert "return 2 * x" in shown

    @pytest.mark.parametrize(
        ("source", "told"),
        [
            ("# gap: a\nx = 1", "has no line"),
            ("x = 1\n# end of gap", "no gap has begun"),
            ("# gap: a\n# end of gap", "is empty"),
        ],
    )
    def test_a_broken_gap_is_refused(self, source, told):
        with pytest.raises(ValueError, match=told):
            with_open_gaps(source)

    def test_a_mutant_changes_one_place(self):
        mutant = Mutant(name="m", replace="x", by="y", told="")
        with pytest.raises(ValueError, match="3 times, not once"):
            mutant.applied_to("x x x")


def test_weights_are_shown_by_name_and_shape():
    weights = {"up.weight": np.ones((3, 2)), "up.bias": np.ones(3)}
    assert shown(weights) == "a dict of arrays: up.weight (3, 2), up.bias (3,)"
    assert shown({}) == "{}"
    assert shown({"a": 1}) == "{'a': 1}"


class TestJudging:
    X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0], [0.5, 1.0, -1.0]])

    def told(self, got, want, **options) -> str:
        with pytest.raises(Mismatch) as found:
            judge.close(got, want, **options)
        return str(found.value)

    def test_an_answer_is_never_broadcast(self):
        judge.close(np.ones(3), np.ones(3))
        assert "shape (3, 1), expected (3,)" in self.told(np.ones((3, 1)), np.ones(3))
        assert "an axis of length 1 is too many" in self.told(np.ones((3, 1)), np.ones(3))
        assert "shape (), expected (3,)" in self.told(1.0, np.ones(3))

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda x: -x, "the sign is the other way round"),
            (lambda x: x.T, "rows and columns are swapped"),
            (lambda x: 0 * x, "every number is 0"),
            (lambda x: 3 * x, "every number is 3 times the expected one"),
            (lambda x: x - 0.5, "every number is 0.5 too small"),
            (lambda x: x * np.nan, "got nan"),
        ],
    )
    def test_common_mistakes_are_seen_everywhere(self, change, told):
        assert told in self.told(change(self.X), self.X)

    def test_a_known_mistake_goes_first_and_may_be_computed_late(self):
        assert "Likely mistake: twice." in self.told(
            2 * self.X, self.X, mistakes={"twice": lambda: self.X * 2}
        )

    def test_a_mistake_that_is_right_is_the_checks_own_fault(self):
        with pytest.raises(AssertionError, match="gives the right answer"):
            judge.close(self.X + 1, self.X, mistakes={"none": self.X})

    def test_closeness_goes_with_the_dtype(self):
        off = self.X * (1 + 1e-6)
        judge.close(off.astype(np.float32), self.X)
        assert "8 of 9 are wrong" not in self.told(off, self.X)
        assert "expected 1, got 1.000001" in self.told(off, self.X)

    def test_gradients_are_measured(self):
        s, dp = judge.example(2, 3, seed=1), judge.example(2, 3, seed=2)
        right = softmax_backward(dp, softmax(s))
        for method in ("complex", "five-point"):
            judge.gradient(right, softmax, s, dp, method=method)
            with pytest.raises(Mismatch, match="the sum is left out"):
                judge.gradient(
                    dp * softmax(s),
                    softmax,
                    s,
                    dp,
                    method=method,
                    mistakes={"the sum is left out": dp * softmax(s)},
                )

    def test_refusals_are_asked_for(self):
        def refuse():
            raise ValueError("H=10 is not divisible by A=3")

        judge.raises(ValueError, refuse, "heads(10, 3)", "divisible")
        with pytest.raises(Mismatch, match="does not say “twelve”"):
            judge.raises(ValueError, refuse, "heads(10, 3)", "twelve")
        with pytest.raises(Mismatch, match="was accepted"):
            judge.raises(ValueError, lambda: None, "heads(10, 3)")

    def test_words_and_lists_are_compared_as_they_are(self):
        judge.equal(["a"], ["a"])
        for got, told in ((None, "without `return`"), (("a",), "gave a tuple"), (["b"], "is wrong")):
            with pytest.raises(Mismatch, match=told):
                judge.equal(got, ["a"])

    def test_several_results(self):
        judge.several((1, 2), 2)
        with pytest.raises(Mismatch, match="gave one int, expected 2 results"):
            judge.several(1, 2)


def test_an_argument_may_be_changed_where_that_is_the_task():
    from types import ModuleType

    from mini_bert.course.learner import Learner

    module = ModuleType("mine")
    exec("def step(w, dw, lr):\n    w -= lr * dw\n    dw[:] = 0", module.__dict__)
    w, dw = np.ones(3), np.ones(3)
    with pytest.raises(Mismatch, match="changed its argument dw"):
        Learner(module).changing("w").step(w, dw, 0.1)
    Learner(module).changing("w", "dw").step(w, dw, 0.1)
    np.testing.assert_allclose(w, 0.9)
