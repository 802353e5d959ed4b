"""What a model is trained for, which follows from its parts: how exercises are made, and how answers are judged.

    goal = goal_of(config, tokenizer)
    goal.exercise, goal.objective                  # for training
    goal.exam                                      # the exercise on held-out text

A model with a generator finds replaced tokens, a causal one tells the next word, one of two streams tells words in any
order, all others fill gaps. With a teacher they also learn to answer as it does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.models.config import ModelConfig
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.config import TrainingConfig
from mini_bert.training.config_groups import MaskingConfig
from mini_bert.training.going_on import origin_of
from mini_bert.training.masking import AnyTokens, Chooser, Disguise, Exercise, Masking, Spans, WholeWords
from mini_bert.training.next_words import NextWords
from mini_bert.training.objectives import MaskedWords, Objective
from mini_bert.training.objectives.distillation import Distillation, Teacher
from mini_bert.training.objectives.replaced_tokens import ReplacedTokens
from mini_bert.training.objectives.segments import Segments
from mini_bert.training.permutations import Permutations
from mini_bert.training.replacements import Replacements
from mini_bert.training.validation import plain_masking

FILLING_GAPS = "masked words"
HIDDEN_WORDS, NEXT_WORDS, ANY_ORDER = "hidden words", "next words", "words in any order"
CHOOSERS: dict[str, Chooser] = {"tokens": AnyTokens(), "whole-words": WholeWords(), "spans": Spans()}


@dataclass(frozen=True)
class Goal:
    """How text becomes exercises, in training and in the exam, and what is made of the answers.

    `asks` is what is asked for, in words; `name` tells objectives apart that ask for the same.
    """

    objective: Objective
    exercise: Exercise
    exam: Exercise
    asks: str = HIDDEN_WORDS
    name: str = FILLING_GAPS


def check_goal(config: TrainingConfig) -> None:
    """Refuse what a model cannot be asked for, or not together, before any text is read."""
    model, has_teacher = config.described_model, config.distillation.teacher is not None
    check_head(model)
    if model.generator or has_teacher:
        check_curvature(config)
    if model.generator:
        check_alone(config, "a model that finds replaced tokens")
        if has_teacher:
            raise ValueError(
                "distillation.teacher: a model that finds replaced tokens has none; leave it out"
            )
    elif has_teacher and config.second_kind != "none":
        raise ValueError(
            f"second_task.kind={config.second_kind}: a student learns words alone; set second_task.kind=none"
        )
    elif model.causal:
        check_alone(config, "a model that tells the next word")
        if model.memory and has_teacher:
            raise ValueError(
                "distillation.teacher: a model with a memory learns from text alone; leave it out"
            )
        if config.masking != MaskingConfig():
            raise ValueError("masking: a model that tells the next word hides none; leave it out")
    elif model.streams == 2:
        check_alone(config, "a model that tells words in any order")


def goal_of(config: TrainingConfig, tokenizer: Tokenizer) -> Goal:
    check_goal(config)
    model = config.model_config_of(tokenizer)
    exam = exam_exercise(model, tokenizer)
    if model.generator:
        gaps = Replacements(masking_of(config, tokenizer), tokenizer.pad_id)
        return Goal(ReplacedTokens(), gaps, exam, HIDDEN_WORDS, "replaced tokens")
    objective: Objective = MaskedWords()
    name = FILLING_GAPS
    if config.distillation.teacher:
        objective, name = distillation(config, tokenizer, model), "distillation"
    if model.causal:
        if model.memory:
            objective = Segments(model.max_seq_length, model.memory)
        return Goal(objective, NextWords.of(tokenizer), exam, NEXT_WORDS, NEXT_WORDS)
    if model.streams == 2:
        drawn = Permutations(masking_of(config, tokenizer))
        return Goal(objective, drawn, exam, ANY_ORDER, ANY_ORDER)
    return Goal(objective, masking_of(config, tokenizer), exam, name=name)


def exam_exercise(model: ModelConfig, tokenizer: Tokenizer) -> Exercise:
    """What a model is asked: next words, or hidden ones, each behind [MASK]."""
    if model.causal:
        return NextWords.of(tokenizer, words_only=True)
    plain = plain_masking(tokenizer)
    if model.generator:
        return Replacements(plain, tokenizer.pad_id)
    return Permutations(plain) if model.streams == 2 else plain


def practice_goal(model: ModelConfig) -> Goal:
    """The same for words drawn at random, which have no text and no tokenizer: to time a step."""
    masking = Masking(model.vocab_size)
    if model.generator:
        return Goal(ReplacedTokens(), Replacements(masking), Replacements(masking))
    exercise: Exercise = masking
    if model.causal and model.memory:
        every_token = NextWords(np.ones(model.vocab_size, bool))
        return Goal(Segments(model.max_seq_length, model.memory), every_token, every_token)
    if model.causal:
        exercise = NextWords(np.ones(model.vocab_size, bool))
    elif model.streams == 2:
        exercise = Permutations(masking)
    return Goal(MaskedWords(), exercise, exercise)


def masking_of(config: TrainingConfig, tokenizer: Tokenizer) -> Masking:
    settings = config.masking
    return Masking.of(tokenizer, CHOOSERS[settings.kind], Disguise(settings.hidden, settings.replaced))


def check_head(model: ModelConfig) -> None:
    if model.head == "replaced" and model.generator is None:
        raise ValueError(
            "head=replaced without a generator: nothing replaces tokens for it to find; choose a preset with one, like"
            " electra-mini, or set model.generator.hidden_size"
        )
    if model.head in ("classes", "tags", "none"):
        raise ValueError(f"head={model.head}: pretraining asks for words; choose model.head=words")


def check_alone(config: TrainingConfig, who: str) -> None:
    """Only a model that fills gaps is asked something else beside."""
    if config.second_kind != "none":
        raise ValueError(f"second_task.kind={config.second_kind}: {who} has no second task; leave it out")
    if config.masking.adaptive:
        raise ValueError(f"masking.adaptive: {who} has no share of gaps to adapt; leave it out")


def check_curvature(config: TrainingConfig) -> None:
    """Sophia's estimate is of a loss over classes that a model draws itself, and of nothing else."""
    if config.optimizer.kind == "sophia":
        raise ValueError(
            "optimizer.kind=sophia: its curvature is that of words alone, and here something else is learned too; "
            "choose adamw, lion, muon, lamb or sgd"
        )


def distillation(config: TrainingConfig, tokenizer: Tokenizer, student: ModelConfig) -> Distillation:
    """The objective with its teacher, who must read the same vocabulary, and tell words as the student does."""
    settings = config.distillation
    assert settings.teacher is not None
    origin = origin_of(settings.teacher)
    teacher = origin.model
    if origin.tokenizer.fingerprint() != tokenizer.fingerprint():
        raise ValueError(
            f"{settings.teacher}: the teacher reads another vocabulary; leave `tokenizer` out to take the teacher's"
        )
    for name in ("head", "causal", "streams"):
        theirs, ours = getattr(teacher.config, name), getattr(student, name)
        if theirs != ours:
            raise ValueError(
                f"{settings.teacher}: the teacher has {name}={theirs} and the student {name}={ours}; "
                "choose two that answer the same question"
            )
    if teacher.config.vocab_size < student.vocab_size:
        raise ValueError(
            f"{settings.teacher}: the teacher knows {teacher.config.vocab_size:,} of the {student.vocab_size:,} pieces "
            "of its vocabulary; train it on with --init first, which gives each piece a row"
        )
    if teacher.config.max_seq_length < student.max_seq_length:
        raise ValueError(
            f"{settings.teacher}: the teacher reads {teacher.config.max_seq_length} tokens, the student "
            f"{student.max_seq_length}; set model.max_seq_length={teacher.config.max_seq_length}"
        )
    return Distillation(
        Teacher(teacher.network, teacher.arena),
        settings.temperature,
        settings.words,
        settings.soft,
        settings.cosine if teacher.config.hidden_size == student.hidden_size else 0.0,
    )
