"""Plots of scores: what is drawn, what is named, and how they stand on a dark page."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from mini_bert.plots.bars import Bar, bars
from mini_bert.plots.heat import DARK, LIGHT, heat
from mini_bert.plots.inline import inline_svg
from mini_bert.plots.over_layers import LayerCurve, over_layers
from mini_bert.plots.style import GUIDE, INK

ACCURACY = np.array([70.0, 88.0, 91.0])


def every_plot():
    return {
        "bars": bars(
            [
                Bar("this model", 91.2, 90.0, 92.4),
                Bar("per-word majority", 86.1, kind="baseline"),
                Bar("broken", float("nan"), kind="control"),
            ],
            "accuracy (%)",
            chance=17.0,
        ),
        "below zero": bars([Bar("correlation", -0.2, -0.3, 0.1)], "Spearman's ρ"),
        "layers": over_layers(
            [
                LayerCurve("linear probe", ACCURACY, ACCURACY - 1, ACCURACY + 1),
                LayerCurve("control", ACCURACY / 2),
            ],
            "accuracy (%)",
            {"per-word majority": 86.1},
        ),
        "long unit": over_layers(
            [LayerCurve(f"probe number {number}", ACCURACY) for number in range(6)],
            "the nearest word is of the same kind (%)",
            {f"level {number}": 10.0 * number for number in range(5)},
        ),
        "small": heat(np.array([[0.0, 1.0], [np.nan, 0.5]]), ["a", "b"], ["c", "d"], "CKA", "layer", "head"),
        "large": heat(np.eye(50), [str(i) for i in range(50)], [f"name {i}" for i in range(50)], "CKA"),
        "constant": heat(np.ones((2, 2)), ["a", "b"], ["c", "d"], "CKA"),
    }


@pytest.fixture(scope="module")
def plots():
    return every_plot()


@pytest.fixture(scope="module")
def texts(plots):
    return {
        name: " ".join(ElementTree.fromstring(inline_svg(figure, "p", name)).itertext())
        for name, figure in plots.items()
    }


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (
            "bars",
            ["accuracy (%)", "this model", "per-word majority", "91.2", "86.1", "not finite", "chance: 17"],
        ),
        ("bars", ["model", "baseline", "control"]),
        ("below zero", ["Spearman's ρ", "-0.2"]),
        ("layers", ["accuracy (%)", "layer (0: embeddings)", "linear probe", "control", "per-word majority"]),
        ("small", ["CKA", "layer", "head", "0.00", "1.00", "0.50", "–"]),
        ("large", ["CKA", "name 0", "name 2"]),
        ("constant", ["1.00"]),
    ],
)
def test_everything_is_named(texts, name, written):
    missing = [one for one in written if one not in texts[name]]
    assert not missing


def test_a_long_unit_keeps_clear_of_the_legend(plots):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = plots["long unit"]
    renderer = FigureCanvasAgg(figure).get_renderer()
    (axes,) = figure.axes
    unit = axes.yaxis.label.get_window_extent(renderer)
    assert not unit.overlaps(axes.get_legend().get_window_extent(renderer))
    assert not any(unit.overlaps(label.get_window_extent(renderer)) for label in axes.get_yticklabels())


def test_a_large_matrix_has_no_numbers_and_not_every_name(texts):
    assert "1.00" not in texts["large"]
    assert "name 1 " not in texts["large"]


def test_a_name_that_is_too_long_is_cut():
    figure = bars([Bar("a" * 100, 1.0)], "points")
    label = figure.axes[0].get_yticklabels()[0].get_text()
    assert label.endswith("a…")
    assert len(label) < 50


def test_the_first_entry_and_the_first_row_are_on_top(plots):
    low, high = plots["bars"].axes[0].get_ylim()
    assert low > high
    low, high = plots["small"].axes[0].get_ylim()
    assert low > high


def test_ink_takes_the_colour_of_the_page_and_numbers_on_cells_do_not(plots):
    for figure in plots.values():
        svg = inline_svg(figure, "p", "")
        assert INK not in svg
        assert GUIDE not in svg
        assert "currentColor" in svg
    cells = inline_svg(plots["small"], "p", "")
    assert len(re.findall(f"fill: {DARK}", cells)) == 1  # on yellow
    assert len(re.findall(f"fill: {LIGHT}", cells)) == 2  # on violet and on teal


def test_all_that_is_drawn_lies_within_the_figure(plots):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    for name, figure in plots.items():
        canvas = FigureCanvasAgg(figure)
        box = figure.get_tightbbox(canvas.get_renderer())
        width, height = figure.get_size_inches()
        assert box.x0 >= -0.02, name
        assert box.y0 >= -0.02, name
        assert box.x1 <= width + 0.02, name
        assert box.y1 <= height + 0.02, name


def test_the_same_numbers_give_the_same_text(plots):
    again = every_plot()
    for name, figure in plots.items():
        assert inline_svg(figure, "x", "") == inline_svg(again[name], "x", ""), name
