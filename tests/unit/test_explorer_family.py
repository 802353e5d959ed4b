"""The explorer's answers about the family: cards, boxes, and steps that agree with real passes of real sizes."""

import doctest
from collections import Counter

import numpy as np
import pytest

from mini_bert.analysis.reading import read
from mini_bert.core.functions.softmax import softmax
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.family import side_by_side
from mini_bert.explorer.family.members import card_of, cards
from mini_bert.explorer.family.side_by_side import Side, compared
from mini_bert.explorer.family.steps import steps_of
from mini_bert.explorer.library import Library
from mini_bert.explorer.mathml import mathml
from mini_bert.explorer.question import Edit, Question
from mini_bert.explorer.views.family import (
    FamilyAsked,
    MemberAsked,
    WordsAsked,
    give_family,
    give_member,
    give_words,
)
from mini_bert.explorer.wire import pack
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.mini import MiniBERT
from mini_bert.models.zoo import MEMBERS
from tests.unit.small_zoo import small_model

QUESTION = Question(text="The dog saw the [MASK].", hidden=(2,))
SMALL = [
    name for name in presets() if name.endswith("-mini") or name in ("mini", "mini-best", "modern", "debug")
]


@pytest.fixture(scope="module")
def desk(tokenizer):
    library = Library({"own": "", "other": ""})
    library.loaded["own"] = small_model(tokenizer)
    library.loaded["other"] = small_model(tokenizer, "gpt2")
    return Desk(library)


def test_doctests():
    assert doctest.testmod(side_by_side).failed == 0


class TestCards:
    def test_every_preset_is_on_one_card(self):
        assert Counter(name for card in cards() for name in card.presets) == Counter(presets())

    def test_every_member_has_one_with_its_parent_before_it(self):
        names = [card.name for card in cards()]
        assert set(MEMBERS) <= set(names)
        for card in cards():
            assert card.parent is None or names.index(card.parent) < names.index(card.name)

    def test_years_and_sizes(self):
        found = {card.name: card for card in cards()}
        assert found["bert"].year == 2019
        assert found["mini"].year is None
        assert found["albert"].preset == "albert-base"
        assert found["mini"].parameters == MiniBERT("mini").num_parameters

    @pytest.mark.parametrize("name", ["mini", "modern", "mini-best", "bert-tiny", "gpt2-mini"])
    def test_a_model_knows_its_card(self, name):
        config = ModelConfig.preset(name, vocab_size=999)
        assert name in next(card.presets for card in cards() if card.name == card_of(config))

    def test_models_that_are_here(self, desk):
        answer = give_family(desk, FamilyAsked(question=QUESTION))
        here = {one["name"]: one["here"] for one in answer["members"] if one["here"]}
        assert here == {"mini": ["own"], "gpt2": ["other"]}
        assert answer["chosen"] == "mini"

    def test_a_model_that_is_not_here_is_told(self, desk):
        with pytest.raises(ValueError, match="giant"):
            give_family(desk, FamilyAsked(question=Question(model="giant", text="")))


class TestSteps:
    @pytest.mark.parametrize("name", SMALL)
    def test_shapes_are_those_of_a_real_pass(self, name):
        """The tiny stand-in tells the shapes that the preset itself leaves, number by number."""
        T = 7
        config = ModelConfig.preset(name, vocab_size=500)
        model = MiniBERT(config)
        passed = model.trace(np.arange(10, 10 + T)[None], watch=("*",))
        real = {key: array.shape for key, array in passed.trace.acts.items()}
        checked = 0
        for row in steps_of(config, T):
            place = row.key if row.group in ("Embeddings", "Head") else f"encoder.layers.0.{row.key}"
            if place in real:
                assert row.shape == real[place], row
                checked += 1
        assert checked >= 12

    @pytest.mark.parametrize("T", [1, 2, 3, 4, 8, 12, 24, 64])
    def test_letters_never_meet_the_length_of_the_text(self, T):
        rows = {row.key: row for row in steps_of(ModelConfig.preset("albert-mini"), T)}
        assert rows["attn.q"].letters == ("1" if T > 1 else "T", "A", "T", "D")
        assert rows["attn.probs"].letters[1:] == ("A", "T", "T")
        assert rows["ffn.hidden"].letters[1:] == ("T", "I")
        assert rows["embeddings.tokens"].letters[1:] == ("T", "E")
        assert rows["head.logits"].letters[1:] == ("T", "V")

    def test_equations_say_what_differs(self):
        plain, turned, apart, causal = (
            {row.key: row.latex for row in steps_of(ModelConfig.preset(name), 5)}
            for name in ("mini", "mini-best", "deberta-mini", "gpt2-mini")
        )
        assert r"\sqrt{D}" in plain["attn.scores"]
        assert r"\sqrt{3D}" in apart["attn.scores"]
        assert r"\tilde{Q}" in turned["attn.scores"]
        assert "10^9" in causal["attn.scores"]
        assert plain["attn.q"] == r"Q = X\,W_Q + b_Q"
        assert turned["attn.q"] == r"Q = N_1\,W_Q + b_Q"
        assert plain["attn.residual"] == turned["attn.residual"] == "R_1 = X + Z"

    @pytest.mark.parametrize("name", presets())
    def test_every_preset_can_be_shown_however_large(self, name):
        rows = steps_of(ModelConfig.preset(name), 6)
        assert len({row.key for row in rows}) == len(rows)
        for row in rows:
            assert "<merror" not in mathml(row.latex)
            assert "encoder." not in row.name
            assert "layers.0" not in row.latex
            assert all(letter in "1TAHDIVE" for letter in row.letters)


class TestSideBySide:
    def side(self, name, pieces=7):
        return Side(name, ModelConfig.preset(name), pieces)

    def differing(self, a, b):
        answer = compared(self.side(a), self.side(b))
        boxes = {
            box["id"]
            for side in answer["sides"]
            for stage in side["stages"]
            for box in stage["boxes"]
            if box["differs"]
        }
        return answer, boxes

    def test_a_model_beside_itself_differs_in_nothing(self):
        answer, boxes = self.differing("mini", "mini")
        assert boxes == set()
        assert not any(one["differs"] or one["size_differs"] for one in answer["steps"])
        assert not any(one["differs"] for one in answer["settings"])
        assert answer["changes"] == []

    def test_another_size_differs_in_numbers_only(self):
        answer, boxes = self.differing("bert-base", "bert-large")
        assert boxes == set()
        assert not any(one["differs"] for one in answer["steps"])
        assert {one["name"] for one in answer["settings"] if one["differs"]} == {
            "layers",
            "heads in a layer",
            "width (H)",
            "inner width (I)",
            "width of the tables (E)",
        }

    def test_albert_beside_bert(self):
        answer, boxes = self.differing("bert-base", "albert-base")
        assert boxes == {"project", "ffn", "transform"}  # GELU by tanh in the last two
        layers = [next(one for one in side["stages"] if one["id"] == "layer") for side in answer["sides"]]
        assert [one["shared"] for one in layers] == [False, True]
        assert all(one["differs"] for one in layers)
        assert answer["sides"][1]["parameters"] < answer["sides"][0]["parameters"] / 9

    def test_pre_norm_turns_the_order(self):
        orders = []
        for side in compared(self.side("bert-base"), self.side("gpt2"))["sides"]:
            layer = next(one for one in side["stages"] if one["id"] == "layer")
            orders.append([box["id"] for box in layer["boxes"]])
        assert orders[0] == ["attn", "attn.plus", "attn.norm", "ffn", "ffn.plus", "ffn.norm"]
        assert orders[1] == ["attn.norm", "attn", "attn.plus", "ffn.norm", "ffn", "ffn.plus"]

    def test_weights_by_part_are_all_weights(self):
        for name in ("debug", "modern", "albert-mini", "deberta-mini"):
            (side, _) = compared(self.side(name), self.side("mini"))["sides"]
            total = MiniBERT(name).num_parameters
            assert sum(one["count"] for one in side["weights"]) == side["parameters"] == total

    def test_a_text_longer_than_one_of_them_reads(self):
        answer = compared(self.side("mini", 100), self.side("bert-base", 100))
        assert [(side["pieces"], side["cut"]) for side in answer["sides"]] == [(64, True), (100, False)]


class TestAnswers:
    def test_a_preset_beside_the_model_here(self, desk):
        answer = give_member(desk, MemberAsked(question=QUESTION, member="gpt2-xl"))
        T = len(read(desk.model("own"), QUESTION.text).pieces)
        assert [side["name"] for side in answer["sides"]] == ["own", "gpt2-xl"]
        row = next(one for one in answer["steps"] if one["key"] == "attn.probs")
        assert [side["shape"] for side in row["sides"]] == [[1, 2, T, T], [1, 25, T, T]]
        assert len(pack(answer)) < 60_000

    def test_beside_another_preset(self, desk):
        answer = give_member(desk, MemberAsked(question=QUESTION, member="xlnet-base", beside="bert-base"))
        assert answer["sides"][0]["name"] == "bert-base"

    @pytest.mark.parametrize("asked", [{"member": "gpt3"}, {"member": "gpt2", "beside": "../mini"}])
    def test_a_preset_that_is_not_there(self, desk, asked):
        with pytest.raises(ValueError, match="unknown preset"):
            give_member(desk, MemberAsked(question=QUESTION, **asked))

    def test_words_of_a_model_with_weights(self, desk, tokenizer):
        edited = QUESTION.model_copy(update={"edits": (Edit(layer=1, head=0, kind="off"),)})
        answer = give_words(desk, WordsAsked(question=edited, model="own", top=3))
        logits = read(desk.model("own"), QUESTION.text, hidden=QUESTION.hidden).passed.logits[0]
        probability = softmax(logits)[:, : tokenizer.vocab_size]
        assert [place["place"] for place in answer["places"]] == [2, 5]
        for place in answer["places"]:
            expected = np.sort(probability[place["place"]])[::-1][:3]
            assert [one["probability"] for one in place["best"]] == pytest.approx(expected.tolist())

    def test_no_words_without_weights(self, desk):
        with pytest.raises(ValueError, match="unknown model 'bert-base'"):
            give_words(desk, WordsAsked(question=QUESTION, model="bert-base"))
