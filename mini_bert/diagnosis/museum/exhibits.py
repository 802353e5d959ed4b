"""All exhibits, by name."""

from __future__ import annotations

from mini_bert.diagnosis.museum import in_data, in_models, in_steps
from mini_bert.diagnosis.museum.exhibit import Exhibit
from mini_bert.errors import unknown

EXHIBITS = (
    Exhibit(
        "learning-rate-too-high",
        "The learning rate is copied from an SGD recipe.",
        "learning-rate-too-high",
        {"optimizer": {"learning_rate": 1.0}},
    ),
    Exhibit(
        "learning-rate-absurd",
        "1e30 in place of 1e-3: the run bursts after its first step.",
        "learning-rate-too-high",
        {"optimizer": {"learning_rate": 1e30}},
    ),
    Exhibit(
        "learning-rate-too-low",
        "The learning rate is that of fine-tuning a large model.",
        "learning-rate-too-low",
        {"optimizer": {"learning_rate": 2e-6}},
    ),
    Exhibit(
        "mask-inverted",
        "~mask in place of mask: the asked words are visible, the others are hidden.",
        "mask-inverted",
        in_training=in_data.invert_the_mask,
    ),
    Exhibit(
        "labels-shifted",
        "Labels are moved by one, as for a model that writes from left to right.",
        "labels-shifted",
        in_training=in_data.shift_the_labels,
    ),
    Exhibit(
        "dead-relu",
        "The biases before the ReLU begin far below zero.",
        "dead-relu",
        in_model=in_models.drown_the_units,
    ),
    Exhibit(
        "vanishing-gradients",
        "Six layers without residual connections and norms.",
        "vanishing-gradients",
        {"model": {"num_layers": 6, "final_norm": False}},
        in_model=in_models.leave_out_residuals_and_norms,
    ),
    Exhibit(
        "exploding-gradients",
        "Four layers without norms, and weights that begin far too large.",
        "exploding-gradients",
        {"model": {"num_layers": 4, "final_norm": False, "initializer": {"std": 0.3}}},
        in_model=in_models.leave_out_norms,
    ),
    Exhibit(
        "bursting-at-once",
        "No norms, and weights so large at first that the first loss is no number.",
        "exploding-gradients",
        {"model": {"num_layers": 4, "final_norm": False, "initializer": {"std": 1e5}}},
        in_model=in_models.leave_out_norms,
    ),
    Exhibit(
        "one-batch-forever",
        "The batch is drawn before the loop in place of inside it.",
        "data-repeated",
        in_training=in_data.repeat_one_batch,
    ),
    Exhibit(
        "too-little-text",
        "Twelve stories, read again and again.",
        "data-repeated",
        {"corpus": ["world:12"], "held_out": 0.25},
    ),
    Exhibit(
        "unknown-words",
        "The vocabulary was learned from text in another alphabet.",
        "tokenizer-mismatch",
        in_folder=in_data.take_a_greek_vocabulary,
    ),
    Exhibit(
        "shuffled-vocabulary",
        "The text was tokenized with another vocabulary than the one that is saved with the model.",
        "tokenizer-mismatch",
        in_training=in_data.shuffle_the_vocabulary,
    ),
    Exhibit(
        "accumulation-summed",
        "The gradients of micro-batches are added up and never divided by their number.",
        "accumulation-not-averaged",
        in_training=in_steps.sum_micro_batches,
    ),
    Exhibit(
        "gradients-not-reset",
        "The gradients are not set to zero between two steps.",
        "gradients-not-reset",
        in_training=in_steps.keep_old_gradients,
    ),
    Exhibit(
        "bias-correction-forgotten",
        "Adam without its bias correction.",
        "bias-correction-missing",
        in_training=in_steps.forget_bias_correction,
    ),
    Exhibit(
        "layer-detached",
        "The gradient goes past the first layer.",
        "layer-frozen",
        in_model=in_models.detach_the_first_layer,
    ),
    Exhibit(
        "softmax-across-queries",
        "The softmax of attention runs along the wrong axis.",
        "attention-not-normalized",
        in_model=in_models.softmax_across_queries,
    ),
    Exhibit(
        "scores-unscaled",
        "The scores of attention are not divided by √D.",
        "computed-otherwise",
        in_model=in_models.leave_scores_unscaled,
    ),
    Exhibit(
        "updates-tripled",
        "Every update is three times as long as the optimizer says.",
        "computed-otherwise",
        in_training=in_steps.triple_the_updates,
    ),
    Exhibit(
        "uphill",
        "Updates are added in place of subtracted.",
        "loss-climbs",
        in_training=in_steps.climb_the_hill,
    ),
    Exhibit(
        "decay-too-strong",
        "Weight decay 30 in place of 0.03.",
        "weight-decay-too-strong",
        {"optimizer": {"weight_decay": 30.0}},
    ),
)


def exhibit(name: str) -> Exhibit:
    found = {entry.name: entry for entry in EXHIBITS}
    if name not in found:
        raise ValueError(unknown("exhibit", name, list(found)))
    return found[name]
