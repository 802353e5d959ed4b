"""Plots: what is drawn, that it can be written, and that several fit on one page."""

import doctest
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from mini_bert.plots import layers, style
from mini_bert.plots.comparison import Contender, comparison
from mini_bert.plots.curves import curves
from mini_bert.plots.entropy import attention_entropy
from mini_bert.plots.inline import inline_svg
from mini_bert.plots.layers import by_layer
from mini_bert.plots.rate_finder import learning_rates
from mini_bert.plots.series import Series, thinned
from mini_bert.plots.style import save
from mini_bert.training.rate_finder import find_learning_rate

STEPS = np.arange(10.0, 510.0, 10.0)
FALLING = Series(STEPS, 6 * np.exp(-STEPS / 200) + 2)
WITH_A_GAP = Series(np.array([1.0, 2.0, 3.0]), np.array([6.0, np.nan, 4.0]))


def every_plot():
    sweep = find_learning_rate(lambda rate: 9.0 if rate > 1e-2 else 6 - 100 * rate, steps=50)
    return {
        "curves": curves({"training": FALLING}, "loss", {"even guess": 8.3}, is_logarithmic=True),
        "many": curves(
            {"training": FALLING, "held-out": FALLING, "old text": FALLING},
            "loss",
            {"even guess": 8.3, "word frequencies": 6.1},
        ),
        "gap": curves({"training": WITH_A_GAP}, "loss"),
        "layers": by_layer({"embeddings": FALLING, "encoder.layers.0": FALLING}, "norm", {"guide": 1e-3}),
        "entropy": attention_entropy(STEPS, np.ones((len(STEPS), 2, 3)), 4.2),
        "rates": learning_rates(sweep),
        "comparison": comparison([Contender("a", FALLING, np.full(len(STEPS), 0.1))], "loss"),
    }


@pytest.fixture(scope="module")
def plots():
    return every_plot()


@pytest.mark.parametrize("name", ["curves", "many", "gap", "layers", "entropy", "rates", "comparison"])
def test_every_plot_stands_in_a_page_with_ids_of_its_own(plots, name):
    svg = inline_svg(plots[name], f"own-{name}", 'loss < "2"')
    element = ElementTree.fromstring(svg)
    assert element.get("aria-label") == 'loss < "2"'
    ids = re.findall(r'\bid="([^"]*)"', svg)
    referred = re.findall(r'(?:url\(#|href="#)([^")]*)', svg)
    assert ids
    assert len(set(ids)) == len(ids)
    assert set(referred) == set(ids)
    assert all(one.startswith(f"own-{name}-") for one in ids)
    assert "currentColor" in svg
    assert style.INK not in svg


def test_the_same_numbers_give_the_same_text(plots):
    again = every_plot()
    for name, figure in plots.items():
        assert inline_svg(figure, "x", "") == inline_svg(again[name], "x", ""), name


def test_legends_lie_within_the_figure(plots):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    for name in ("curves", "many", "layers", "rates", "comparison"):
        figure = plots[name]
        FigureCanvasAgg(figure).draw()
        box = figure.axes[0].get_legend().get_window_extent()
        assert box.x0 >= 0, name
        assert box.x1 <= figure.bbox.x1, name
        assert box.y1 <= figure.bbox.y1, name


def test_guides_and_curves_are_named(plots):
    drawn = {line.get_label() for line in plots["curves"].axes[0].get_lines()}
    assert drawn == {"training", "even guess"}
    assert plots["curves"].axes[0].get_yscale() == "log"
    suggested = [text.get_text() for text in plots["rates"].axes[0].get_legend().get_texts()]
    assert any(text.startswith("suggested: ") for text in suggested)
    assert any(text.startswith("bursts: ") for text in suggested)


def test_a_single_step_is_marked_once():
    figure = by_layer({"encoder.layers.0": Series(np.array([1]), np.array([2.0]))}, "nats")
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    assert [tick for tick in axes.get_xticks() if low <= tick <= high] == [1]


def test_of_many_layers_some_are_named():
    many = {f"encoder.layers.{number}": FALLING for number in range(48)}
    axes = by_layer(many, "norm").axes[0]
    assert len(axes.get_lines()) == 48
    assert len(axes.get_legend().get_texts()) == 12


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("b.svg", b"<?xml"), ("c.SVG", b"<?xml")]
)
def test_plots_are_written_whole(tmp_path, plots, name, begins):
    save(plots["gap"], tmp_path / "new" / name)
    assert (tmp_path / "new" / name).read_bytes().startswith(begins)
    assert [path.name for path in (tmp_path / "new").iterdir()] == [name]


def test_other_formats_are_refused(tmp_path, plots):
    with pytest.raises(ValueError, match=r"curve\.gif: a plot is a \.png or an \.svg"):
        save(plots["gap"], tmp_path / "curve.gif")


def test_a_long_curve_is_thinned_to_means_and_keeps_its_ends():
    values = np.arange(10_000.0)
    values[5000:5200] = np.nan
    short = thinned(Series(np.arange(10_000.0), values), most=100)
    assert len(short.steps) == 100
    assert short.steps[0] < 100
    assert short.steps[-1] > 9900
    assert np.isnan(short.values).sum() == 2
    assert short.values[3] == pytest.approx(short.steps[3])


def test_a_short_curve_stays_as_it_is():
    assert thinned(FALLING) is FALLING


def test_settings_of_matplotlib_are_left_as_they_were(plots):
    from matplotlib import rcParams

    before = dict(rcParams)
    every_plot()
    inline_svg(plots["gap"], "x", "")
    assert dict(rcParams) == before


@pytest.mark.parametrize("module", [style, layers])
def test_examples(module):
    assert doctest.testmod(module).failed == 0
