"""Every exercise: what is unsolved fails, the solution passes, classic wrong answers are told as what they are."""

import contextlib
import io
import re

import numpy as np
import pytest

from mini_bert.course.exercise import HOME, exercises
from mini_bert.course.formulas import DISPLAY, INLINE, readable, without_latex
from mini_bert.course.gaps import gaps_of, with_open_gaps
from mini_bert.course.mutants import mutants_of
from mini_bert.course.page import AFTERWARDS, HINTS, IDEA, page_of
from mini_bert.course.self_test import cases_of
from mini_bert.course.trial import Trial

ALL = exercises()
CASES = [case for exercise in ALL for case in cases_of(exercise)]
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)]+)\)")
RUNNABLE = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```)?", re.M | re.S)

of_each = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict_is_right(case):
    verdict = Trial(case.exercise, case.source, f"/course/{case.exercise.file_name}").verdict()
    assert case.fault(verdict) is None, verdict.message


def test_numbers_are_an_unbroken_row():
    assert [exercise.number for exercise in ALL] == list(range(1, len(ALL) + 1))
    assert len({exercise.name[3:] for exercise in ALL}) == len(ALL)


@of_each
def test_has_its_four_files_and_no_other(exercise):
    found = {path.name for path in (HOME / exercise.name).iterdir() if path.name != "__pycache__"}
    assert found == {"solution.py", "page.md", "check.py", "mutants.yaml"}


@of_each
def test_the_learners_file_is_whole_but_for_its_gaps(exercise):
    opened = with_open_gaps(exercise.solution, exercise.name)
    compile(opened, exercise.file_name, "exec")
    assert opened.count("raise NotImplementedError") == len(gaps_of(exercise.solution)) >= 1
    for gap in gaps_of(exercise.solution):
        assert "\n".join(gap.lines) not in opened


@of_each
def test_has_three_mutants_of_different_names_at_least(exercise):
    mutants = mutants_of(exercise)
    assert len(mutants) >= 3
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    assert len({mutant.applied_to(exercise.solution) for mutant in mutants}) == len(mutants)


@of_each
def test_the_page_is_complete(exercise):
    page = page_of(exercise)
    assert all(page.sections.values())
    assert all(len(page.sections[hint]) > 20 for hint in HINTS)
    earlier = {one.name for one in ALL if one.number < exercise.number}
    assert set(page.about.needs) <= earlier
    assert "$" in page.sections[IDEA]  # the equation


def test_phases_and_days_go_forward():
    order = [1, 2, 3, 4, 5, 6, "advanced"]
    when = [
        (order.index(about.phase), about.day or 100 + about.week)
        for about in (page_of(exercise).about for exercise in ALL)
    ]
    assert when == sorted(when)
    assert {phase for phase, _ in when} == set(range(len(order)))


def test_experts_have_a_tier_of_their_own():
    assert [page_of(exercise).about.tier for exercise in ALL].count("hard") >= 3


@of_each
def test_links_lead_to_a_file_that_has_what_they_name(exercise):
    links = [link for section in page_of(exercise).sections.values() for link in LINK.findall(section)]
    assert links
    for text, target in links:
        path = exercise.folder / target
        assert path.is_file(), target
        name = text.strip("`")
        if text.startswith("`") and name.isidentifier():
            assert re.search(rf"^(def|class) {name}\b", path.read_text("utf-8"), re.M), text


@of_each
def test_formulas_can_be_read_in_a_terminal(exercise):
    for title, section in page_of(exercise).sections.items():
        formulas = DISPLAY.findall(section) + INLINE.findall(DISPLAY.sub("", section))
        assert not [formula for formula in formulas if "\\" in readable(formula) or "{" in readable(formula)]
        assert "$" not in re.sub("`[^`]*`", "", without_latex(section)), title


@of_each
def test_code_on_the_page_prints_what_it_says(exercise):
    page = page_of(exercise)
    for section in (IDEA, AFTERWARDS):
        for code, printed in RUNNABLE.findall(page.sections[section] + "\n"):
            with contextlib.redirect_stdout(io.StringIO()) as told:
                exec(compile(code, "page.md", "exec"), {"__name__": "page"})
            if printed:
                assert told.getvalue() == printed


RIGHT_OTHERWISE = {
    "01_shapes": """
import numpy as np
def row_dots(a, b): return (a * b).sum(1)
def outer(a, b): return a[:, None] * b
def batch_matmul(a, b): return a @ b
""",
    "02_token_embedding": """
import numpy as np
def embed(ids, table): return np.stack([np.stack([table[i] for i in row]) for row in ids])
def one_hot(ids, V): return np.eye(V)[ids]
""",
    "04_linear": """
import numpy as np
def linear(x, W, b): return np.einsum("...i,oi->...o", x, W) + b
def parameters(I, O): return np.zeros((O, I)).size + np.zeros(O).size
""",
    "05_activations": """
import numpy as np
from mini_bert.core.functions.erf import erf
def relu(x): return x * (x > 0)
def gelu(x): return x * 0.5 * (1 + erf(x / 2**0.5))
""",
    "06_layer_norm": """
import numpy as np
def layer_norm(x, gamma, beta, eps=1e-12):
    return (x - x.mean(-1)[..., None]) * (x.var(axis=-1) + eps)[..., None] ** -0.5 * gamma + beta
""",
    "07_softmax": """
import numpy as np
def softmax(x):
    x = x - np.max(x, axis=-1, keepdims=True)
    return np.exp(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))
""",
    "08_scores": """
import numpy as np
def scores(q, k): return np.einsum("...qd,...kd->...qk", q * q.shape[-1] ** -0.5, k)
""",
    "09_padding_mask": """
import numpy as np
def hide_padding(scores, mask):
    return np.where(mask[:, None, None] == 1, scores, np.array(-1e9, scores.dtype))
def real_tokens(ids, padding_id=0): return np.where(ids == padding_id, 0, 1)
""",
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT_OTHERWISE)
def test_a_right_answer_written_otherwise_passes(name):
    exercise = next(one for one in ALL if one.name == name)
    verdict = Trial(exercise, RIGHT_OTHERWISE[name], "/course/mine.py").verdict()
    assert verdict.passed, verdict.message


def test_learners_numbers_may_not_change_those_of_the_next_check():
    before = np.geterr()
    Trial(ALL[0], "import numpy as np\nnp.seterr(all='raise')", "/course/mine.py").verdict()
    assert np.geterr() == before
