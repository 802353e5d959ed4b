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

ELEMENTS = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msqrt", "mstyle", "mtable", "mtr", "mtd"}
CHILDREN = {
    "mfrac": 2,
    "mover": 2,
    "mroot": 2,
    "munder": 2,
    "msub": 2,
    "msup": 2,
    "munderover": 3,
    "msubsup": 3,
}
ATTRIBUTES = re.compile(
    "minsize|maxsize|width|stretchy|display|displaystyle|accent|lspace|rspace|movablelimits|mathvariant|style"
)


def parsed(latex):
    root = ElementTree.fromstring(mathml(latex))
    for node in root.iter():
        name = node.tag.removeprefix("{http://www.w3.org/1998/Math/MathML}")
        assert name in ELEMENTS | CHILDREN.keys()
        assert len(node) == CHILDREN.get(name, len(node))
        assert all(ATTRIBUTES.fullmatch(key) for key in node.attrib)
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
        (r"\mathbb R \mathcal L", "<mi>ℝ</mi><mi>ℒ</mi>"),
        (r"\boldsymbol\theta", "<mi>𝛉</mi>"),
        (r"\mathrm{d}x", '<mi mathvariant="normal">d</mi><mi>x</mi>'),
        (r"\mathrm{softmax}", "<mi>softmax</mi>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        ("0.5", "<mn>0.5</mn>"),
        ("4{,}501", '<mn>4</mn><mo lspace="0" rspace="0">,</mo><mn>501</mn>'),
        (r"\alpha*x", "<mi>α</mi><mo>∗</mo><mi>x</mi>"),
        (r"\operatorname*{arg\,max}_x", ">arg\u00a0max</mo><mi>x</mi></munder>"),
        (r"\left(\frac ab\right.", '<mo stretchy="true">(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow>'),
        (r"\underbrace{x}_{y}", "<munder><munder><mi>x</mi><mo>⏟</mo></munder><mi>y</mi></munder>"),
        (r"\Bigl\lVert", '<mo minsize="1.8em" maxsize="1.8em">‖</mo>'),
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
        (r"\bigl\alpha", r"\alpha is no bracket"),
        (r"\left( x", r"a \right is missing"),
        ("a & b", "& outside of a matrix"),
        (r"\begin{tikz} x \end{tikz}", r"\begin{tikz} is not known"),
        (r"\begin{cases} x \end{matrix}", r"\begin{cases} ends as matrix"),
        (r"\begin{cases} x", r"\end is missing"),
        (r"\mathbb{θ}", "Unicode has no double-struck"),
    ],
)
def test_a_broken_formula_says_what_is_wrong(latex, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        mathml(latex)


def cells(latex):
    tag = "{http://www.w3.org/1998/Math/MathML}"
    lines = parsed(latex).iter(f"{tag}mtr")
    return [["".join(cell.itertext()) for cell in line.findall(f"{tag}mtd")] for line in lines]


def test_tables_have_lines_and_columns():
    assert cells(r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}") == [["a", "b"], ["c", "d"]]
    assert letters(r"\begin{bmatrix} a \end{bmatrix}") == "[a]"
    assert letters(r"\begin{cases} a \end{cases}") == "{a"
    assert cells(r"\begin{array}{lr} a & b \cr c & d \end{array}") == [["a", "b"], ["c", "d"]]


def test_aligned_lines_may_end_with_a_gap_and_the_last_may_be_empty():
    latex = r"\begin{aligned} y &= x^2 \\[4pt] &= [x]x \\ \end{aligned}"
    assert cells(latex) == [["y", "=x2"], ["", "=[x]x"]]


def test_inline_formulas_stand_in_their_line():
    assert 'display="inline"' in mathml("x", inline=True)
    assert 'display="block"' in mathml("x")
