"""Similarity and analogies: vectors that were planted are found, spelling alone is not rewarded, coverage is told."""

import numpy as np
import pytest

from mini_bert.data.world import PHENOMENA
from mini_bert.evaluation.abilities import ability_of
from mini_bert.evaluation.estimate import share
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.linguistic import analogies, knowledge, similarity, word_kinds
from mini_bert.evaluation.linguistic.analogy_questions import (
    Questions,
    analogy_words,
    drawn_questions,
    single_and_distinct,
    split_by_pairs,
)
from mini_bert.evaluation.linguistic.correlation import best, halves, spearman_estimate, trigram_overlap
from mini_bert.evaluation.linguistic.word_vectors import mean_in_text, sentences_with, word_vectors
from mini_bert.evaluation.linguistic.world_words import kinds_of_words, relations_of_words
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import silent
from mini_bert.tokenizers import WordPieceTokenizer

PACE = Pace(1e5, 1e4, 1e9)


def model_with(tokenizer):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=3)
    model.tokenizer = tokenizer
    return model


@pytest.fixture(scope="module")
def whole_words():
    """A vocabulary that has every noun of the world, and the words of its analogies, in one piece."""
    words = {word.lower() for word in analogy_words(None)}
    return WordPieceTokenizer(
        [
            "[PAD]",
            "[UNK]",
            "[CLS]",
            "[SEP]",
            "[MASK]",
            "the",
            *sorted(words | set(kinds_of_words()) - {"the"}),
        ]
    )


def test_vectors_are_one_long_around_their_mean(tokenizer):
    words = ["man", "old", "Velmora", "☃"]
    with Subject(model_with(tokenizer)) as subject:
        static, alone, in_text = word_vectors(subject, words, [["the", "man", "was", "old"], ["Man"]])
    assert static.is_known.tolist() == [True, True, True, False]
    assert in_text.is_known.tolist() == [True, True, False, False]
    assert [one.layers.shape for one in (static, alone, in_text)] == [(1, 4, 32), (3, 4, 32), (3, 4, 32)]
    for one in (static, alone, in_text):
        assert np.allclose(np.linalg.norm(one.layers[:, one.is_known], axis=-1), 1, atol=1e-5)
    table = subject.model.token_embeddings
    mean = [table[subject.tokenizer.piece_ids(word)].mean(0) for word in words[:3]]
    centred = np.array(mean) - np.mean(mean, axis=0)
    assert np.allclose(static.layers[0, 0], centred[0] / np.linalg.norm(centred[0]), atol=1e-5)


def test_sentences_are_taken_until_words_have_occurred_often_enough():
    text = [["a", "dog"], ["The", "Dog"], ["dog"], ["cat"]]
    assert sentences_with(["dog", "cat"], text, most=9, occurrences=2) == [text[0], text[1], text[3]]
    assert sentences_with(["dog", "cat"], text, most=1, occurrences=2) == [text[0]]


def test_words_that_differ_in_case_alone_share_their_occurrences(tokenizer):
    with Subject(model_with(tokenizer)) as subject:
        means, counts = mean_in_text(
            subject, ["Tea", "tea"], [("She", "drinks", "tea", "."), ("Tea", "!")], silent
        )
    assert counts.tolist() == [2, 2]
    np.testing.assert_array_equal(means[:, 0], means[:, 1])


def test_words_of_a_kind_that_are_alike_are_found(whole_words):
    model = model_with(whole_words)
    rng = np.random.default_rng(0)
    centres = {kind: rng.normal(size=32) for kind in sorted(set(kinds_of_words().values()))}
    for word, kind in kinds_of_words().items():
        model.token_embeddings[whole_words.token_to_id[word]] = centres[kind] + 0.1 * rng.normal(size=32)
    with Subject(model) as subject:
        section = word_kinds.section(subject, 0, 1, 1, 101)
    found = section.figures["nearest_is_kin"]
    assert found["static"]["value"] == 1.0
    assert found["static"]["area"] > 0.99
    assert found["random weights, static"]["value"] < 0.25 > found["spelling (letter trigrams)"]["value"]
    assert section.figures["chance"] < 0.1


def test_people_s_scores_are_compared_on_the_half_that_was_not_chosen_on(tokenizer, tmp_path):
    (tmp_path / "wordsim").mkdir()
    known = [token for token in tokenizer.id_to_token if token.isalpha() and len(token) > 2][:120]
    pairs = list(zip(known[::2], known[1::2], strict=True))
    model = model_with(tokenizer)
    rng = np.random.default_rng(0)
    table = model.token_embeddings
    lines = []
    for number, (a, b) in enumerate(pairs):
        x, y = rng.normal(size=(2, 32))
        weight = number / len(pairs)
        table[tokenizer.token_to_id[a]] = x
        table[tokenizer.token_to_id[b]] = weight * x + (1 - weight) * y
        lines.append(f"{a}\t{b}\t{number}\n")
    (tmp_path / "wordsim" / "planted.txt").write_text("".join(lines), "utf-8")
    with Subject(model) as subject:
        settings = similarity.Settings(sentences=0, resamples=50)
        [section] = similarity.examine(subject, TaskFolder(tmp_path), settings)
        again = similarity.examine(subject, TaskFolder(tmp_path), settings)[0]
    found = section.figures
    assert (
        found["spearman"]["static"]["value"]
        > 0.85
        > abs(found["spearman"]["random weights, static"]["value"])
    )
    assert found["spearman"]["static"]["pairs"] == 30
    assert found["compared_pairs"] == 60
    assert found == again.figures


def test_each_set_of_pairs_is_told_by_itself_and_one_that_is_too_small_is_left_out(tokenizer, tmp_path):
    known = [token for token in tokenizer.id_to_token if token.isalpha() and len(token) > 2][:80]
    lines = [f"{a}\t{b}\t{n}\n" for n, (a, b) in enumerate(zip(known[::2], known[1::2], strict=True))]
    (tmp_path / "wordsim").mkdir()
    settings = similarity.Settings(sentences=0, resamples=10)
    (tmp_path / "wordsim" / "few.txt").write_text("".join([*lines[:39], "☃\tman\t3\n"]), "utf-8")
    with Subject(model_with(tokenizer)) as subject:
        with pytest.raises(
            DoesNotApply, match="few: of its 40 pairs the model knows the words of 39; 40 are"
        ):
            similarity.examine(subject, TaskFolder(tmp_path), settings)
        for name in ("one", "other"):
            (tmp_path / "wordsim" / f"{name}.txt").write_text("".join(lines), "utf-8")
        sections = similarity.examine(subject, TaskFolder(tmp_path), settings)
    abilities = [ability_of(section) for section in sections]
    assert [one.title for one in abilities] == ["Word similarity: one", "Word similarity: other"]
    assert {one.as_dict()["row"] for one in abilities} == {"static"}
    for section in sections:
        assert "Left out: few: of its 40 pairs" in section.told
        assert section.tables[0].title.startswith("40 of 40 pairs compared")


def test_every_way_to_compare_is_judged_by_the_same_pairs(tokenizer, tmp_path):
    """Some words do not occur in the treebank; where hardly any does, words are not looked for in text."""
    known = [token for token in tokenizer.id_to_token if token.isalpha() and len(token) > 2][:200]
    pairs = list(zip(known[::2], known[1::2], strict=True))
    (tmp_path / "wordsim").mkdir()
    (tmp_path / "wordsim" / "some.txt").write_text(
        "".join(f"{a}\t{b}\t{n % 10}\n" for n, (a, b) in enumerate(pairs)), "utf-8"
    )
    settings = similarity.Settings(resamples=10)
    for occurring, has_text in ((140, True), (20, False)):
        (tmp_path / "ud_ewt").mkdir(exist_ok=True)
        lines = (
            f"{n}\t{word}\t_\tNOUN\t_\t_\t{n - 1}\tdep\t_\t_" for n, word in enumerate(known[:occurring], 1)
        )
        (tmp_path / "ud_ewt" / "train.conllu").write_text("\n".join(lines) + "\n\n", "utf-8")
        with Subject(model_with(tokenizer)) as subject:
            [section] = similarity.examine(subject, TaskFolder(tmp_path), settings)
        found = section.figures
        assert (
            ("in text" in found["spearman"]) == ("random weights, in text" in found["spearman"]) == has_text
        )
        assert found["compared_pairs"] == (70 if has_text else 100)
        assert len({one["pairs"] for one in found["spearman"].values()}) == 1


def test_planted_analogies_are_solved_and_neighbours_alone_do_not_solve_them(whole_words):
    model = model_with(whole_words)
    shift = np.random.default_rng(1).normal(size=32)
    number = whole_words.token_to_id
    for country, capital in relations_of_words()["country: capital"]:
        model.token_embeddings[number[capital.lower()]] = (
            model.token_embeddings[number[country.lower()]] + shift / 5
        )
    words = analogy_words(None)
    with Subject(model) as subject:
        is_choice = single_and_distinct(words, subject)
        questions = drawn_questions(None, words, is_choice, 50, 0)
        static = word_vectors(subject, words)[0].layers[0]
    asked = questions.numbers[np.array(questions.sections) == "country: capital"]
    assert len(asked) == 50
    assert questions.known >= questions.possible > 10_000
    right = {
        name: analogies.right_answers(static, method, is_choice, asked).mean()
        for name, method in analogies.METHODS.items()
    }
    assert right["3CosAdd"] > 0.9
    assert right["nearest to c"] < 0.3


def test_the_two_methods_are_those_of_the_papers():
    a, b, c = np.random.default_rng(0).uniform(-1, 1, size=(3, 4, 9))
    assert np.array_equal(analogies.METHODS["3CosAdd"](a, b, c), b - a + c)
    moved = [(cosines + 1) / 2 for cosines in (a, b, c)]
    expected = moved[1] * moved[2] / (moved[0] + 0.001)
    assert np.allclose(analogies.METHODS["3CosMul"](a, b, c), 2 * expected)


def test_every_question_has_four_words_of_its_section(whole_words):
    words = analogy_words(None)
    with Subject(model_with(whole_words)) as subject:
        questions = drawn_questions(None, words, single_and_distinct(words, subject), 20, 0)
    pairs = {name: {(a, b) for a, b in pairs} for name, pairs in relations_of_words().items()}
    for section, four in zip(questions.sections, questions.numbers, strict=True):
        a, b, c, d = (words[number] for number in four)
        assert len({a, b, c, d}) == 4
        assert {(a, b), (c, d)} <= pairs[section]


def test_no_pair_of_words_both_chooses_and_judges(whole_words):
    words = analogy_words(None)
    with Subject(model_with(whole_words)) as subject:
        questions = drawn_questions(None, words, single_and_distinct(words, subject), 200, 0)
    halves = split_by_pairs(questions, 0)
    pairs = [{tuple(pair) for pair in questions.numbers[half].reshape(-1, 2).tolist()} for half in halves]
    assert min(map(len, halves)) > len(questions.numbers) / 5
    assert not set.intersection(*pairs)
    few = Questions(np.array([[0, 1, 2, 3], [2, 3, 0, 1]]), ["same", "same"], 2, 2)
    with pytest.raises(DoesNotApply, match="2 analogies of too few pairs"):
        split_by_pairs(few, 0)


def test_analogies_of_one_pair_hang_together(whole_words):
    """Vectors that give one answer right, whatever is asked: the interval is as wide as a few pairs deserve."""
    numbers = np.array([(a, a + 1, c, c + 1) for a in range(0, 40, 2) for c in range(0, 40, 2) if a != c])
    questions = Questions(numbers, ["same"] * len(numbers), len(numbers), len(numbers))
    layers = np.zeros((1, 40, 40))
    layers[0] = np.eye(40)
    for pair in range(0, 20, 2):
        layers[0, pair + 1] = layers[0, pair]
    found = analogies.solved(
        "", layers, "nearest to c", "model", np.ones(40, bool), questions, split_by_pairs(questions, 0)
    )
    reported = len(split_by_pairs(questions, 0)[1])
    alone = share(round(found.right.value * reported), reported)
    assert 0 < found.right.value < 1
    assert found.right.high - found.right.low > 2 * (alone.high - alone.low)


def test_the_headline_of_analogies_says_which_vectors_and_which_method():
    found = [
        analogies.Solved("static", method, kind, None, share(right, 10), {})
        for method, kind, right in (
            ("3CosAdd", "model", 6),
            ("3CosMul", "model", 9),
            ("nearest to c", "baseline", 5),
        )
    ]
    told = ability_of(Section("", "", "", (analogies.overall_table(found, 100),), {}))
    assert (told.row, told.score.value) == ("static, 3CosAdd", 0.6)
    assert [rival.name for rival in told.rivals] == ["static, nearest to c", "chance"]


def test_words_in_pieces_are_no_choice(tokenizer):
    with Subject(model_with(tokenizer)) as subject:
        assert single_and_distinct(["man", "Velmora", "Man"], subject).tolist() == [True, False, False]


def test_what_does_not_apply_says_so(tokenizer, tmp_path):
    (tmp_path / "cola").mkdir()
    with Subject(model_with(tokenizer)) as subject:
        for module, name in ((similarity, "wordsim"), (analogies, "analogy")):
            for ask in (module.examine, module.seconds):
                more = (PACE,) if ask is module.seconds else ()
                with pytest.raises(DoesNotApply, match=f"no folder {name}"):
                    ask(subject, TaskFolder(tmp_path), module.Settings(), *more)
            assert module.seconds(subject, None, module.Settings(), PACE) > 0


def test_spearman_of_equal_orders_is_one_and_its_interval_holds_it():
    x = np.arange(50.0)
    value, low, high = spearman_estimate(x, x**3, 100)
    assert value == pytest.approx(1)
    assert low == pytest.approx(1)
    assert high == pytest.approx(1)
    noisy = x + np.random.default_rng(0).normal(size=50) * 40
    value, low, high = spearman_estimate(x, noisy, 200)
    assert low < value < high < 1
    assert spearman_estimate(x, np.zeros(50), 100).value == 0.0


def test_halves_share_nothing_and_the_best_is_a_number():
    one, other = halves(11, 3)
    assert sorted([*one, *other]) == list(range(11))
    assert len(one) == 5
    assert best([float("nan"), 0.1, 0.3]) == 2
    assert trigram_overlap("Cat", "cat") == 1.0


def test_the_guide_s_questions_have_answers(tokenizer, monkeypatch):
    for size in ("PAIRS", "TWIN_PAIRS"):
        monkeypatch.setattr(knowledge, size, 1)
    monkeypatch.setattr(knowledge, "SENTENCES", 60)
    model = model_with(tokenizer)
    syntactic = knowledge.probe_syntactic_knowledge(model)
    assert set(syntactic["minimal_pairs"]["paradigms"]) == set(PHENOMENA)
    assert set(syntactic["agreement"]["between"]) == {"none", "same number", "other number"}
    semantic = knowledge.probe_semantic_knowledge(model)
    assert semantic["similarity"]["chance"] > 0
    assert "larger vocabulary" in semantic["analogies"]["left_out"]
    assert 0 < knowledge.probe_factual_knowledge(model)["majority"] <= 1
