"""Pronouns and their candidates: which there are, how answers are counted, and what rules without a model say."""

import numpy as np
import pytest

from mini_bert.data.tasks.alignment import align
from mini_bert.data.world import story, texts
from mini_bert.evaluation.abilities import ability_of
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.probing.coreference import Exam, Settings, examine, seconds
from mini_bert.evaluation.probing.coreference_cases import (
    Case,
    Cases,
    Mention,
    Window,
    cases_of,
    if_all,
    is_known,
    known_candidates,
    windows_of,
    world_windows,
)
from mini_bert.evaluation.probing.coreference_findings import (
    Run,
    best_layer,
    chance,
    first,
    groups_of,
    nearest,
    nearest_of_gender,
    share,
)
from mini_bert.evaluation.probing.coreference_section import RULE
from mini_bert.evaluation.probing.description_length import CodeLength
from mini_bert.evaluation.subject import Subject
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import silent
from mini_bert.tokenizers import WordPieceTokenizer


def mention(word, sentence, text, referent, gender, is_pronoun=False):
    return Mention(word, sentence, text, is_pronoun, referent, gender)


PERCY, AMY = mention(0, 0, "percy", 0, "he"), mention(3, 0, "amy", 1, "she")
SHE, HE = mention(5, 1, "she", 1, "she", True), mention(9, 2, "him", 0, "he", True)
ERIC = mention(7, 2, "eric", 2, "he")


def anything(case):
    return case


def test_cases_by_hand():
    found = list(cases_of([PERCY, AMY, SHE, ERIC, HE]))
    assert found == [Case(SHE, (PERCY, AMY)), Case(HE, (PERCY, AMY, ERIC))]
    assert [case.right for case in found] == [[False, True], [True, False, False]]
    assert [case.sentences_back for case in found] == [1, 2]
    assert [case.has_rival for case in found] == [False, True]
    assert not list(cases_of([PERCY, HE])), "all candidates are right: nothing to choose"
    assert not list(cases_of([AMY, HE])), "none is right"
    assert not list(cases_of([PERCY, AMY, mention(5, 1, "i", 0, "he", True)])), (
        "the first person names nobody"
    )


def test_rules_by_hand():
    cases = list(cases_of([PERCY, AMY, SHE, ERIC, HE]))
    np.testing.assert_array_equal(nearest(cases), [True, False])
    np.testing.assert_array_equal(first(cases), [False, True])
    np.testing.assert_array_equal(nearest_of_gender(cases), [True, False])
    assert chance(cases) == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert {name: group.tolist() for name, group in groups_of(cases).items()} == {
        "same sentence": [False, False],
        "one sentence before": [True, False],
        "further back": [False, True],
        "a rival of the same gender": [False, True],
    }


def made_cases():
    cases = tuple(cases_of([PERCY, AMY, SHE, ERIC, HE]))
    windows = [Window(("w",) * 10, cases, 4), Window(("w",) * 10, cases[:1], 5)]
    return Cases.of(windows, 100, anything)


def test_pairs_point_at_words_of_all_windows():
    found = made_cases()
    np.testing.assert_array_equal(
        found.pairs, [[105, 100], [105, 103], [109, 100], [109, 103], [109, 107], [115, 110], [115, 113]]
    )
    np.testing.assert_array_equal(found.labels, [0, 1, 1, 0, 0, 0, 1])
    np.testing.assert_array_equal(found.starts, [0, 2, 5])
    np.testing.assert_array_equal(found.stories, [4, 4, 5])


def test_highest_score_answers_and_equals_share():
    found = made_cases()
    np.testing.assert_array_equal(found.hits(np.array([0.0, 1, 5, 4, 4, 2, 1])), [1, 1, 0])
    np.testing.assert_allclose(found.hits(np.zeros(7)), [1 / 2, 1 / 3, 1 / 2])
    assert share(found, found.hits(np.zeros(7))).value == pytest.approx(chance(found.cases))
    only_last = share(found, found.hits(np.array([0.0, 1, 5, 4, 4, 2, 1])), np.array([False, False, True]))
    assert only_last.value == 0


def test_words_are_known_or_new_for_good():
    words = [f"name{i}" for i in range(400)]
    known = [is_known(word, 0) for word in words]
    assert known == [is_known(word, 0) for word in words]
    assert 0.4 < np.mean(known) < 0.6
    assert known != [is_known(word, 1) for word in words]


def test_probes_learn_from_known_and_are_asked_about_new_words(subject):
    exam = Exam.of(subject, Settings(stories=120))
    texts_of = {
        name: {candidate.text for case in cases.cases for candidate in case.candidates}
        for name, cases in exam.cases.items()
    }
    assert all(texts_of.values())
    for trained in ("train", "dev", "known"):
        assert not texts_of[trained] & texts_of["new"]
    assert not texts_of["train"] & texts_of["dev_new"]


def test_choices_by_hand():
    seed = next(s for s in range(100) if is_known("percy", s) and not is_known("amy", s))
    case = Case(SHE, (PERCY, AMY))
    assert known_candidates(case, seed) == Case(SHE, (PERCY,))
    assert if_all(case, True, seed) is None
    assert if_all(case, False, seed) is None
    assert known_candidates(Case(SHE, (AMY,)), seed) is None
    assert if_all(Case(HE, (PERCY,)), True, seed) == Case(HE, (PERCY,))


def test_windows_go_through_the_model_together(subject):
    for number in range(8):
        told = story(number, 103)
        windows = list(windows_of(told, number, subject.tokenizer, 48))
        words = [token.text for sentence in told.sentences for token in sentence.tokens]
        assert [word for window in windows for word in window.words] == words
        assert all(len(align(window.words, subject.tokenizer)) <= 48 for window in windows)


def test_gold_pronouns_point_where_they_stand(subject):
    for window in world_windows(103, 40, subject.tokenizer, 64):
        for case in window.cases:
            assert window.words[case.pronoun.word].lower() == case.pronoun.text
            assert all(window.words[c.word].lower() == c.text for c in case.candidates)
            assert all(c.word < case.pronoun.word for c in case.candidates)


def test_control_labels_go_by_word_types_and_are_as_many_as_the_true_ones(subject):
    exam = Exam.of(subject, Settings(stories=200, seeds=3))
    by_type = {}
    for name, cases in exam.cases.items():
        texts_of = [candidate.text for case in cases.cases for candidate in case.candidates]
        for text, label in zip(texts_of, exam.control[0][name].tolist(), strict=True):
            assert by_type.setdefault(text, label) == label
    share_of_true = exam.cases["train"].labels.mean()
    for of_seed in exam.control:
        assert of_seed["train"].mean() == pytest.approx(share_of_true, abs=0.05)
    assert (exam.control[0]["train"] != exam.control[1]["train"]).any()


def test_the_rule_that_knows_genders_is_no_rival(subject, short_training):
    (found,) = examine(subject, None, SMALL, silent)
    kinds = {row.cells[0]: row.kind for row in found.tables[0].rows}
    assert kinds[RULE] == "reference"
    assert RULE not in {rival.name for rival in ability_of(found).rivals}
    assert found.tables[1].rows[-1].cells[:2] == ("most frequent answer", found.figures["pair_most_frequent"])


def run(on_dev, on_test):
    hits = {"dev_new": np.array([on_dev]), "new": np.array([on_test]), "known": np.array([0.0])}
    return Run({"linear": hits, "mlp": hits}, np.zeros(1), np.zeros(1), [])


def test_layer_is_chosen_on_dev_not_on_test():
    assert best_layer([[run(0.2, 0.9)], [run(0.7, 0.1)], [run(0.6, 1.0)]]) == 1


@pytest.fixture
def short_training(monkeypatch):
    monkeypatch.setattr("mini_bert.evaluation.probing.classifier.FEWEST_STEPS", 30)


@pytest.fixture(scope="module")
def subject():
    tokenizer = WordPieceTokenizer.train(list(texts(100)), 1500)
    config = ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, max_seq_length=64)
    model = MiniBERT(config, seed=3)
    model.tokenizer = tokenizer
    with Subject(model) as made:
        yield made


SMALL = Settings(seeds=1, mdl=False, stories=40)


def test_exam(subject, short_training):
    (found,) = examine(subject, None, SMALL, silent)
    (again,) = examine(subject, None, SMALL, silent)
    assert found.figures == again.figures
    layers = subject.model.config.num_layers + 1
    assert len(found.figures["layers"]) == len(found.figures["random_model_layers"]) == layers
    assert found.figures["accuracy"] == found.figures["layers"][found.figures["layer"]]["accuracy"]
    assert found.figures["selectivity"] == found.figures["pair_accuracy"] - found.figures["control"]
    assert "mdl" not in found.figures
    for table in found.tables:
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
    assert [picture.draw().axes for picture in found.pictures]


def planted(exam, seed=0):
    """Vectors that carry the referent itself, the same for each word that speaks of it; the rest is noise."""
    rng = np.random.default_rng(seed)
    words = sum(map(len, exam.passages))
    vectors = rng.normal(size=(words, 12)).astype(np.float32)
    for cases in exam.cases.values():
        place = 0
        for case, story_number in zip(cases.cases, cases.stories, strict=True):
            for candidate in case.candidates:
                pronoun_at, candidate_at = cases.pairs[place]
                for at, who in ((pronoun_at, case.pronoun), (candidate_at, candidate)):
                    sign = np.random.default_rng([int(story_number), who.referent]).choice([-1.0, 1.0], 8)
                    vectors[at, :8] = sign
                place += 1
    return vectors


def test_planted_referents_are_found_even_of_new_words(subject, monkeypatch):
    monkeypatch.setattr("mini_bert.evaluation.probing.classifier.FEWEST_STEPS", 300)
    exam = Exam.of(subject, Settings(seeds=1, mdl=False, stories=80))
    found = exam.run(planted(exam), 0, True)
    assert found.hits["linear"]["new"].mean() > 0.95
    noise = np.random.default_rng(1).normal(size=planted(exam).shape).astype(np.float32)
    lost = exam.run(noise, 0, True)
    assert lost.hits["linear"]["new"].mean() < 0.7


def test_mdl_is_told_when_asked_for(subject, short_training, monkeypatch):
    asked = []

    def code(vectors, places, labels, *what):
        asked.append(len(labels))
        return CodeLength(500.0, float(len(labels)))

    monkeypatch.setattr("mini_bert.evaluation.probing.coreference.online_code", code)
    (found,) = examine(subject, None, Settings(seeds=2, mdl=True, stories=30), silent)
    assert found.figures["mdl"] == {"kilobits": 0.5, "compression": asked[0] / 500}
    assert found.tables[1].columns[-1].name == "compression of control"
    layers = subject.model.config.num_layers + 1
    assert len(asked) == layers * 2 * 3, "true labels and control: of the first seed, and of two twins"


def test_model_that_reads_too_little_at_once(subject, monkeypatch):
    monkeypatch.setattr("mini_bert.evaluation.probing.coreference.world_windows", lambda *what: [])
    with pytest.raises(DoesNotApply, match="max_seq_length"):
        examine(subject, None, SMALL, silent)


def test_seconds_grow_with_the_work(subject):
    pace = Pace(1e5, 1e4, 1e9)
    quick, full = (seconds(subject, None, Settings(seeds=n, mdl=n > 1), pace) for n in (1, 3))
    assert 0 < quick < full
