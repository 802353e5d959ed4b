"""`mini-bert fill-mask`: the words a model puts in place of [MASK]."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from mini_bert.cli.bars import bars
from mini_bert.cli.given_texts import given_texts, note_unknown
from mini_bert.cli.models import chosen_model, model_option
from mini_bert.cli.screen import console, print_json
from mini_bert.inference.fill_mask import Blank, blanks_in, check_fit, mask_of
from mini_bert.inference.forward import Predictor
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.special import MASK

EXAMPLE = f"the cat sat on the {MASK} ."
INDENT = 2

EPILOG = """\b
Examples:
  mini-bert fill-mask "The cat sat on the [MASK]."
  mini-bert fill-mask "a [MASK] says [MASK] ." --top 3
  mini-bert fill-mask "snow is [MASK] ." "fire is [MASK] ." --model runs/stories
  mini-bert fill-mask "Paris is the [MASK] of France." --model ~/models/roberta-base
  cat clozes.txt | mini-bert fill-mask - --json
"""


@click.command(epilog=EPILOG)
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@model_option
@click.option(
    "--top", type=click.IntRange(min=1), default=5, show_default=True, help="Words for each [MASK]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the bars.")
def command(texts: tuple[str, ...], model_path: str | None, top: int, as_json: bool) -> None:
    """Fill in the hidden words of each TEXT ("-": the lines of standard input).

    A hidden word is written [MASK], or as the model's own tokenizer has it, such as <mask>. Each is guessed by itself:
    with several in a text, the model does not know what it said for the others.
    """
    given = [text for text in given_texts(texts) if text.strip()]
    if not given:
        raise ValueError(f'the text is empty; try mini-bert fill-mask "{EXAMPLE}"')
    model = chosen_model(model_path)
    check_fit(model)
    with Predictor(model) as predictor:
        filled = [(text, blanks_of(text, predictor, top)) for text in given]
    tokenizer = tokenizer_of(model)
    note_unknown([tokenizer.encoding(text) for text in given], tokenizer)
    if as_json:
        print_json(as_dict(model, filled))
    else:
        show(model, filled, console())


def blanks_of(text: str, predictor: Predictor, top: int) -> list[Blank]:
    try:
        return blanks_in(text, predictor, top)
    except ValueError as error:
        raise ValueError(f"{shorten(text, 40, placeholder='…')!r}: {error}") from None


def show(model: MiniBERT, filled: list[tuple[str, list[Blank]]], screen: Console) -> None:
    signs = [MASK, mask_of(tokenizer_of(model))]
    for number, (text, blanks) in enumerate(filled):
        line = Text(text, "bold")
        line.highlight_words(signs, "reverse")
        screen.print(*([] if number == 0 else [""]), line, sep="\n")
        for i, blank in enumerate(blanks):
            if len(blanks) > 1:
                screen.print(Text(f"\n{MASK} {i + 1} of {len(blanks)}", "dim"))
            found = bars([(guess.word, guess.probability) for guess in blank.guesses], screen.width - INDENT)
            screen.print(Padding(found, (0 if len(blanks) > 1 else 1, 0, 0, INDENT), expand=False))


def as_dict(model: MiniBERT, filled: list[tuple[str, list[Blank]]]) -> dict[str, Any]:
    return {
        "model": str(model),
        "texts": [
            {
                "text": text,
                "blanks": [
                    {"place": blank.place, "guesses": [guess._asdict() for guess in blank.guesses]}
                    for blank in blanks
                ],
            }
            for text, blanks in filled
        ],
    }
