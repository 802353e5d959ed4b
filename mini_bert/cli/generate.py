"""`mini-bert generate`: a causal model writes on."""

from __future__ import annotations

import os
from typing import Any

import click

from mini_bert.cli.models import chosen_model
from mini_bert.cli.screen import print_json
from mini_bert.cli.tokenizer_encode import read_standard_input
from mini_bert.errors import counted
from mini_bert.generation.generate import choice, generate, streamed
from mini_bert.generation.sampling import Choice
from mini_bert.models.mini import MiniBERT
from mini_bert.plain_json import whole_characters
from mini_bert.pretrained.places import LAST, VARIABLE

EPILOG = """\b
Examples:
  mini-bert train --preset gpt2-mini --minutes 5 --out runs/writer
  mini-bert generate "the cat" --model runs/writer
  mini-bert generate "Once upon a time" --model ~/models/gpt2 --tokens 100 --top-p 0.95 --seed 7
  mini-bert generate "The capital of France is" --model ~/models/gpt2 --greedy
  mini-bert generate --model runs/writer --count 3 --temperature 0.7 --json
  cat beginning.txt | mini-bert generate - --model runs/writer --top-k 50

A low temperature keeps to what is likely, a high one dares more. --top-k draws from the likeliest tokens only,
--top-p from the fewest that together are as likely as told.
"""


@click.command(epilog=EPILOG)
@click.argument("prompt", default="")
@click.option(
    "--model",
    "model_path",
    metavar="MODEL",
    help=f"A model's folder, a run, one of its checkpoints, a name on the hub, or {LAST}: the newest run.  "
    f"[default: ${VARIABLE}]",
)
@click.option(
    "--tokens", type=click.IntRange(min=1), default=40, show_default=True, help="So many new ones at most."
)
@click.option("--temperature", type=float, default=1.0, show_default=True, help="Divides the logits.")
@click.option("--top-k", type=int, help="Draw from the K likeliest tokens.")
@click.option("--top-p", type=float, help="Draw from the likeliest that add up to P.")
@click.option("--greedy", is_flag=True, help="Always the likeliest token; nothing is drawn.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed writes the same text.")
@click.option(
    "--count", type=click.IntRange(min=1), default=1, show_default=True, help="So many texts, each its own."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the text.")
def command(
    prompt: str,
    model_path: str | None,
    tokens: int,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    greedy: bool,
    seed: int,
    count: int,
    as_json: bool,
) -> None:
    """Write on from PROMPT ("-": standard input; none: from the beginning of a text).

    The model must be causal, like GPT-2: one that was trained to tell the next word. It ends where the model ends the
    text. What is longer than the model can read goes on from its last half.
    """
    choose = choice(temperature, top_k, top_p, greedy, seed)
    if greedy and count > 1:
        raise ValueError(f"--greedy writes one text, not {count}; leave out --count or --greedy")
    prompt, replaced = read_standard_input() if prompt == "-" else whole_characters(prompt)
    prompt = prompt.rstrip("\r\n")
    if replaced:
        click.echo(f"note: {counted(replaced, 'byte')} not UTF-8, replaced by U+FFFD", err=True)
    if model_path is None and not os.environ.get(VARIABLE):
        raise ValueError(
            "no model that writes comes with the package; train one: mini-bert train --preset gpt2-mini --out "
            "runs/writer, and name it: --model runs/writer"
        )
    model = chosen_model(model_path)
    if count == 1 and not as_json:
        show_as_it_comes(model, prompt, choose, tokens)
        return
    chosen: dict[str, Any] = {
        "max_new_tokens": tokens,
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "greedy": greedy,
        "seed": seed,
    }
    texts = generate(model, [prompt] * count, **chosen)
    if as_json:
        print_json({"model": str(model), "prompt": prompt, **chosen, "texts": texts})
    else:
        click.echo("\n\n".join(f"{i + 1}. {harmless(text)}" for i, text in enumerate(texts)))


def show_as_it_comes(model: MiniBERT, prompt: str, choose: Choice, tokens: int) -> None:
    pieces = streamed(model, prompt, choose, max_new_tokens=tokens)
    click.echo(harmless(next(pieces)), nl=False)
    try:
        for piece in pieces:
            click.echo(harmless(piece), nl=False)
    finally:
        click.echo()


def harmless(text: str) -> str:
    """Without control characters, which a model of bytes may say and a terminal may obey."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)
