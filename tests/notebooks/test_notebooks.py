"""Every notebook runs in a fresh kernel, and shows what was saved with it."""

import nbformat
import pytest

from notebooks.run import HERE, alike, cleaned, differences, executed, notebooks

MOST_BYTES = 600_000


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_shows_what_was_saved(path):
    saved = nbformat.read(path, as_version=4)
    assert differences(saved, executed(path)) == []


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_saved_with_its_outputs_and_without_what_changes_from_run_to_run(path):
    saved = nbformat.read(path, as_version=4)
    code = [cell for cell in saved.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)
    assert cleaned(nbformat.read(path, as_version=4)) == saved
    assert path.stat().st_size < MOST_BYTES


def test_the_index_has_every_notebook():
    index = (HERE / "README.md").read_text("utf-8")
    assert all(f"({path.name})" in index for path in notebooks())
    assert len(notebooks()) == 7


def notebook(source, text, tags=()):
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
    return nbformat.v4.new_notebook(cells=[cell])


def test_another_word_or_number_is_a_difference():
    saved = notebook("", "river 0.25 of 12, 40%\n")
    assert differences(saved, notebook("", "river 0.26 of 12, 41%\n")) == []
    assert differences(saved, notebook("", "river 0.27 of 12, 40%\n"))
    assert differences(saved, notebook("", "river 0.25 of 13, 40%\n"))
    assert differences(saved, notebook("", "sea 0.25 of 12, 40%\n"))
    assert differences(saved, notebook("", "river 0.25 of 12, 40% 7\n"))


def test_how_a_kernel_cuts_its_text_is_no_difference():
    saved, fresh = notebook("", "one\ntwo\n"), notebook("", "one\n")
    fresh.cells[0].outputs.append(nbformat.v4.new_output("stream", name="stdout", text="two\n"))
    assert differences(cleaned(saved), cleaned(fresh)) == []


def test_a_picture_in_place_of_text_is_a_difference():
    fresh = notebook("", "river")
    fresh.cells[0].outputs = [nbformat.v4.new_output("display_data", {"image/png": "aGVsbG8="})]
    assert differences(notebook("", "river"), fresh)


def test_what_varies_is_held_within_a_factor_of_two_and_what_is_optional_is_not_held():
    saved = notebook("", "took 1.5 s\n", ["varies"])
    assert differences(saved, notebook("", "took 2.9 s\n")) == []
    assert differences(saved, notebook("", "took 3.1 s\n"))
    assert differences(notebook("", "here", ["optional"]), notebook("", "not here")) == []


@pytest.mark.parametrize(
    ("old", "new", "is_alike"),
    [
        ("1.23e-04", "1.24e-04", True),
        ("1.23e-04", "1.25e-04", False),
        ("−0.50", "-0.51", True),
        ("1,024", "1,025", False),
        ("[0.1 0.2]", "[0.1  0.2]", True),
    ],
)
def test_numbers_may_differ_in_their_last_digit(old, new, is_alike):
    assert alike(old, new, varies=False) is is_alike
