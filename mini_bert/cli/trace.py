"""`mini-bert trace`: the forward pass on a text, step by step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from math import log
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mini_bert.analysis.forward_steps import ForwardSteps, Step, forward_steps
from mini_bert.cli.models import chosen_model, tell
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import percent
from mini_bert.guide import ModelFactory
from mini_bert.inference.fill_mask import Guess, guesses
from mini_bert.inference.forward import predict
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.passes import Pass
from mini_bert.models.positions import POSITIONS
from mini_bert.pretrained.places import LAST, VARIABLE
from mini_bert.pretrained.shipped import GUIDE, NAMES
from mini_bert.tokenizers.special import MASK
from mini_bert.tokenizers.tokenizer import Tokenizer

EPILOG = """\b
Examples:
  mini-bert trace "The cat sat on the [MASK]."
  mini-bert trace "The cat sat on the [MASK]." --layer 0
  mini-bert trace "The cat sat on the [MASK]." --figure steps.svg
  mini-bert trace "Snow is cold and white." --mask white --top 10
  mini-bert trace "The cat sat on the mat." --preset modern
  mini-bert trace "a cow says [MASK] ." --model runs/stories
"""


@dataclass(frozen=True)
class Story:
    """All there is to tell: the text as the model reads it, the steps, and the guesses at each [MASK]."""

    model: MiniBERT
    trained: bool
    tokens: list[str]
    ids: list[int]
    steps: list[Step]
    guesses: dict[int, list[Guess]]
    fills_gaps: bool = True


@click.command(epilog=EPILOG)
@click.argument("text")
@click.option("--preset", help="A model with random weights instead.")
@click.option(
    "--model",
    "folder",
    metavar="MODEL",
    help=f"{', '.join(NAMES)}, a model's folder, a run, a checkpoint, or {LAST}: the newest run.  "
    f"[default: ${VARIABLE}, or {GUIDE}]",
)
@click.option("--layer", type=int, help="Only this layer, counted from 0.")
@click.option("--mask", "word", help="Hide this word of the text.")
@click.option(
    "--top", type=click.IntRange(min=1), default=5, show_default=True, help="Guesses for each [MASK]."
)
@click.option("--figure", type=click.Path(path_type=Path), help="Draw the steps into this .png or .svg.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    text: str,
    preset: str | None,
    folder: str | None,
    layer: int | None,
    word: str | None,
    top: int,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Follow the forward pass on TEXT, step by step.

    Every step with its equation, its shape and the statistics of its numbers; then the model's guesses for
    each [MASK] in the text.
    """
    if not text.strip():
        raise ValueError('the text is empty; try mini-bert trace "a cow says [MASK] ."')
    if preset and folder:
        raise ValueError("--preset and --model are two models; give one of them")
    if figure is not None:
        from mini_bert.plots.style import check_format

        check_format(figure)
    if word is not None:
        text = with_hidden(text, word)
    model, tokenizer = untrained(preset) if preset else trained(folder)
    story = followed(text, model, tokenizer, layer, top, is_trained=preset is None)
    if figure is not None:
        ForwardSteps(tuple(story.steps)).save(figure)
        tell(f"figure: {figure}")
    if as_json:
        print_json(as_dict(story))
    else:
        show(story, console())


def with_hidden(text: str, word: str) -> str:
    """The text with [MASK] in the place of each `word`."""
    hidden, count = re.subn(rf"(?<!\w){re.escape(word)}(?!\w)", MASK, text, flags=re.IGNORECASE)
    if not count:
        raise ValueError(f"--mask {word}: the text has no such word; choose one of: {text}")
    return hidden


def untrained(preset: str) -> tuple[MiniBERT, Tokenizer]:
    """A preset with random weights, and a vocabulary learned from the embedded world just now."""
    model = MiniBERT(preset)
    return model, ModelFactory.create_tokenizer(vocab_size=model.config.vocab_size)


def trained(name: str | None) -> tuple[MiniBERT, Tokenizer]:
    model = chosen_model(name, default=GUIDE)
    return model, tokenizer_of(model)


def followed(
    text: str,
    model: MiniBERT,
    tokenizer: Tokenizer,
    layer: int | None,
    top: int,
    *,
    is_trained: bool,
) -> Story:
    mask = tokenizer.roles.mask
    ids = tokenizer.encode(text if mask is None else text.replace(MASK, mask))
    seen = model.trace([ids])
    places = [place for place, i in enumerate(ids) if tokenizer.id_to_token[i] == mask]
    if not fills_gaps(model, tokenizer):
        places = []
    if layer is not None:
        model.block(layer, seen.trace)
    return Story(
        model,
        is_trained,
        tokens=[tokenizer.id_to_token[i] for i in ids],
        ids=ids,
        steps=[step for step in told(seen) if layer is None or f".layers.{layer}." in step.dotted],
        guesses=guessed(model, tokenizer, ids, places, top),
        fills_gaps=fills_gaps(model, tokenizer),
    )


def fills_gaps(model: MiniBERT, tokenizer: Tokenizer) -> bool:
    return model.config.head == "words" and not model.config.causal and tokenizer.roles.mask is not None


def guessed(
    model: MiniBERT, tokenizer: Tokenizer, ids: list[int], places: list[int], top: int
) -> dict[int, list[Guess]]:
    """The guesses for each of these places."""
    if not places:
        return {}
    logits = predict(model, [ids], positions=[places])[0]
    return {place: guesses(row, tokenizer, top) for place, row in zip(places, logits, strict=True)}


def told(seen: Pass) -> list[Step]:
    """The steps that the guide has an equation for."""
    return [step for step in forward_steps(seen) if step.in_guide]


def show(story: Story, screen: Console) -> None:
    screen.print(f"[bold]{escape(' '.join(story.tokens))}[/]\n[dim]{' '.join(map(str, story.ids))}[/]\n")
    screen.print(provenance(story))
    if notes := departures(story.model.config):
        screen.print(f"The equations are those of the guide's model; here {', '.join(notes)}.")
    screen.print()
    for group, members in groupby(story.steps, key=lambda step: step.group):
        rows = list(members)
        screen.print(steps_table(group, rows))
        for step in rows:
            if step.entropy is not None:
                screen.print(f"{entropy_sentence(step)}\n")
    if not story.guesses and story.fills_gaps:
        screen.print("Write [bold]\\[MASK][/] in the text, or use --mask WORD, to see the model guess.")
    for place, found in story.guesses.items():
        screen.print(guesses_table(f"Guesses for [MASK], token {place}", found))
    if story.guesses and not story.trained:
        screen.print("Random weights guess at random: all words are about as likely.")


def provenance(story: Story) -> str:
    if story.trained:
        return str(story.model)
    return (
        f"{story.model}\n[yellow]The weights are random: nothing was learned yet.[/] To see a trained model, "
        "run mini-bert demo --save FOLDER and give --model FOLDER."
    )


def departures(config: ModelConfig) -> list[str]:
    """Where a model's equations are not those of the table of names."""
    departs = {
        "b = 0": not config.bias,
        "norms have no μ and no β": config.norm == "rms",
        "ffn_pre = x W_G and ffn_hidden = f(ffn_pre) · x W1": config.feed_forward == "gated",
        "positions enter the scores and not the embeddings": config.positions not in POSITIONS,
        "norms stand before attention and feed-forward": config.residual == "pre-norm",
        "embeddings = norm(embedding_sum)": config.embedding_norm,
        "hidden_states is the last layer's output": not config.final_norm,
        "embedding_sum has the segments S[types] too": config.token_types > 0,
        "head_transformed = norm(f(x W_T + b_T))": config.head_transform,
        "W_mlm is Eᵀ": config.tied and config.head == "words",
        "b_mlm = 0": not config.decoder_bias and config.head == "words",
        "logits are those of the model's own head": config.head != "words",
    }
    return [note for note, holds in departs.items() if holds]


def steps_table(title: str, rows: list[Step]) -> Table:
    made = table(title, "step", "shape", "mean", "std", "min", "max")
    for step in rows:
        made.add_row(
            f"{step.name} [dim]= {escape(step.in_guide)}[/]",
            "×".join(map(str, step.shape)),
            *(decimal(number) for number in (step.mean, step.std, step.min, step.max)),
        )
    return made


def entropy_sentence(step: Step) -> str:
    heads = " ".join(f"{nats:.2f}" for nats in step.entropy or ())
    T = step.shape[-1]
    return f"Entropy of the heads: {heads} nats, at most ln {T} = {log(T):.2f} (all tokens alike)."


def guesses_table(title: str, found: list[Guess]) -> Table:
    made = table(escape(title), "word", "probability")
    for guess in found:
        made.add_row(escape(guess.word), percent(guess.probability, 2))
    return made


def decimal(number: float) -> str:
    return f"{number:z.4f}" if abs(number) < 10 else f"{number:z.2f}"


def as_dict(story: Story) -> dict[str, Any]:
    return {
        "model": str(story.model),
        "trained": story.trained,
        "tokens": story.tokens,
        "ids": story.ids,
        "steps": [step_as_dict(step) for step in story.steps],
        "guesses": [
            {"position": place, "words": [guess._asdict() for guess in found]}
            for place, found in story.guesses.items()
        ],
    }


def step_as_dict(step: Step) -> dict[str, Any]:
    whose = {"group": step.group, "name": step.name, "dotted": step.dotted, "equation": step.in_guide}
    return whose | {key: getattr(step, key) for key in ("shape", "mean", "std", "min", "max", "entropy")}
