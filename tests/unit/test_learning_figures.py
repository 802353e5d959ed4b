"""The figures of docs/learning: each can be drawn, all its words can be read, and the kept files are just these."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from mini_bert.plots.style import as_svg
from tools.learning_figures import FIGURES, HOME, fate, loss_curve, main, stretches_of

PAGES = Path(__file__).parents[2] / "docs" / "learning"
DIAGRAMS = ("model", "block", "heads", "masking", "step")
"""Those that are all words and boxes: in them no two words may touch."""


@pytest.fixture(scope="module")
def drawn():
    return {name: draw() for name, draw in FIGURES.items() if name != "loss"}


def words_in(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return {text: text.get_window_extent(renderer) for text in found}


@pytest.mark.parametrize("name", [*DIAGRAMS, "one-head", "attention"])
def test_all_words_lie_within_the_figure(drawn, name):
    boxes = words_in(drawn[name])
    assert len(boxes) > 5
    for text, box in boxes.items():
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= drawn[name].bbox.x1 + 1, text
        assert box.y1 <= drawn[name].bbox.y1 + 1, text


@pytest.mark.parametrize("name", DIAGRAMS)
def test_no_two_words_of_a_diagram_touch(drawn, name):
    touching = [
        (one.get_text(), other.get_text())
        for (one, first), (other, second) in combinations(words_in(drawn[name]).items(), 2)
        if first.overlaps(second)
    ]
    assert touching == []


def test_the_background_is_solid(drawn):
    for name, figure in drawn.items():
        assert figure.get_facecolor() == (1, 1, 1, 1), name


def test_the_model_figure_tells_the_real_counts(drawn):
    words = {text.get_text() for text in drawn["model"].findobj(Text)}
    assert {"444,864", "4,501,184 in all", "logits (8, 64, 8192)"} <= words


def test_one_head_shows_the_numbers_of_a_pass(drawn):
    titles = [axes.get_title() for axes in drawn["one-head"].axes]
    assert titles[0].startswith("Q\n9 × 48")
    weights = drawn["one-head"].axes[3].images[0].get_array()
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)


def test_the_kept_files_are_what_the_tool_makes():
    assert {path.name for path in HOME.iterdir()} == {f"{name}.svg" for name in FIGURES}


def test_every_figure_is_shown_on_a_page():
    text = "".join(page.read_text("utf-8") for page in PAGES.glob("*.md"))
    assert set(re.findall(r"\.\./images/learning/([\w-]+)\.svg", text)) == set(FIGURES)


def test_a_short_run_has_its_curve_and_its_levels():
    svg = as_svg(loss_curve(steps=3, text="world:300"))
    assert "knows nothing" in svg
    assert "held-out" in svg


def test_stretches_begin_where_the_loss_has_come_so_far():
    steps = np.arange(6.0)
    losses = np.array([7.6, 7.0, 6.1, 6.0, 5.4, 5.0])
    assert [stretch.first for stretch in stretches_of(steps, losses, 6.0)] == [0, 2, 4]
    assert [stretch.first for stretch in stretches_of(steps[:2], losses[:2], 6.0)] == [0]


def test_fates_are_told_by_what_is_shown():
    assert [fate(shown, 9, mask_id=4) for shown in (4, 9, 7)] == ["hidden", "kept", "replaced"]


def test_only_those_named_are_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["tool", "step", "--out", str(tmp_path), "--png"])
    main()
    assert [path.name for path in tmp_path.iterdir()] == ["step.png"]
    monkeypatch.setattr("sys.argv", ["tool", "stept"])
    with pytest.raises(SystemExit):
        main()
    assert "no figure is named stept; choose from model, block" in capsys.readouterr().err
