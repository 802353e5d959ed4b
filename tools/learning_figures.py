"""python -m tools.learning_figures: draw the figures of docs/learning again, into docs/images/learning.

Diagrams take their sizes from the presets, all else is measured: on the shipped model `mini`, on stories of the
embedded world, and, for the anatomy of a loss curve, in a small run of its own, which takes a minute or two.
"""

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import numpy as np
from matplotlib.figure import Figure

import mini_bert
from mini_bert import MiniBERT, ModelConfig, TrainingConfig, WordPieceTokenizer, new_run
from mini_bert.analysis.attention import attention
from mini_bert.analysis.gradient_flow import gradient_flow
from mini_bert.analysis.reading import Reading, read
from mini_bert.core.functions.activations import gelu, relu
from mini_bert.data.corpus import corpus
from mini_bert.data.packing import PackedRows
from mini_bert.data.rows import Layout
from mini_bert.data.token_cache import tokenized
from mini_bert.data.world import texts
from mini_bert.plots.architecture import Part, architecture
from mini_bert.plots.block_ways import BlockSizes, block_ways
from mini_bert.plots.head_matrices import Matrix, head_matrices
from mini_bert.plots.head_split import head_split
from mini_bert.plots.heat import heat
from mini_bert.plots.loss_anatomy import Stretch, loss_anatomy
from mini_bert.plots.over_numbers import over_numbers
from mini_bert.plots.step_cycle import Stage, step_cycle
from mini_bert.plots.style import save
from mini_bert.plots.token_strips import Strip, token_strips
from mini_bert.run_reports.history import lines_of, series
from mini_bert.training.masking import Masking
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.schedules import Kind, Schedule

HOME = Path(__file__).parents[1] / "docs" / "images" / "learning"
SENTENCE = "The cat sat on the [MASK]."
STORIES, ROW, ASKED = 400, 32, 5
STEPS = 400


@cache
def shipped() -> MiniBERT:
    return mini_bert.load("mini")


@cache
def reading() -> Reading:
    return read(shipped(), SENTENCE, target="floor")


def model_parts() -> Figure:
    """The learning guide's model from ids to logits, with shapes and parameters."""
    model = MiniBERT()
    c, B = model.config, 8
    T, states = c.max_seq_length, f"({B}, {c.max_seq_length}, {c.hidden_size})"

    def held(*beginnings: str) -> int:
        return sum(w.size for name, w in model.arena.items() if name.startswith(beginnings))

    blocks = [
        Part(
            f"block {n}",
            "attention, add & norm,\nfeed-forward, add & norm",
            states,
            held(f"encoder.layers.{n}."),
        )
        for n in range(c.num_layers)
    ]
    parts = [
        Part("embeddings", "E[ids] + P[0 … T−1]", states, held("embeddings.")),
        *blocks,
        Part("final layer norm", "γ (x − μ) / σ + β", states, held("final_norm.")),
        Part("word head", "x W + b", f"({B}, {T}, {c.vocab_size})", held("head.")),
    ]
    assert sum(part.parameters for part in parts) == model.num_parameters
    return architecture(parts, f"({B}, {T})")


def one_block() -> Figure:
    """The ways through a block, and the gradient's ways back."""
    c = ModelConfig()
    return block_ways(BlockSizes(c.max_seq_length, c.hidden_size, c.num_heads, c.intermediate_size))


def heads_apart() -> Figure:
    """How 192 numbers become four heads of 48, and one vector again."""
    c = ModelConfig()
    return head_split(c.max_seq_length, c.hidden_size, c.num_heads)


@cache
def looks_ahead() -> tuple[int, int]:
    """The layer and head that look most at the next token, in the mean of all that have one."""
    weights = attention(reading()).weights
    ahead = np.diagonal(weights, 1, -2, -1).mean(-1)
    layer, head = np.unravel_index(ahead.argmax(), ahead.shape)
    return int(layer), int(head)


def head_step_by_step() -> Figure:
    """Real matrices of one head: scores, weights and context."""
    passed, pieces = reading().passed, reading().pieces
    layer, head = looks_ahead()
    Q, K, V, scores, weights = (
        passed[f"{name}_{layer}"][0, head] for name in ("Q", "K", "V", "scores", "attention_weights")
    )
    D = Q.shape[-1]
    context = passed[f"context_{layer}"][0, :, head * D : (head + 1) * D]
    return head_matrices(
        [
            [
                Matrix("Q", Q, names=pieces),
                Matrix("Kᵀ", K.T, "×"),
                Matrix(f"scores = Q Kᵀ / √{D}", scores, "→", pieces),
            ],
            [
                Matrix("weights = softmax(scores)", weights, names=pieces, is_share=True),
                Matrix("V", V, "×", pieces),
                Matrix("context", context, "=", pieces),
            ],
        ]
    )


def where_a_head_looks() -> Figure:
    """The weights of the same head as a map with its numbers."""
    layer, head = looks_ahead()
    weights = reading().passed[f"attention_weights_{layer}"][0, head]
    return heat(weights, reading().pieces, reading().pieces, "weight", "looks", "is looked at")


def packed_and_masked() -> Figure:
    """A row in which one story ends and the next begins, as it stands and as it is shown, with all three fates."""
    tokenizer = WordPieceTokenizer.train(texts(STORIES), vocab_size=2048)
    tokens = tokenized(corpus(f"world:{STORIES}"), tokenizer)
    rows = PackedRows(tokens, np.arange(len(tokens.lengths)), ROW, Layout.of(tokenizer), seed=0)
    masking = Masking.of(tokenizer)
    for number in range(20 * rows.rows_per_epoch):
        [text] = rows[number : number + 1]
        batch = masking(text[None], ASKED, np.random.default_rng(number))
        [shown], asked = batch.ids, batch.positions[0].tolist()
        fates = {at: fate(shown[at], text[at], masking.mask_id) for at in asked}
        specials = ~masking.is_word(text)
        if specials[ROW // 4 : -ROW // 4].any() and set(fates.values()) == {"hidden", "replaced", "kept"}:
            break
    else:
        raise ValueError(
            f"no row of {STORIES} stories shows all three fates beside a seam; take more stories"
        )
    pieces = tokenizer.id_to_token
    kinds = ["special" if special else "word" for special in specials]
    strips = [
        Strip("text", [pieces[i] for i in text], kinds),
        Strip("shown", [pieces[i] for i in shown], [fates.get(at, kinds[at]) for at in range(ROW)]),
        Strip("asked", [pieces[text[at]] if at in fates else "" for at in range(ROW)], kinds),
    ]
    meanings = {"word": "a piece", "hidden": "hidden", "replaced": "another piece", "kept": "left as it is"}
    return token_strips(strips, meanings | {"special": "special token"})


def fate(shown: int, text: int, mask_id: int) -> str:
    """What became of a piece that is asked for."""
    if shown == mask_id:
        return "hidden"
    return "kept" if shown == text else "replaced"


def training_step() -> Figure:
    """Six stages of a step, with the shapes of the learning guide's model."""
    c, B = ModelConfig(), 8
    T, k = c.max_seq_length, round(0.15 * c.max_seq_length)
    weights = MiniBERT().num_parameters
    return step_cycle(
        [
            Stage("hide words", f"{k} of {T} in each row", f"ids\n({B}, {T})"),
            Stage("forward", "logits at hidden places", f"logits\n({B}, {k}, {c.vocab_size})"),
            Stage("loss", "mean of −ln p[word]", "one number"),
            Stage("backward", "chain rule, last to first", f"{weights:,}\ngradients"),
            Stage("clip", "g ← g · min(1, c / ‖g‖)", "‖g‖ ≤ c"),
            Stage("AdamW", "w ← w − ηλw − η m̂ / (√v̂ + ε)", f"{weights:,}\nweights, a little better"),
        ]
    )


def gradient_sizes() -> Figure:
    """The size of the gradient from the loss back to the embeddings, in the shipped model."""
    return gradient_flow(shipped(), reading()).figure()


def rate_schedules() -> Figure:
    """The six schedules of the learning rate, each with the warm-up that it is usually given."""
    done = np.linspace(0, 1, 401)
    warmup = {"triangle": 0.5, "one-cycle": 0.3}
    schedules = [Schedule(kind, warmup.get(kind, 0.1)) for kind in get_args(Kind)]
    factors = {str(one.kind): np.array([one(share) for share in done]) for one in schedules}
    return over_numbers(done, factors, "share of the highest rate", "share of training")


def activation_functions() -> Figure:
    """ReLU and GELU, and their slopes."""
    x = np.linspace(-3, 3, 301)
    curves = {"ReLU": relu(x), "GELU": gelu(x)[0]}
    slopes = {f"slope of {name}": np.gradient(y, x) for name, y in curves.items()}
    return over_numbers(x, curves | slopes, "y", "x")


def loss_curve(steps: int = STEPS, text: str = "world") -> Figure:
    """A small model on the embedded world: what each stretch of its curve means."""
    logging = {"every": 5, "evaluate_every": max(steps // 10, 1), "exam_rows": 256}
    settings = {"budget": {"steps": steps}, "logging": logging, "workers": 1, "corpus": [text]}
    with TemporaryDirectory() as folder:
        with new_run(TrainingConfig.named("demo", settings), f"{folder}/run") as trainer:
            trainer.run()
        run = RunFolder(Path(folder) / "run")
        lines, facts = lines_of(run), run.facts()
    training = series(lines, "loss")
    return loss_anatomy(
        training,
        series(lines, "held_out_loss"),
        [
            ("knows nothing:\nln V", facts["uniform_loss"]),
            ("knows how frequent\nwords are", facts["unigram_loss"]),
        ],
        stretches_of(training.steps, training.values, facts["unigram_loss"]),
    )


def stretches_of(steps: np.ndarray, losses: np.ndarray, frequencies: float) -> list[Stretch]:
    """Frequencies are learned once the loss is near theirs, neighbours once it has left them by half a nat."""
    near = losses < frequencies + 0.25
    below = losses < frequencies - 0.5
    found = [Stretch(0, "1")]
    for number, reached in enumerate((near, below), 2):
        if reached.any():
            found.append(Stretch(float(steps[reached.argmax()]), str(number)))
    return found


FIGURES: dict[str, Callable[[], Figure]] = {
    "model": model_parts,
    "block": one_block,
    "heads": heads_apart,
    "one-head": head_step_by_step,
    "attention": where_a_head_looks,
    "masking": packed_and_masked,
    "step": training_step,
    "gradient": gradient_sizes,
    "schedules": rate_schedules,
    "activations": activation_functions,
    "loss": loss_curve,
}
"""The name of each file in docs/images/learning, and what draws it."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.learning_figures", description="Draw the learning figures."
    )
    parser.add_argument(
        "names", nargs="*", help=f"which ones, of {', '.join(FIGURES)}; all, if none is named"
    )
    parser.add_argument("--out", type=Path, default=HOME, help="the folder they are written to")
    parser.add_argument("--png", action="store_true", help="as PNG, to be looked at")
    given = parser.parse_args()
    for name in given.names or FIGURES:
        if name not in FIGURES:
            parser.error(f"no figure is named {name}; choose from {', '.join(FIGURES)}")
        path = given.out / f"{name}.{'png' if given.png else 'svg'}"
        save(FIGURES[name](), path)
        print(path)


if __name__ == "__main__":
    main()
