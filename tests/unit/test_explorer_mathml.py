"""Formulas of the page: every equation that we have becomes well-formed MathML with all its letters in it."""

import re
from xml.etree import ElementTree

import pytest

from mini_bert import ModelConfig
from mini_bert.analysis.reading import read
from mini_bert.explorer.mathml import mathml
from mini_bert.models.names import TABLE
from mini_bert.models.zoo import MEMBERS
from tests.unit.analysed_models import lively, member
from tests.unit.variants import MODERN

ELEMENTS = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msqrt", "mstyle"}
CHILDREN = {"mfrac": 2, "mover": 2, "munder": 2, "msub": 2, "msup": 2, "munderover": 3, "msubsup": 3}
SIZES = re.compile(r"minsize|maxsize|width|stretchy|display|displaystyle|accent")


def parsed(latex):
    root = ElementTree.fromstring(mathml(latex))
    for node in root.iter():
        name = node.tag.removeprefix("{http://www.w3.org/1998/Math/MathML}")
        assert name in ELEMENTS | CHILDREN.keys()
        assert len(node) == CHILDREN.get(name, len(node))
        assert all(SIZES.fullmatch(key) for key in node.attrib)
    return root


def small(name, tokenizer):
    if name in MEMBERS:
        return member(name, tokenizer)
    return lively(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **MODERN), tokenizer)


def letters(latex):
    return "".join(parsed(latex).itertext())


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.dotted)
def test_every_symbol_of_the_table(row):
    latex = row.latex.replace("{i}", "2")
    for letter in re.findall(r"(?<![\\a-zA-Z])[A-Za-z](?![a-zA-Z])", latex):
        assert letter in letters(latex) or r"\mathbf" in latex


@pytest.mark.parametrize("model", [*MEMBERS, "modern"])
def test_every_equation_of_a_pass(model, tokenizer):
    graph = read(small(model, tokenizer), "the dog is [MASK] .").graph
    for made in graph.made.values():
        parsed(made.equation.whole[1])
    for used, readers in graph.used.items():
        for operation in readers:
            for latex in operation.derivative(used)[1::2]:
                parsed(latex)


@pytest.mark.parametrize(
    ("latex", "inside"),
    [
        ("x_1^2", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        ("x^2_1", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        (r"\tfrac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        ("10^9", "<msup><mn>10</mn><mn>9</mn></msup>"),
        (r"\sqrt{32}", "<msqrt><mn>32</mn></msqrt>"),
        (r"\sum_t x", "<munder><mo>∑</mo><mi>t</mi></munder>"),
        (r"\text{a_b < c}", "<mtext>a_b\u00a0&lt;\u00a0c</mtext>"),
        (r"\mathbf 1", "<mn>𝟏</mn>"),
        (r"\operatorname{gelu}'(x)", "<msup><mi>gelu</mi><mo>′</mo></msup>"),
        (r"\ln p", '<mi>ln</mi><mspace width="0.17em"/><mi>p</mi>'),
    ],
)
def test_what_is_drawn(latex, inside):
    parsed(latex)
    assert inside in mathml(latex)


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        (r"\foo x", r"\foo is not known"),
        ("a}", "without its {"),
        ("{a", "} is missing"),
        ("a_", "missing at its end"),
        ("^a", "nothing before it"),
        (r"\frac a", "missing at its end"),
        (r"\text x", "{ is missing"),
        (r"\bigl", "bracket is missing"),
    ],
)
def test_a_broken_formula_says_what_is_wrong(latex, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        mathml(latex)


def test_inline_formulas_stand_in_their_line():
    assert 'display="inline"' in mathml("x", inline=True)
    assert 'display="block"' in mathml("x")
