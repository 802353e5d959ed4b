"""Intrinsic exams: what is hidden, how answers are judged, and what counting may know."""

from math import log

import numpy as np
import pytest

from mini_bert.core.functions.softmax import softmax
from mini_bert.data.sources import TextSource
from mini_bert.data.world import story
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic import exam
from mini_bert.evaluation.intrinsic.answers import Answers, judged
from mini_bert.evaluation.intrinsic.calibration import error_estimate
from mini_bert.evaluation.intrinsic.counted_words import by_counts
from mini_bert.evaluation.intrinsic.exam_text import (
    ExamText,
    Texts,
    file_text,
    tagged_paragraphs,
    text_behind,
    world_text,
)
from mini_bert.evaluation.intrinsic.metrics import compute_gradient_norm, compute_perplexity, masked_accuracy
from mini_bert.evaluation.intrinsic.questions import answers_of, questions_for
from mini_bert.evaluation.intrinsic.temperature import best_temperature
from mini_bert.evaluation.intrinsic.word_groups import LATER, WHOLE, by_part_of_speech, by_piece
from mini_bert.evaluation.subject import Subject
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers import WordPieceTokenizer
from mini_bert.tokenizers.special import MASK_ID
from mini_bert.training.clipping import global_norm
from mini_bert.training.masking import masked_words
from mini_bert.training.run_folder import RunFolder

ROWS = 40
SETTINGS = exam.Settings(rows=ROWS, sentences=8)


@pytest.fixture(scope="module")
def text():
    return world_text(stories=60, counted_stories=120)


def model_of(tokenizer, preset="debug", seed=0, **settings):
    config = ModelConfig.preset(preset, vocab_size=tokenizer.vocab_size, max_seq_length=32, **settings)
    model = MiniBERT(config, seed=seed)
    model.tokenizer = tokenizer
    return model


@pytest.fixture(scope="module")
def subject(tokenizer):
    with Subject(model_of(tokenizer)) as made:
        yield made


@pytest.fixture(scope="module")
def questions(subject, text):
    return questions_for(subject, text, ROWS, seed=0)


@pytest.fixture(scope="module")
def sections(subject, text):
    return {section.name: section for section in exam.examine_on(subject, text, SETTINGS)}


class TestQuestions:
    def test_exactly_the_selected_tokens_are_masked_and_all_behind_the_mask(self, questions):
        batch, true = questions.batch, questions.true_text
        k = masked_words(32)
        assert k == 5
        assert batch.ids.shape == (ROWS, 32)
        hidden = batch.ids == MASK_ID
        assert (hidden.sum(1) == k).all()
        assert (batch.ids[~hidden] == true[~hidden]).all()
        assert (true[hidden] == batch.labels.ravel()).all()
        assert len(questions) == ROWS * k

    def test_the_same_seed_hides_the_same_words_and_another_one_others(self, subject, text, questions):
        again = questions_for(subject, text, ROWS, seed=0)
        assert (again.batch.ids == questions.batch.ids).all()
        assert (questions_for(subject, text, ROWS, seed=1).batch.ids != questions.batch.ids).any()

    def test_they_do_not_depend_on_the_weights(self, tokenizer, text, questions):
        with Subject(model_of(tokenizer, seed=7)) as other:
            assert (questions_for(other, text, ROWS, 0).batch.ids == questions.batch.ids).all()

    def test_every_word_has_its_place_and_its_neighbours(self, questions):
        true, row, place = questions.true_text, questions.row, questions.place
        assert (true[row, place] == questions.labels).all()
        left, right = questions.neighbours
        assert (left == questions.batch.ids[row, place - 1]).all()
        assert (right == questions.batch.ids[row, place + 1]).all()

    def test_a_causal_model_is_asked_for_each_next_word(self, tokenizer, text):
        with Subject(model_of(tokenizer, "gpt2-mini", hidden_size=16, num_layers=1, num_heads=2)) as subject:
            found = questions_for(subject, text, 4, seed=0)
            assert (found.true_text[found.row, found.place] == found.labels).all()
            assert (found.neighbours[0] == found.true_text[found.row, found.place - 1]).all()
            assert not np.isin(found.labels, tokenizer.special_ids).any()
            section = exam.examine_on(subject, text, exam.Settings(rows=32, sentences=2))[0]
        assert section.title == "Next words"
        assert section.figures["rows"] == 4

    def test_a_model_of_two_streams_does_not_see_what_is_asked_for(self, tokenizer, text):
        with Subject(model_of(tokenizer, "xlnet-mini", hidden_size=16, num_layers=1, num_heads=2)) as subject:
            found = questions_for(subject, text, 4, seed=0)
            shown = answers_of(subject, found)
            found.batch.ids[found.row, found.place] = found.labels  # the masks are gone
            assert np.allclose(answers_of(subject, found).log_prob, shown.log_prob)

    def test_answers_are_those_of_the_forward_pass(self, subject, questions):
        logits, _ = subject.model.forward(questions.batch.ids)
        expected = judged(logits[questions.row, questions.place], questions.labels)
        found = answers_of(subject, questions)
        assert np.allclose(found.log_prob, expected.log_prob, rtol=1e-4)
        assert (found.rank == expected.rank).all()

    @pytest.mark.parametrize(
        ("settings", "reason"),
        [({"head": "classes"}, "a class of the whole text"), ({"head": "none"}, "hidden states only")],
    )
    def test_a_model_without_words_is_refused(self, tokenizer, text, settings, reason):
        with (
            Subject(model_of(tokenizer, **settings)) as subject,
            pytest.raises(DoesNotApply, match=reason),
        ):
            exam.examine_on(subject, text, SETTINGS)

    def test_too_little_text_is_refused(self, subject):
        with pytest.raises(ValueError, match=r"few: 3 tokens, and the exam needs 2 rows of 30"):
            questions_for(subject, ExamText("few", Texts("few", ["the dog ."])), ROWS, 0)

    def test_text_that_was_learned_from_says_so(self, tokenizer, tmp_path):
        for name in ("learned", "held_out"):
            (tmp_path / f"{name}.txt").write_text("the dog .", "utf-8")
        run = RunFolder(tmp_path / "run")
        run.create({"corpus": [str(tmp_path / "run" / ".." / "learned.txt")]})
        model = model_of(tokenizer)
        model.folder = run.checkpoints / "best"
        learned, held_out = (file_text(tmp_path / f"{name}.txt", model) for name in ("learned", "held_out"))
        assert learned.note.startswith("The model has learned from this very text")
        assert held_out.counted is not None
        assert held_out.note == ""

    @pytest.mark.parametrize(
        ("corpus", "is_there"), [("learned.txt", True), ("gone.txt", False), ("-", False)]
    )
    def test_whether_the_text_behind_a_model_is_there_is_known_without_reading_it(
        self, tokenizer, tmp_path, monkeypatch, corpus, is_there
    ):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(TextSource, "fingerprint", None)
        (tmp_path / "learned.txt").write_text("the dog .", "utf-8")
        run = RunFolder(tmp_path / "run")
        run.create({"corpus": [corpus]})
        model = model_of(tokenizer)
        model.folder = run.checkpoints / "best"
        assert (text_behind(model) is not None) == is_there


class TestJudging:
    def test_ranks_are_places_in_the_order_of_logits_and_the_lower_id_comes_first(self):
        logits = np.array([[1.0, 3.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
        for label in range(4):
            order = np.argsort(-logits, axis=1, kind="stable")
            found = judged(logits, np.full(2, label))
            assert found.rank.tolist() == [1 + row.tolist().index(label) for row in order]
            assert np.allclose(np.exp(found.log_prob), softmax(logits)[:, label])
        assert np.allclose(found.confidence, softmax(logits).max(1))
        assert (judged(logits, logits.argmax(1)).right).all()

    def test_what_is_no_number_is_refused_and_what_is_impossible_is_not(self):
        logits = np.array([[[0.0, -np.inf, 1.0], [np.nan, np.nan, np.nan]]])
        assert masked_accuracy(logits, [[2, 0]], [[1, 0]]) == 1
        with pytest.raises(ValueError, match="logits: some are NaN"):
            masked_accuracy(logits, [[2, 0]], [[1, 1]])

    def test_a_model_that_always_says_one_word(self, tokenizer, text):
        model, word = model_of(tokenizer, seed=None), tokenizer.token_to_id["the"]
        model.params["head.decoder.bias"][word] = 3.0
        V = tokenizer.vocab_size
        confidence = np.exp(3) / (np.exp(3) + V - 1)
        with Subject(model) as subject:
            asked = questions_for(subject, text, ROWS, 0)
            found = {section.name: section.figures for section in exam.examine_on(subject, text, SETTINGS)}
        expected = (asked.labels == word).mean()
        figures = found["hidden-words"]
        assert figures["masked_accuracy"] == pytest.approx(expected)
        loss = log(np.exp(3) + V - 1) - 3 * expected
        assert figures["loss"] == pytest.approx(loss, rel=1e-5)
        assert figures["perplexity"] == pytest.approx(np.exp(loss), rel=1e-5)
        calibration = found["calibration"]
        assert calibration["calibration_error"] == pytest.approx(abs(confidence - expected), rel=1e-4)
        p = confidence
        brier = expected * (1 - p) ** 2 + (1 - expected) * p**2
        assert calibration["brier_of_first_guess"] == pytest.approx(brier, rel=1e-4)

    def test_the_best_temperature_undoes_what_was_done(self):
        rng = np.random.default_rng(0)
        logits = rng.normal(size=(4000, 12)) * 2
        words = (softmax(logits).cumsum(1) > rng.random((4000, 1))).argmax(1)
        heat = best_temperature(3 * logits, words)
        assert heat == pytest.approx(3, rel=0.1)

        def loss(temperature):
            return -judged(3 * logits / temperature, words).log_prob.mean()

        assert loss(heat) < min(loss(1.02 * heat), loss(heat / 1.02))


def test_the_interval_of_a_calibration_error_covers_what_it_would_be_without_chance():
    """Guesses 5 points too sure. The middle of the draws, which have chance in them twice, hardly ever holds that."""
    rng, covered, row = np.random.default_rng(0), 0, np.repeat(np.arange(60), 5)
    for seed in range(60):
        confidence = rng.uniform(0.2, 1, 300)
        right = rng.random(300) < confidence - 0.05
        found = error_estimate(Answers(np.log(confidence), np.where(right, 1, 2), confidence), row, seed)
        assert found.low < found.value
        covered += found.low <= 0.05 <= found.high
    assert covered > 0.8 * 60


class TestGroups:
    def test_counts_of_every_grouping_add_up(self, sections):
        figures = sections["hidden-words"].figures
        for grouping in ("by_part_of_speech", "by_frequency", "by_piece"):
            groups = figures[grouping].values()
            assert sum(one["words"] for one in groups) == figures["questions"]
            found = sum(one["words"] * one["neighbours"] for one in groups)
            assert found / figures["questions"] == pytest.approx(
                figures["baselines"]["neighbours"]["masked_accuracy"]
            )

    def test_parts_of_speech_are_those_of_the_gold_words(self, questions, tokenizer):
        tags = by_part_of_speech(questions, tokenizer)
        words = [tokenizer.id_to_token[label] for label in questions.labels]
        known = {}
        for number in range(60):
            for sentence in story(number, 103).sentences:
                for token in sentence.tokens:
                    known.setdefault(token.text.lower(), set()).add(token.upos)
        assert "other" not in tags
        is_whole = (by_piece(questions, tokenizer) == WHOLE) & (questions.place < 30)  # the last may be cut
        whole = [(words[number], tags[number]) for number in np.flatnonzero(is_whole)]
        alphabetic = [(word, tag) for word, tag in whole if word.isalpha()]
        assert len(alphabetic) > 60
        assert all(tag in known[word] for word, tag in alphabetic)
        assert {word for word, tag in whole if tag == "PUNCT"} <= set(".,!?\"';:-…")

    def test_later_pieces_are_marked_so(self, questions, tokenizer):
        pieces = by_piece(questions, tokenizer)
        marked = np.array([tokenizer.id_to_token[label].startswith("##") for label in questions.labels])
        assert ((pieces == LATER) == marked).all()

    def test_paragraphs_of_a_treebank_keep_their_tags(self, tmp_path):
        lines = [
            (
                "# newdoc id = a",
                "# text = I can't.",
                "I PRON 2",
                "ca AUX 0 SpaceAfter=No",
                "n't PART 2",
                ". PUNCT 2",
            ),
            ("# text = Go!", "Go VERB 0 SpaceAfter=No", "! PUNCT 1"),
            ("# newpar id = b", "# text = Yes.", "Yes INTJ 0 SpaceAfter=No", ". PUNCT 1"),
        ]
        blocks = []
        for sentence in lines:
            block, number = [], 0
            for line in sentence:
                if line.startswith("#"):
                    block.append(line)
                    continue
                number += 1
                form, tag, head, *space = line.split()
                relation = "root" if head == "0" else "dep"
                block.append(
                    "\t".join([str(number), form, "_", tag, "_", "_", head, relation, "_", *(space or "_")])
                )
            blocks.append("\n".join(block) + "\n\n")
        path = tmp_path / "dev.conllu"
        path.write_text("".join(blocks), "utf-8")
        (first, tags), (second, _) = tagged_paragraphs(path)
        assert (first, second) == ("I can't. Go!", "Yes.")
        assert [(first[start:end], tag) for start, end, tag in tags] == [
            ("I", "PRON"),
            ("ca", "AUX"),
            ("n't", "PART"),
            (".", "PUNCT"),
            ("Go", "VERB"),
            ("!", "PUNCT"),
        ]


class TestCounting:
    def test_in_the_text_itself_a_question_never_sees_its_own_half(self):
        words = [
            a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "an", "en", "in", "on", "un")
        ]
        tokenizer = WordPieceTokenizer.train([" ".join(words)] * 3, 153)
        rng = np.random.default_rng(0)
        once = " ".join(rng.permutation(words))  # no word stands twice beside another
        with Subject(model_of(tokenizer)) as subject:
            alone = ExamText("once", Texts("once", [once]))
            asked = questions_for(subject, alone, ROWS, 0)
            honest = by_counts(asked, tokenizer, 0)
            same = ExamText("once", Texts("once", [once]), Texts("once", [once]))
            cheating = by_counts(questions_for(subject, same, ROWS, 0), tokenizer, 0)
        assert honest.neighbours.right.mean() < 0.1
        assert cheating.neighbours.right.mean() > 0.9
        assert (honest.count_of_word == 0).all()

    def test_frequencies_always_say_the_most_frequent_word(self, sections, questions, tokenizer):
        baselines = sections["hidden-words"].figures["baselines"]
        word = tokenizer.token_to_id[baselines["most_frequent_word"]["word"]]
        expected = (questions.labels == word).mean()
        assert baselines["most_frequent_word"]["masked_accuracy"] == pytest.approx(expected)
        assert baselines["unigram"]["masked_accuracy"] == pytest.approx(expected)


class TestSections:
    def test_a_score_of_the_model_has_its_interval_and_its_baselines_beside_it(self, sections):
        for section in sections.values():
            kinds = {row.kind for row in section.tables[0].rows}
            assert kinds == {"model", "baseline", "control"}, section.name
        figures = sections["hidden-words"].figures
        low, high = figures["intervals"]["masked_accuracy"]
        assert low <= figures["masked_accuracy"] <= high

    def test_the_same_seed_gives_the_same_figures(self, subject, text, sections):
        again = exam.examine_on(subject, text, SETTINGS)
        assert exam.summary(again) == exam.summary(list(sections.values()))

    def test_a_summary_has_the_wanted_keys(self, sections):
        found = exam.summary(list(sections.values()))
        wanted = "masked_accuracy top5_accuracy loss perplexity pseudo_perplexity calibration_error baselines"
        assert set(wanted.split()) <= found.keys()

    def test_pictures_can_be_drawn(self, sections):
        for section in sections.values():
            for picture in section.pictures:
                axes = picture.draw().axes[0]
                assert axes.get_xlabel() or axes.get_ylabel()

    def test_the_time_is_foretold(self, subject):
        pace = Pace(1e4, 3e3, 1e10)
        few, many = (exam.seconds(subject, None, exam.Settings(rows=rows), pace) for rows in (100, 1000))
        assert 0 < few < many


class TestGuide:
    LOGITS = np.log(np.array([[[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]]))

    def test_masked_accuracy(self):
        assert masked_accuracy(self.LOGITS, [[0, 2, 0]], [[1, 1, 1]]) == pytest.approx(1 / 3)
        assert masked_accuracy(self.LOGITS, [[0, 2, 0]], [[1, 0, 0]]) == 1
        assert masked_accuracy(self.LOGITS, [[0, 2, 1]], [[0, 1, 1]], top=2) == 0.5

    @pytest.mark.parametrize(
        ("targets", "masked", "top", "message"),
        [
            ([[0, 1]], [[1, 1, 1]], 1, r"targets: shape \(1, 2\)"),
            ([[0, 1, 2]], [[0, 0, 0]], 1, "no position is masked"),
            ([[0, 1, 3]], [[1, 1, 1]], 1, "targets"),
            ([[0, 1, 2]], [[1, 1, 1]], 4, "top=4: choose from 1 to 3"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, targets, masked, top, message):
        with pytest.raises(ValueError, match=message):
            masked_accuracy(self.LOGITS, targets, masked, top)

    def test_perplexity(self):
        assert compute_perplexity(log(7)) == pytest.approx(7)
        assert compute_perplexity([log(2), log(8)]) == pytest.approx(4)
        assert compute_perplexity([log(2), log(8)], [3, 1]) == pytest.approx(2 * 2**0.5)
        assert np.isfinite(compute_perplexity(1e9))
        for wrong in ([], -0.1, float("nan")):
            with pytest.raises(ValueError, match="loss"):
                compute_perplexity(wrong)

    def test_gradient_norm_is_that_of_clipping(self, subject):
        cache = subject.model.trace(np.arange(10)[None])
        arena = subject.model.arena.zeros_like()
        for name, gradient in arena.items():
            gradient[...] = cache.gradients[name]
        assert compute_gradient_norm(cache.gradients) == pytest.approx(global_norm(arena), rel=1e-5)
        assert compute_gradient_norm(arena.flat) == pytest.approx(global_norm(arena), rel=1e-5)
        with pytest.raises(ValueError, match="gradients"):
            compute_gradient_norm(3.0)

    def test_answers_join_in_order(self):
        parts = [Answers(np.array([float(i)]), np.array([i]), np.array([0.5])) for i in (1, 2)]
        assert Answers.joined(parts).rank.tolist() == [1, 2]
