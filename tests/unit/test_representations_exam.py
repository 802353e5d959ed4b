"""The exam of representations: small changes of texts, and every member of the family at every layer."""

import json
import re
from collections import Counter

import numpy as np
import pytest

from mini_bert.data.world import story
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.representations import exam, measure_representation_stability
from mini_bert.evaluation.representations.perturbations import CHANGES, Sentence, perturbed
from mini_bert.evaluation.representations.reading import head_entropies, text_states, text_vectors
from mini_bert.evaluation.representations.texts import texts_of
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.inference.forward import Predictor
from mini_bert.models.mini import MiniBERT
from mini_bert.models.zoo import MEMBERS
from mini_bert.plain_json import portable
from mini_bert.reports import silent

SMALL = {
    "vocab_size": 1000,
    "hidden_size": 16,
    "num_layers": 2,
    "num_heads": 2,
    "intermediate_size": 32,
    "max_seq_length": 24,
}
LITTLE = exam.Settings(texts=4, sentences=12, tokens=60, groups=2)


def small_model(tokenizer, member="bert"):
    model = MiniBERT(MEMBERS[member].build(**SMALL))
    model.tokenizer = tokenizer
    return model


@pytest.fixture
def model(tokenizer):
    return small_model(tokenizer)


def words(text):
    return re.findall(r"[\w'-]+|[^\w\s]", text)


def test_changes_are_small():
    sentences = texts_of(None, 10, 60, 103).sentences
    pairs = perturbed(sentences, seed=1)
    assert list(pairs) == list(CHANGES)
    for before, after in pairs["a typo"]:
        assert sorted(before) == sorted(after)
        assert sum(a != b for a, b in zip(before, after, strict=True)) == 2
    for before, after in pairs["a word left out"]:
        assert len(after) < len(before)
        assert " ," not in after
        assert " ." not in after
        missing = Counter(words(before))
        missing.subtract(words(after))
        assert sum(missing.values()) == 1
        assert min(missing.values()) == 0
    for before, after in pairs["two words swapped"]:
        assert sorted(words(before)) == sorted(words(after))
        assert sum(a != b for a, b in zip(words(before), words(after), strict=True)) == 2
    for before, after in pairs["another word"]:
        changed = [(a, b) for a, b in zip(before.split(), after.split(), strict=True) if a != b]
        assert len(changed) == 1
    assert perturbed(sentences, seed=1) == pairs
    assert perturbed(sentences, seed=2) != pairs


def test_another_word_has_the_same_part_of_speech_and_form():
    sentences = texts_of(None, 10, 60, 103).sentences
    kinds = {}
    for sentence in sentences:
        for word, kind in zip(sentence.words, sentence.kinds, strict=True):
            kinds.setdefault(word, set()).add(kind)
    for before, after in perturbed(sentences)["another word"]:
        ((old, new),) = [(a, b) for a, b in zip(before.split(), after.split(), strict=True) if a != b]
        assert kinds[old.strip('.,!?"')] & kinds[new.strip('.,!?"')]


def test_the_texts_are_those_of_the_world():
    found = texts_of(None, 2, 100, 103)
    assert found.whole[0] == story(0, 103).text
    assert [one.text for one in found.sentences] == [
        sentence.text for number in range(2) for sentence in story(number, 103).sentences
    ]


def test_a_sentence_that_cannot_be_changed_so_is_left_out():
    short = Sentence(("I", "am", "it", "."), ("PRON", "AUX", "PRON", "PUNCT"), (True, True, False, False))
    assert set(perturbed([short])) == {"a word left out", "two words swapped"}


def test_states_and_vectors_are_those_of_a_plain_pass(model):
    texts = ["The dog barks.", "Rain falls on the old town."]
    with Predictor(model) as predictor:
        states = text_states(predictor, texts)
        vectors = text_vectors(predictor, texts)
    for number, text in enumerate(texts):
        ids = model.tokenizer.encode(text)
        seen = model.trace(ids)
        layers = [seen["embeddings.out"], seen["encoder.layers.0.out"], seen["hidden"]]
        own = np.stack([layer[0, 1:-1] for layer in layers])
        np.testing.assert_allclose(states.layers[:, states.text == number], own, atol=1e-5)
        np.testing.assert_allclose(vectors[number], own.mean(1), atol=1e-5)


def test_a_text_that_stays_the_same_does_not_move(model):
    same = {"nothing": [("The dog barks.", "The dog barks."), ("Rain falls.", "Rain falls.")]}
    found = measure_representation_stability(model, same)
    np.testing.assert_allclose([one.value for one in found.changes["nothing"]], 1, rtol=1e-6)
    np.testing.assert_allclose(found.way_to_unrelated("nothing"), 0, atol=1e-6)
    assert 0.99 < found.changes["noise of 10%"][0].value < 1
    assert found.unrelated[0].value < 0.95
    with pytest.raises(ValueError, match="at least two different texts"):
        measure_representation_stability(model, {"nothing": same["nothing"][:1]})


def test_noise_of_a_text_does_not_depend_on_its_company(model):
    pairs = [("The dog barks.", "The dog bakrs."), ("Rain falls.", "Rain fell.")]
    some = measure_representation_stability(model, {"typo": pairs})
    more = measure_representation_stability(
        model, {"typo": pairs, "longer": [(pairs[0][0], "The dog barks at the cat in the garden.")]}
    )
    for a, b in zip(some.changes["noise of 10%"], more.changes["noise of 10%"], strict=True):
        assert a.value == pytest.approx(b.value, abs=1e-6)


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_of_the_family_is_examined(member, tokenizer):
    with Subject(small_model(tokenizer, member)) as subject:
        (section,) = exam.examine(subject, None, LITTLE, silent)
        assert exam.seconds(subject, None, LITTLE, Pace(1e4, 1e4, 1e9)) > 0
    told = section.figures["model"]
    depth = subject.model.config.num_layers
    assert len(told["token_diversity"]) == depth + 1
    assert np.shape(told["layer_similarity"]) == (depth + 1, depth + 1)
    entropy = np.array(told["attention_entropy_relative"], float)
    assert entropy.shape == (depth, subject.model.config.num_heads)
    assert ((entropy > 0.5) & (entropy <= 1 + 1e-6)).all()  # weights are random: heads look everywhere
    for table in section.tables:
        assert {row.kind for row in table.rows} == {"model", "baseline"}
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
        assert not any(column.is_share for column in table.columns)  # none of them is an ability
    json.dumps(portable(dict(section.figures)), allow_nan=False)


def test_same_seed_same_figures(model):
    with Subject(model) as subject:
        first, again = (exam.examine(subject, None, LITTLE, silent)[0].figures for _ in range(2))
        other = exam.examine(subject, None, LITTLE.model_copy(update={"seed": 104}), silent)[0].figures
    assert json.dumps(portable(dict(first))) == json.dumps(portable(dict(again)))
    assert first["model"] != other["model"]


def test_pictures_can_be_drawn(model):
    with Subject(model) as subject:
        (section,) = exam.examine(subject, None, LITTLE, silent)
    for picture in section.pictures:
        assert all(axes.get_ylabel() for axes in picture.draw().axes)


TREEBANK = "".join(
    f"# text = The {noun} barks loudly\n"
    + "".join(
        f"{i}\t{word}\t_\t{upos}\t_\t_\t{head}\tdep\t_\t_\n"
        for i, (word, upos, head) in enumerate(
            [("The", "DET", 2), (noun, "NOUN", 3), ("barks", "VERB", 0), ("loudly", "ADV", 3)], 1
        )
    )
    + "\n"
    for noun in ("dog", "fox", "puppy")
)


def test_real_sentences_are_read_where_they_are(model, tmp_path):
    (tmp_path / "ud_ewt").mkdir()
    (tmp_path / "ud_ewt/dev.conllu").write_text(TREEBANK, "utf-8")
    with Subject(model) as subject:
        (section,) = exam.examine(subject, TaskFolder(tmp_path), LITTLE, silent)
        assert section.figures["text"] == "sentences of UD English EWT, dev"
        heads, _ = head_entropies(subject.predictor, ["The dog barks", ""])
    assert np.isfinite(heads[0]).all()
    assert np.isnan(heads[1]).all()  # there is no word in it
