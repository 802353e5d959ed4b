"""Minimal pairs: which files are whose, ties, intervals, the judges beside the model, and agreement by its nouns."""

import json
from itertools import pairwise

import numpy as np
import pytest

from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.world.pairs.attractors import STRUCTURES, attractor_pairs
from mini_bert.data.world.scenes.nominals import spots
from mini_bert.data.world.words.animals import ANIMALS
from mini_bert.data.world.words.people import CROWD, PASSERSBY
from mini_bert.data.world.words.things import CLASS_OF
from mini_bert.evaluation.estimate import mixed, wilson
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic.exam_text import Texts
from mini_bert.evaluation.linguistic import agreement, minimal_pairs
from mini_bert.evaluation.linguistic.contrasts import contrast
from mini_bert.evaluation.linguistic.pair_judges import BIGRAMS, MODEL, SHORTER, TWIN, UNIGRAMS, judged
from mini_bert.evaluation.linguistic.pair_sets import PairSet, pair_sets, some_of, world_pairs
from mini_bert.evaluation.linguistic.phenomena import BLIMP, WORLD, zorro_phenomenon
from mini_bert.evaluation.linguistic.verdicts import Counts, Verdict, mean_accuracy
from mini_bert.evaluation.linguistic.word_counts import WordCounts
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

SENTENCES = ["the man was old .", "the man sleeps .", "the girls were old .", "the girls sleep ."] * 3
PACE = Pace(1e5, 1e4, 1e9)


def subject_with(tokenizer, **settings):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **settings), seed=3)
    model.tokenizer = tokenizer
    return Subject(model)


@pytest.fixture(scope="module")
def subject(tokenizer):
    with subject_with(tokenizer) as made:
        yield made


def write_blimp(folder, name="anaphor_gender_agreement", good="the man was old .", bad="the man were old ."):
    folder.mkdir(exist_ok=True)
    line = json.dumps({"sentence_good": good, "sentence_bad": bad, "UID": name})
    (folder / f"{name}.jsonl").write_text(f"{line}\n", "utf-8")


def test_a_folder_is_known_by_its_files(tmp_path):
    write_blimp(tmp_path / "blimp")
    (tmp_path / "zorro").mkdir()
    (tmp_path / "zorro" / "irregular-verb.txt").write_text("he chosen it .\nhe chose it .\n", "utf-8")
    (tmp_path / "marvin_linzen").mkdir()
    (tmp_path / "marvin_linzen" / "simple_agrmt.tsv").write_text("sing_MS_MV\ta b\ta c\n", "utf-8")
    (tmp_path / "wordsim").mkdir()
    (tmp_path / "wordsim" / "men.txt").write_text("sun moon 3\n", "utf-8")
    assert [one.name for one in pair_sets(tmp_path)] == ["BLiMP", "Zorro", "Marvin & Linzen"]
    [zorro] = pair_sets(tmp_path / "zorro")
    assert zorro.paradigms["irregular-verb"] == [
        MinimalPair("he chose it .", "he chosen it .", "irregular-verb")
    ]


def test_what_is_no_folder_of_pairs_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no minimal pairs in this folder; it should hold BLiMP"):
        pair_sets(tmp_path)
    with pytest.raises(ValueError, match="no such folder"):
        pair_sets(tmp_path / "nowhere")
    (tmp_path / "odd.txt").write_text("the same .\nthe same .\n", "utf-8")
    with pytest.raises(ValueError, match=r"paradigm odd: the good sentence is the bad one too: 'the same \."):
        pair_sets(tmp_path)


def test_phenomena_are_those_of_the_papers():
    assert len(BLIMP) == 67
    assert len(set(BLIMP.values())) == 12
    assert zorro_phenomenon("filler-gap-wh_question_object") == "filler-gap"
    assert WORLD.keys() == world_pairs(1, 0).paradigms.keys()


def test_a_tie_counts_half():
    verdict = Verdict.of([1.0, 2.0, 3.0, 0.0], [0.0, 2.0, 4.0, -1.0])
    assert verdict == Verdict(2, 1, 4)
    assert verdict.accuracy.value == 0.625
    assert Verdict(0, 10, 10).accuracy.value == 0.5
    low, high = Verdict(9, 0, 10).accuracy[1:]
    assert (low, high) == (pytest.approx(0.59585, abs=1e-5), pytest.approx(0.98212, abs=1e-5))


def test_the_mean_weighs_paradigms_alike_and_one_alone_keeps_its_interval():
    assert mean_accuracy([Verdict(1, 0, 1), Verdict(0, 0, 99)]).value == 0.5
    assert mean_accuracy([Verdict(9, 0, 10)]) == pytest.approx(Verdict(9, 0, 10).accuracy)
    many = mean_accuracy([Verdict(50, 0, 100)] * 4)
    assert many.high - many.low == pytest.approx(0.19 / 2, abs=0.01)


def test_pairs_that_differ_in_the_same_words_are_worth_one():
    good, bad = np.repeat([1.0, 0.0], 500), np.repeat([0.0, 1.0], 500)
    verdict = Verdict.of(good, bad, ["laughs"] * 500 + ["swims"] * 500)
    assert verdict.accuracy == pytest.approx(wilson(0.5, 1))
    assert verdict.contrasts == 2


@pytest.mark.parametrize("right", [[0.5, 1.0], [1.0, 1.0], [0.0, 0.0], [0.7]])
def test_the_mean_of_paradigms_is_surer_if_they_have_words_of_their_own_only(right):
    good = np.concatenate([np.arange(100) < 100 * share for share in right])
    words = np.repeat(range(len(right)), 100).tolist()
    verdict = Verdict.of(good, np.full(len(good), 0.5), words)
    assert mean_accuracy([verdict] * 4) == pytest.approx(verdict.accuracy)
    others = [Verdict.of(good, np.full(len(good), 0.5), [(k, word) for word in words]) for k in range(4)]
    assert mean_accuracy(others) == pytest.approx(mixed([verdict.accuracy] * 4, [0.25] * 4))


def test_paradigms_that_err_in_opposite_words_do_not_make_up_for_each_other():
    good, words = np.repeat([1.0, 0.0], 50), np.repeat(["laughs", "swims"], 50).tolist()
    two = [Verdict.of(good, np.full(100, 0.5), words), Verdict.of(1 - good, np.full(100, 0.5), words)]
    assert mean_accuracy(two) == pytest.approx(mixed([one.accuracy for one in two], [0.5, 0.5]))


def test_a_paradigm_with_all_right_is_not_taken_for_certain():
    words = list(range(8)) * 25
    sure = Verdict.of(np.ones(200), np.zeros(200), words)
    half = Verdict.of(np.arange(200) % 2, np.full(200, 0.5), words)
    found = mean_accuracy([sure, sure, half])
    below = np.hypot(2 * (1 - wilson(1.0, 8).low), half.accuracy.value - half.accuracy.low) / 3
    assert found.value - found.low == pytest.approx(below)
    assert found.value < found.high < 1


def test_the_mean_of_paradigms_with_common_words_covers_what_judges_would_reach():
    rng, words = np.random.default_rng(0), np.repeat(range(8), 25)
    covered = covered_if_independent = 0
    for _ in range(200):
        likes = rng.normal(0.0, 1.0, 8)[words]
        verdicts = [
            Verdict.of(likes + rng.normal(0.0, 1.0, 200), np.zeros(200), words.tolist()) for _ in range(4)
        ]
        found = mean_accuracy(verdicts)
        plain = mixed([verdict.accuracy for verdict in verdicts], [0.25] * 4)
        covered += found.low <= 0.5 <= found.high
        covered_if_independent += plain.low <= 0.5 <= plain.high
    assert covered / 200 > 0.9
    assert covered_if_independent / 200 < 0.8


def test_pairs_that_differ_in_words_of_their_own_are_independent():
    good = np.arange(1000) % 5 > 0
    each, none = Verdict.of(good, 0.5 * np.ones(1000), range(1000)), Verdict.of(good, 0.5 * np.ones(1000))
    assert none.accuracy == wilson(0.8, 1000)
    assert each.accuracy == pytest.approx(none.accuracy, rel=1e-3)
    assert each.accuracy.value == none.accuracy.value
    assert each.contrasts == none.contrasts == 1000


def test_few_contrasts_that_happen_to_agree_are_worth_less_than_their_pairs():
    good = np.arange(1000) % 5 > 0
    few = Verdict.of(good, 0.5 * np.ones(1000), np.repeat(range(4), 250).tolist()).accuracy
    assert few.value == 0.8
    assert few == pytest.approx(wilson(0.8, 1000 * (1.95996 / 3.18245) ** 2), rel=1e-4)


@pytest.mark.parametrize("right", [0.0, 0.7, 1.0])
def test_of_a_single_contrast_all_pairs_are_worth_one(right):
    good = np.arange(10) < 10 * right
    verdict = Verdict.of(good, 0.5 * np.ones(10), ["laughs"] * 10)
    assert verdict.accuracy == pytest.approx(wilson(right, 1))


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_where_all_or_none_are_right_a_contrast_is_worth_one(right):
    verdict = Verdict.of(np.full(40, right), np.full(40, 0.5), np.repeat(range(8), 5).tolist())
    assert verdict.accuracy == pytest.approx(wilson(right, 8))


def test_intervals_cover_what_judges_of_few_words_would_reach():
    rng, contrasts = np.random.default_rng(0), np.repeat(range(6), 50).tolist()
    covered = 0
    for _ in range(300):
        likes = np.repeat(
            rng.normal(0.0, 1.0, 6), 50
        )  # one of the two words more than the other, wherever they stand
        found = Verdict.of(likes + rng.normal(0.0, 1.0, 300), np.zeros(300), contrasts).accuracy
        covered += found.low <= 0.5 <= found.high
    assert covered / 300 > 0.9


@pytest.mark.parametrize(
    ("good", "bad", "expected"),
    [
        ("The man was old.", "The man were old.", (("was",), ("were",))),
        ("no girl saw fewer than two", "no girl saw at most two", (("fewer", "than"), ("at", "most"))),
        ("He had changed.", "He had fallen asleep.", (("changed",), ("asleep", "fallen"))),
        ("the man that ran ran", "the man that ran", (("ran",), ())),
        ("I saw the cup that he took .", "I saw what he took the cup .", (("that",), ("what",))),
        ("Whom did he see?", "He did whom see?", (("whom", "he"), ("he", "whom"))),
        ("The man read it.", "the man read it?", ((), ())),
    ],
)
def test_a_contrast_is_the_words_of_one_sentence_or_else_those_that_moved(good, bad, expected):
    assert contrast(good, bad) == expected


def test_a_paradigm_of_one_contrast_has_the_interval_of_one_answer(subject):
    nouns = ("man", "girl", "boy", "dog")
    pairs = PairSet(
        "some",
        {"was": [MinimalPair(f"the {noun} was .", f"the {noun} were .", "was") for noun in nouns]},
        str,
    )
    settings = minimal_pairs.Settings(twin_pairs=2, counted_stories=5)
    [section] = minimal_pairs.sections(subject, [pairs], "some text", Texts("", SENTENCES), settings)
    told = section.figures["paradigms"]["was"]
    assert (told["pairs"], told["contrasts"]) == (4, 1)
    assert told["high"] - told["low"] > 0.7


def test_words_and_word_pairs_are_counted(tokenizer):
    counts = WordCounts.of(Texts("", ["the man", "the old man"]), tokenizer)
    the, man, old = (tokenizer.token_to_id[word] for word in ("the", "man", "old"))
    V, total = tokenizer.vocab_size, 5 + 3 + tokenizer.vocab_size + 1  # words, edges, one more of each
    p = {the: 3 / total, man: 3 / total, old: 2 / total, V: 4 / total}
    assert counts.unigram([[the, man], [old]]) == pytest.approx(
        [np.log(p[the]) + np.log(p[man]), np.log(p[old])]
    )
    a = 30.0
    expected = [
        (2 + a * p[the]) / (3 + a),  # both sentences begin so; the text has three edges
        (1 + a * p[man]) / (2 + a),
        (2 + a * p[V]) / (2 + a),
    ]
    assert counts.bigram([[the, man]]) == pytest.approx([np.log(expected).sum()])
    assert counts.bigram([[man], [the, man]])[1] == counts.bigram([[the, man]])[0]


def test_judges_see_the_same_pairs(subject, tokenizer):
    pairs = PairSet(
        "some",
        {
            "agreement": [MinimalPair("the man was old .", "the man were old .", "agreement")],
            "unknown": [MinimalPair("the ☃ was old .", "the ☂ was old .", "unknown")],
            "length": [MinimalPair("the man .", "the man was old .", "length")],
        },
        str,
    )
    found = judged(subject, pairs, WordCounts.of(Texts("", SENTENCES), tokenizer), twin_pairs=1)
    assert list(found.by_judge) == [MODEL, BIGRAMS, UNIGRAMS, SHORTER, TWIN]

    def told(paradigm, better, ties):
        [pair] = pairs.paradigms[paradigm]
        return Verdict(better, ties, 1, {contrast(pair.good, pair.bad): Counts(better, ties, 1)})

    assert all(verdicts["unknown"] == told("unknown", 0, 1) for verdicts in found.by_judge.values())
    assert found.alike == 1
    assert found.by_judge[BIGRAMS]["agreement"] == told("agreement", 1, 0)
    assert found.by_judge[SHORTER] == {
        "agreement": told("agreement", 0, 1),
        "unknown": told("unknown", 0, 1),
        "length": told("length", 1, 0),
    }


def test_the_twin_may_be_left_out(subject, tokenizer):
    pairs = some_of(world_pairs(3, 103), 2, 0)
    assert {len(members) for members in pairs.paradigms.values()} == {2}
    assert TWIN not in judged(subject, pairs, WordCounts.of(Texts("", SENTENCES), tokenizer), 0).by_judge


def test_the_exam_is_the_same_twice_and_has_its_baselines(subject):
    settings = minimal_pairs.Settings(world_pairs=2, twin_pairs=1, counted_stories=5)
    [first] = minimal_pairs.examine(subject, None, settings)
    [second] = minimal_pairs.examine(subject, None, settings)
    assert first.figures == second.figures
    assert first.figures["intervals_over"] == "words that differ"
    assert "intervals are over words that differ" in first.tables[0].note
    assert len(first.figures["paradigms"]) == 32
    assert set(first.figures["baselines"]) == {BIGRAMS, UNIGRAMS, SHORTER, TWIN}
    mean = np.mean([one["accuracy"] for one in first.figures["paradigms"].values()])
    assert first.figures["accuracy"] == pytest.approx(mean)
    assert minimal_pairs.seconds(subject, None, settings, PACE) > 0


def test_several_sets_are_told_together(subject, tmp_path):
    write_blimp(tmp_path / "blimp")
    (tmp_path / "zorro").mkdir()
    (tmp_path / "zorro" / "irregular-verb.txt").write_text("he chosen it .\nhe chose it .\n", "utf-8")
    settings = minimal_pairs.Settings(twin_pairs=0, counted_stories=5)
    found = minimal_pairs.joined_figures(minimal_pairs.examine(subject, TaskFolder(tmp_path), settings))
    assert set(found["paradigms"]) == {"anaphor_gender_agreement", "irregular-verb"}
    assert set(found["sets"]) == {"BLiMP", "Zorro"}
    for told in ("scored_by", "intervals_over"):
        assert found[told] == found["sets"]["Zorro"][told]


def test_a_folder_without_pairs_does_not_apply(subject, tmp_path):
    (tmp_path / "cola").mkdir()
    for module in (minimal_pairs, agreement):
        for ask in (
            lambda module=module: module.examine(subject, TaskFolder(tmp_path), module.Settings()),
            lambda module=module: module.seconds(subject, TaskFolder(tmp_path), module.Settings(), PACE),
        ):
            with pytest.raises(DoesNotApply, match="marvin_linzen"):
                ask()


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("same", [True, False])
def test_attractors_have_the_number_they_are_said_to_have(structure, same):
    places = [where for kind in ("person", "animal", "tool") for _, where in spots(kind)]
    nouns_of_all = [*CLASS_OF, *CROWD, *PASSERSBY, *places, *(animal.noun for animal in ANIMALS)]
    plural_of = {noun.one.form: False for noun in nouns_of_all} | {
        noun.many.form: True for noun in nouns_of_all
    }
    for pair in attractor_pairs(structure, same, 100):
        words, wrong = pair.good[:-1].split(), pair.bad[:-1].split()
        differing = [place for place, word in enumerate(words) if word != wrong[place]]
        assert len(differing) == 1
        nouns = [word for article, word in pairwise(words[: differing[0]]) if article in ("The", "the")]
        numbers = [plural_of[noun] for noun in nouns]
        assert all((number == numbers[0]) == same for number in numbers[1:])
        assert (len(nouns) == 1) == (structure == "no noun between")


@pytest.mark.parametrize(
    ("paradigm", "case", "expected"),
    [
        ("subj_rel", "sing_MS_EV_MV_plur_ES", ("other number", 0.0)),
        ("prep_inanim", "plur_IS_IV_plur_ES", ("same number", 1.0)),
        ("sent_comp", "plur_MS_MV_sing_BS", ("none", 1.0)),
        ("long_vp_coord", "sing_MS_LMV_LMV", ("none", None)),
    ],
)
def test_cases_tell_what_stands_between(paradigm, case, expected):
    assert agreement.condition_of(MinimalPair("a", "b", paradigm, case)) == expected


def test_agreement_is_told_by_what_stands_between(subject):
    settings = agreement.Settings(max_pairs=3, twin_pairs=1, counted_stories=5)
    [section] = agreement.examine(subject, None, settings)
    between = section.figures["between"]
    assert {name: one["nearest_noun"] for name, one in between.items()} == {
        "none": 1.0,
        "same number": 1.0,
        "other number": 0.0,
    }
    assert len(section.figures["conditions"]) == 9
    assert section.figures["intervals_over"] == "words that differ"
    assert "by pseudo-log-likelihood (each piece hidden with the later pieces of its word)." in section.told


def test_agreement_says_how_a_model_that_reads_onwards_is_asked(tokenizer):
    settings = agreement.Settings(max_pairs=1, twin_pairs=0, counted_stories=5)
    with subject_with(tokenizer, causal=True) as subject:
        [section] = agreement.examine(subject, None, settings)
    assert section.told.endswith("by log-likelihood.")
    assert section.figures["scored_by"] == "log-likelihood"
