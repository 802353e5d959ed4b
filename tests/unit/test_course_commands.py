"""`mini-bert course`, as a learner and a teacher use it."""

import csv
import io
import json

import pytest

from mini_bert.cli import main
from mini_bert.cli.course_watch import saved
from mini_bert.course import folder as folders
from mini_bert.course.exercise import exercise_named, exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.course.formulas import readable, without_latex
from mini_bert.course.progress import Record
from mini_bert.course.trial import Trial
from mini_bert.course.verdict import Verdict

COMMANDS = ("init", "next", "check", "watch", "hint", "solution", "list", "reset", "report")


@pytest.fixture(autouse=True)
def judged_here(monkeypatch):
    """In this process: the other one is tested elsewhere, and takes longer."""

    def judged(exercise, file):
        return Trial(exercise, file.read_text("utf-8"), str(file)).verdict()

    monkeypatch.setattr(folders, "judged_apart", judged)


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(["course", *argv])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def course(tmp_path, monkeypatch, run):
    """A new course, in which we are."""
    run("init", str(tmp_path / "anna"))
    monkeypatch.chdir(tmp_path / "anna")
    return CourseFolder(tmp_path / "anna")


def solve(course: CourseFolder, name: str) -> None:
    exercise = exercise_named(name)
    course.file(exercise).write_text(exercise.solution, "utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"  mini-bert course {command}" in out


def test_a_new_course_has_all_files_with_open_gaps(course):
    for exercise in exercises():
        assert "raise NotImplementedError" in course.source(exercise)
    assert {path.name for path in course.path.iterdir()} >= {"README.md", "progress.json"}


def test_a_folder_with_other_things_is_refused_and_a_course_is_completed(course, run, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    code, _, err = run("init", str(tmp_path / "other"))
    assert code == 2
    assert "choose a new folder" in err
    solve(course, "1")
    course.file(exercise_named("2")).unlink()
    assert "1 exercise added" in run("init", str(course.path))[1]
    assert "raise" not in course.source(exercise_named("1"))


def test_from_the_first_page_to_the_next(course, run):
    code, out, _ = run("next")
    assert code == 0
    assert "01 Shapes and einsum" in out
    assert "01_shapes.py" in out
    code, out, _ = run("check")
    assert code == 1
    assert "the gap in `row_dots` is still open" in out
    assert "Stuck  mini-bert course hint\n" in out
    assert "Stuck  mini-bert course hint 3\n" in run("check", "3")[1]
    solve(course, "1")
    code, out, _ = run("check")
    assert code == 0
    assert f"1 of {len(exercises())} passed" in out
    assert "multiply_heads" in out  # what to take with you
    assert "02 Token embeddings" in run("next")[1]


def test_all_passed_is_said(course, run, monkeypatch):
    monkeypatch.setattr(folders, "judged_apart", lambda exercise, file: Verdict("passed"))
    for exercise in exercises():
        solve(course, exercise.name)
    assert run("check", "--all")[0] == 0
    assert f"All {len(exercises())} exercises are passed" in run("next")[1]


def test_pages_fit_the_terminal(course, run):
    for exercise in exercises():
        for words in (
            ["next", exercise.name],
            ["hint", exercise.name],
            ["solution", exercise.name, "--show"],
        ):
            code, out, _ = run(*words)
            assert code == 0
            assert max(map(len, out.splitlines())) <= max(80, len(str(course.file(exercise))) + 8)
            assert "\\" not in out
            assert "$" not in out


def test_hints_are_a_ladder_of_three(course, run):
    for number in (1, 2, 3, 3):
        out = run("hint", "7")[1]
        assert f"hint {number} of 3" in out
        assert ("mini-bert course hint 7" if number < 3 else "mini-bert course solution 7 --show") in out
    assert course.record(exercise_named("7")).hints == 3
    assert run("hint", "7", "--again")[1].count(" of 3") == 3
    assert "no hint" in run("hint", "6", "--again")[2]


def test_code_in_a_hint_keeps_its_lines(course, run):
    assert course.next_hint(exercise_named("6")) == 1
    assert course.next_hint(exercise_named("6")) == 2
    lines = [line.strip() for line in run("hint", "6")[1].splitlines()]
    assert "mu = x.mean(-1, keepdims=True)" in lines


def test_a_solution_is_shown_after_passing_or_on_request(course, run):
    code, _, err = run("solution", "7")
    assert code == 2
    assert "mini-bert course solution 7 --show" in err
    assert "e / e.sum(-1, keepdims=True)" in run("solution", "7", "--show")[1]
    assert course.record(exercise_named("7")).saw_solution
    solve(course, "6")
    run("check", "6")
    assert "x_hat" in run("solution")[1]
    assert not course.record(exercise_named("6")).saw_solution


def test_attempts_count_sources_not_checks(course, run):
    softmax = exercise_named("softmax")
    run("check", "7")
    assert course.record(softmax).attempts == 0
    course.file(softmax).write_text("def softmax(x): return x", "utf-8")
    run("check", "7")
    run("check", "7")
    solve(course, "7")
    run("check", "7")
    record = course.record(softmax)
    assert (record.attempts, record.passes) == (2, True)
    assert record.minutes is not None
    course.file(softmax).write_text("def softmax(x): return x", "utf-8")
    run("check", "7")
    assert not course.record(softmax).passes
    assert course.record(softmax).passed == record.passed


def test_reset_keeps_the_old_file(course, run):
    solve(course, "7")
    run("check", "7")
    assert "07_softmax.py.bak" in run("reset", "softmax")[1]
    solve(course, "7")
    assert "07_softmax.py.bak2" in run("reset", "--all")[1]
    assert (course.path / "07_softmax.py.bak").read_text("utf-8") == exercise_named("7").solution
    assert not course.record(exercise_named("7")).passes
    assert run("reset")[0] == 2


def test_list_as_table_and_json(course, run):
    solve(course, "1")
    run("check")
    code, out, _ = run("list")
    assert code == 0
    assert "Phase 1: The building blocks" in out
    assert f"1/{len(exercises())}" in out
    found = json.loads(run("list", "--json")[1])["exercises"]
    assert [one["passed"] for one in found] == [True] + [False] * (len(found) - 1)
    assert found[6]["name"] == "07_softmax"
    assert found[6]["difficulty"] == 2


def test_check_as_json(course, run):
    code, out, _ = run("check", "7", "--json")
    assert code == 1
    verdict = json.loads(out)["verdicts"]["07_softmax"]
    assert (verdict["passed"], verdict["kind"], verdict["line"]) == (False, "open", 9)


def test_a_course_is_found_from_below_or_by_name(course, run, tmp_path, monkeypatch):
    below = course.path / "notes"
    below.mkdir()
    monkeypatch.chdir(below)
    assert run("list")[0] == 0
    monkeypatch.chdir(tmp_path)
    code, _, err = run("list")
    assert code == 2
    assert "mini-bert course init" in err
    code, out, _ = run("next", "--dir", "anna")
    assert code == 0
    assert "mini-bert course check --dir anna" in out
    assert '  cd "anna and ben"\n' in run("init", "anna and ben")[1]
    assert 'mini-bert course check --dir "anna and ben"' in run("next", "--dir", "anna and ben")[1]


@pytest.mark.parametrize(
    ("argv", "remedy"),
    [
        (["check", "sofmax"], "did you mean"),
        (["check", "7", "--all"], "name one exercise or check them all"),
        (["next", "--dir", "nowhere"], "mini-bert course init DIR"),
        (["report", "nowhere"], "no such folder"),
        (["report", ".", "--json", "--csv"], "choose one"),
        (["solution"], "no exercise is passed yet"),
    ],
)
@pytest.mark.usefixtures("course")
def test_a_users_error_is_explained(run, argv, remedy):
    code, _, err = run(*argv)
    assert code == 2
    assert remedy in err


@pytest.mark.parametrize("content", ["{", "[]", '{"course": 1}', '{"course": 2, "exercises": {}}'])
def test_a_broken_progress_is_told_with_its_remedy(course, run, content):
    (course.path / "progress.json").write_text(content)
    code, _, err = run("list")
    assert code == 2
    assert "delete it" in err or "update mini-bert" in err
    (course.path / "progress.json").unlink()
    assert run("init", str(course.path))[0] == 0


@pytest.mark.parametrize("content", ["{", "[]", '{"done": 3}'])
def test_a_progress_of_another_program_is_let_alone(run, tmp_path, monkeypatch, content):
    (tmp_path / "progress.json").write_text(content)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    for argv, told in {
        ("list",): "is not in a course",
        ("list", "--dir", str(tmp_path)): "is no course",
        ("init", str(tmp_path)): "has other files in it",
        ("report", str(tmp_path)): "is no course",
    }.items():
        code, _, err = run(*argv)
        assert code == 2
        assert told in err
        assert "delete" not in err


def test_a_course_is_found_above_the_progress_of_another_program(course, run, monkeypatch):
    (course.path / "notes").mkdir()
    (course.path / "notes" / "progress.json").write_text("{}")
    monkeypatch.chdir(course.path / "notes")
    assert run("list")[0] == 0


def test_a_missing_file_is_told(course, run):
    course.file(exercise_named("1")).unlink()
    assert "mini-bert course reset 1" in run("check")[2]


def test_a_folder_that_may_not_be_written_is_told(course, run, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    for words in (["check"], ["next"], ["hint"], ["reset", "1"]):
        assert "copy the course to a folder that is yours" in run(*words)[2]
    assert run("list")[0] == 0


def test_the_checks_can_be_checked(run):
    code, out, _ = run("check", "1", "--self-test", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["unsolved"] == found["solution"] == {"right": 1, "of": 1}
    assert found["mutant"]["right"] == found["mutant"]["of"] >= 3
    assert not found["faults"]


def test_teachers_see_all_learners(course, run, tmp_path):
    solve(course, "1")
    run("check")
    run("hint")
    run("init", str(tmp_path / "ben"))
    found = {one["learner"]: one for one in json.loads(run("report", str(tmp_path), "--json")[1])["learners"]}
    assert found["anna"]["passed"] == 1
    assert found["ben"]["passed"] == 0
    assert found["anna"]["exercises"]["01_shapes"]["attempts"] == 1
    assert found["anna"]["exercises"]["02_token_embedding"]["hints"] == 1
    lines = list(csv.DictReader(io.StringIO(run("report", str(tmp_path), "--csv")[1])))
    assert len(lines) == 2 * len(exercises())
    assert lines[0]["learner"] == "anna"
    code, out, _ = run("report", str(tmp_path / "anna"), str(tmp_path / "ben"))
    assert code == 0
    assert "anna" in out


def test_minutes_are_from_the_first_look_to_the_first_pass():
    record = Record(begun="2026-01-01T10:00:00+00:00", passed="2026-01-01T10:12:30+00:00")
    assert record.minutes == 12.5
    assert Record(begun="2026-01-01T10:00:00+00:00").minutes is None


def test_watching_sees_a_saved_file(course):
    first, second = exercises()[:2]
    seen = saved(course, [first, second], first)
    assert next(seen) == first
    solve(course, second.name)
    assert next(seen) == second
    course.file(first).unlink()  # as an editor does between two renames
    solve(course, second.name)
    course.file(second).write_text("changed")
    assert next(seen) == second
    course.path.rename(course.path.with_name("moved"))
    with pytest.raises(ValueError, match="is gone; watch it again"):
        next(seen)


def test_a_displayed_formula_is_broken_where_it_is_wide():
    assert "```text\na = b,\nc = d\n```" in without_latex(r"$$a = b, \quad c = d$$")


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"\frac{a + b}{2}", "(a + b)/2"),
        (r"x_i^2 y_{ij}", "xᵢ² yᵢⱼ"),
        (r"\mathbb{R}^{B \times T}", "ℝ^(B × T)"),
        (r"\text{ids}_{bt}", "ids_bt"),
        (r"\left(1 + \tanh u\right)", "(1 + tanh u)"),
        (r"e^{-x}", "e⁻ˣ"),
        (r"\sum_{j=1}^{n} w_j", "Σⱼ₌₁ⁿ wⱼ"),
        (r"\lVert x \rVert_2", "‖ x ‖₂"),
    ],
)
def test_formulas_are_readable(latex, told):
    assert readable(latex) == told
