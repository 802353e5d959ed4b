"""One batch by heart, the health of gradients, known answers, and what a run has learned when."""

import json

import numpy as np
import pytest

from mini_bert.evaluation.across_training import across_training, loss_at, sound_checkpoints, untrained
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic import gradient_health, overfit, self_test
from mini_bert.evaluation.intrinsic.exam_text import world_text
from mini_bert.evaluation.intrinsic.gradients_measured import health_of, kind_of
from mini_bert.evaluation.intrinsic.one_batch import learned_from, lesson_for
from mini_bert.evaluation.intrinsic.quick_measures import HiddenWords
from mini_bert.evaluation.subject import Subject
from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.mini import MiniBERT
from mini_bert.training.checkpoints import Checkpoints
from mini_bert.training.clipping import global_norm
from mini_bert.training.run_folder import RunFolder
from tests.unit.runs_by_hand import line

TEXT = world_text(stories=30, counted_stories=60)


def model_of(tokenizer, preset="debug", seed=0, **settings):
    model = MiniBERT(ModelConfig.preset(preset, vocab_size=tokenizer.vocab_size, **settings), seed=seed)
    model.tokenizer = tokenizer
    return model


@pytest.fixture
def subject(tokenizer):
    with Subject(model_of(tokenizer)) as made:
        yield made


class TestOneBatch:
    def test_a_sound_model_learns_it_by_heart_from_either_start(self, subject):
        before = subject.model.arena.flat.copy()
        (section,) = overfit.examine_on(subject, TEXT, overfit.Settings(batch_rows=2, steps=200))
        for start in ("new_weights", "its_own_weights"):
            found = section.figures[start]
            assert found["by_heart"]
            assert found["losses"][-1] < 0.01 < found["losses"][-2]
            assert found["words_found"] == 1
            assert len(found["losses"]) == found["steps"] + 1
        assert (subject.model.arena.flat == before).all()
        assert section.pictures[0].draw().axes[0].get_yscale() == "log"

    def test_a_model_that_is_blind_to_the_context_comes_no_lower_than_without(self, tokenizer, subject):
        lesson = lesson_for(subject, TEXT, 4, 0)
        blind = model_of(tokenizer, seed=None)  # all zeros: nothing but the bias of its words can learn
        found = overfit.learning(blind, lesson, 30)
        assert found.losses[-1] >= overfit.entropy(lesson.batch.labels)
        assert not found.is_by_heart

    def test_a_loss_that_is_not_finite_ends_it(self, tokenizer, subject):
        broken = model_of(tokenizer)
        broken.arena.flat[:] = np.nan
        found = overfit.learning(broken, lesson_for(subject, TEXT, 2, 0), 100)
        assert len(found.losses) == 1
        assert found.verdict == "the loss is not finite"

    def test_who_has_nothing_to_learn_from_text_is_told_so(self, tokenizer):
        pace = Pace(1e4, 1e3, 1e9)
        with Subject(model_of(tokenizer, head="classes")) as subject:
            for module in (overfit, gradient_health):
                with pytest.raises(DoesNotApply, match="learns that from labels"):
                    module.seconds(subject, None, module.Settings(), pace)
        with Subject(model_of(tokenizer, "electra-mini")) as subject:
            with pytest.raises(DoesNotApply, match="drawn by its generator"):
                overfit.seconds(subject, None, overfit.Settings(), pace)
            assert gradient_health.seconds(subject, None, gradient_health.Settings(), pace) > 0


class TestGradients:
    def test_norms_of_layers_make_up_the_whole(self, subject):
        lesson = lesson_for(subject, TEXT, 4, 0)
        health = health_of(subject.model, lesson, subject.tokenizer)
        assert health.norm == pytest.approx(
            global_norm(learned_from(subject.model, lesson).gradient), rel=1e-5
        )
        whole = sum(one.gradient_norm**2 for one in health.layers.values()) ** 0.5
        assert whole == pytest.approx(health.norm, rel=1e-6)
        assert health.layers["embeddings"].zeros > 0.5  # a few rows have few of the words
        norms = health.layers["final_norm"]
        assert health.ratios["final_norm", "norm"] == pytest.approx(norms.gradient_norm / norms.weight_norm)

    def test_fresh_weights_are_sound_and_shown_beside(self, subject):
        (section,) = gradient_health.examine_on(subject, TEXT, gradient_health.Settings(batch_rows=4))
        assert section.figures["is_sound"], section.figures["verdict"]
        assert section.figures["random_weights"]["gradient_norm"] > 0
        assert section.pictures[0].draw().axes

    @pytest.mark.parametrize(
        ("names", "value", "verdict"),
        [
            (["final_norm.weight"], 1e-12, "vanishing"),
            (["encoder.layers.0.ffn.up.bias"], -1e6, "dying"),
            (["encoder.layers.0.ffn.up.weight"], np.nan, "exploding"),
        ],
    )
    def test_what_is_wrong_is_named(self, subject, names, value, verdict):
        for name in names:
            subject.model.arena[name][...] = value
        lesson = lesson_for(subject, TEXT, 4, 0)
        found = gradient_health.judgements(health_of(subject.model, lesson, subject.tokenizer))
        assert any(one.startswith(verdict) for one in found), found

    def test_a_gradient_that_grows_on_its_way_down_explodes(self, subject):
        health = health_of(subject.model, lesson_for(subject, TEXT, 4, 0), subject.tokenizer)
        assert gradient_health.judgements(health) == []
        first = health.layers["encoder.layers.0"]
        health.layers["encoder.layers.0"] = first._replace(gradient_norm=1e3 * first.gradient_norm)
        (found,) = gradient_health.judgements(health)
        assert found.startswith("exploding: the first layer's gradient is")

    def test_every_weight_has_a_kind(self, tokenizer):
        kinds = {name: kind_of(name) for name in model_of(tokenizer).arena}
        assert kinds["encoder.layers.1.ffn.down.weight"] == "down"
        assert kinds["embeddings.position.weight"] == "table"
        assert [name for name, kind in kinds.items() if kind == "other"] == ["head.decoder.weight"]


class TestKnownAnswers:
    def test_all_are_right(self):
        assert [check for check in self_test.checks() if not check.passed] == []

    def test_a_wrong_metric_is_noticed(self, monkeypatch):
        monkeypatch.setattr(self_test, "compute_perplexity", lambda loss: 2.0 ** float(np.mean(loss)))
        section = self_test.section()
        assert not section.figures["passed"]
        failed = {check["metric"] for check in section.figures["checks"] if not check["passed"]}
        assert failed == {"compute_perplexity"}


@pytest.fixture
def run(tmp_path, tokenizer):
    """A run of three checkpoints, in which the bias of one word grows."""
    folder = RunFolder(tmp_path / "run")
    folder.create({"preset": "debug", "corpus": ["world:20"], "seed": 3, "saving": {"keep": 9}})
    checkpoints = Checkpoints(folder.checkpoints, keep=9)
    with folder.open_metrics() as metrics:
        for step in (100, 200, 400):
            model = model_of(tokenizer, seed=3)
            model.params["head.decoder.bias"][7] = step
            model.save(tmp_path / "model")
            tokenizer.save(tmp_path / "model")
            files = {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()}
            state = {"progress": {"spent": {"steps": step, "tokens": 1024 * step, "seconds": 1.0}}}
            checkpoints.save(step, files | {"state.json": json.dumps(state).encode()})
            metrics.write(line(step, loss=10 - step / 100))
    return folder.path


class TestAcrossTraining:
    def bias(self, subject):
        bias = float(subject.model.params["head.decoder.bias"][7])
        return {"bias": bias, "baseline: three hundred": 300.0}

    def test_every_checkpoint_is_measured_in_order(self, run):
        (section,) = across_training(run, {"bias of a word": self.bias})
        figures = section.figures
        assert figures["tokens"] == [0, 102_400, 204_800, 409_600]
        assert figures["curves"]["bias"] == [0, 100, 200, 400]
        assert figures["training_loss"] == [None, 9.0, 8.0, 6.0]
        assert figures["baselines"] == {"three hundred": 300.0}
        assert "after 204,800 tokens (bias)" in section.told
        axes = section.pictures[0].draw().axes[0]
        assert axes.get_xscale() == "log"
        assert {one.get_text() for one in axes.get_legend().get_texts()} == {
            "bias",
            "three hundred",
            "before training",
        }

    def test_a_student_began_with_layers_of_its_teacher(self, run, tokenizer, tmp_path):
        teacher = model_of(tokenizer, seed=8)
        teacher.tokenizer = tokenizer
        teacher.save(tmp_path / "teacher")
        folder = RunFolder(run)
        told = {"teacher": str(tmp_path / "teacher"), "copies_layers": True}
        folder.write_settings(folder.settings() | {"distillation": told})
        began = untrained(folder, sound_checkpoints(folder))
        np.testing.assert_array_equal(began.params["W_Q_0"], teacher.params["W_Q_0"])

    def test_the_loss_beside_a_checkpoint_is_the_last_one_before_it(self):
        assert [loss_at([(100, 5.0), (300, 3.0)], tokens) for tokens in (0, 100, 220, 300)] == [
            None,
            5.0,
            5.0,
            3.0,
        ]

    def test_a_level_stands_in_the_column_of_the_curve_that_it_names(self, run):
        def two(subject):
            return {"one": 0.5, "other": 0.7, "baseline: chance": 0.1, "baseline: a rule (other)": 0.6}

        (section,) = across_training(run, {"both": two})
        rows = {row.cells[0]: row.cells[2:4] for row in section.tables[0].rows if row.kind == "baseline"}
        assert rows == {"chance": (0.1, None), "a rule (other)": (None, 0.6)}

    def test_a_remark_is_made_when_all_is_measured(self, run):
        seen = []

        def bias(subject):
            seen.append(subject)
            return self.bias(subject)

        remarks = {"bias of a word": lambda: f"Seen {len(seen)} times."}
        (section,) = across_training(run, {"bias of a word": bias}, remarks=remarks)
        assert section.told.endswith(" Seen 4 times.")

    def test_what_does_not_apply_is_left_out(self, run):
        def refuses(subject):
            raise DoesNotApply("not for this one")

        (section,) = across_training(run, {"nothing": refuses, "bias of a word": self.bias})
        assert section.figures["measure"] == "bias of a word"
        with pytest.raises(DoesNotApply, match="not for this one"):
            across_training(run, {"nothing": refuses})

    def test_too_few_checkpoints(self, run):
        (run / "checkpoints" / "step-00000100" / "model.safetensors").write_bytes(b"damaged")
        with pytest.raises(ValueError, match=r"2 of its checkpoints can be read.*saving.keep=20"):
            across_training(run, {"bias of a word": self.bias})

    def test_no_run_at_all(self, tmp_path):
        with pytest.raises(ValueError, match="no run here"):
            across_training(tmp_path, {"bias of a word": self.bias})

    def test_hidden_words_are_asked_once_for_all_measures(self, tokenizer, monkeypatch):
        asked = HiddenWords(rows=8)
        monkeypatch.setattr(
            "mini_bert.evaluation.intrinsic.quick_measures.text_of", lambda tasks, settings: TEXT
        )
        with Subject(model_of(tokenizer)) as subject:
            found = {name: dict(measure(subject)) for name, measure in asked.measures().items()}
            answers, counts = asked.answers(subject)
        words = found["hidden words found (%)"]
        assert words["first guess"] == answers.right.mean()
        assert words["baseline: neighbouring words"] == counts.neighbours.right.mean()
        assert found["perplexity of hidden words"]["perplexity"] == pytest.approx(
            np.exp(-answers.log_prob.mean())
        )
        assert asked.remark().startswith("Words and their neighbours were counted in 60 other stories")

    def test_baselines_count_in_what_the_run_learned_from(self, run, tokenizer, monkeypatch):
        monkeypatch.setattr(
            "mini_bert.evaluation.intrinsic.quick_measures.text_of", lambda tasks, settings: TEXT
        )
        asked = HiddenWords(rows=8, learner=from_pretrained(run / "checkpoints" / "last"))
        with Subject(model_of(tokenizer)) as untrained:
            asked.found(untrained)
        assert "counted in the text that the model learned from (world:20" in asked.remark()
