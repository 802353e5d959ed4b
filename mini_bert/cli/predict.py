"""`mini-bert predict`: what a fine-tuned model says of texts."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mini_bert.cli.bars import bars
from mini_bert.cli.given_texts import given_texts
from mini_bert.cli.models import chosen_model
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.units import percent
from mini_bert.errors import counted
from mini_bert.finetuning.saving import learned_pairs
from mini_bert.inference.labels import (
    Classified,
    TaggedWord,
    check_head,
    check_one_for_each,
    classes_of,
    tags_of,
)
from mini_bert.models.mini import MiniBERT

INDENT = 2
MOST_SHOWN, MOST_LETTERS = 8, 400

EPILOG = """\b
Examples:
  mini-bert predict runs/sentiment-1 "She smiled all day." "It rained again."
  mini-bert predict runs/ner-1 "Amy Everett lived in Larkhollow."
  mini-bert predict same-meaning "How old are you?" --pair "What is your age?"
  cat reviews.txt | mini-bert predict runs/sst2-1 - --json
"""


@click.command(epilog=EPILOG)
@click.argument("model_path", metavar="MODEL")
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "--pair", "pairs", multiple=True, metavar="TEXT", help="The second text; one for each TEXT, in order."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the bars.")
def command(model_path: str, texts: tuple[str, ...], pairs: tuple[str, ...], as_json: bool) -> None:
    """Tell the class of each TEXT ("-": the lines of standard input), or the tags of its words.

    MODEL is a folder that mini-bert finetune wrote, or a classifier or tagger in the format of transformers.
    """
    given, seconds = not_empty(given_texts(texts), given_texts(pairs) if pairs else None)
    if not given:
        raise ValueError('the text is empty; try mini-bert predict MODEL "She smiled all day."')
    model = chosen_model(model_path)
    if model.config.head == "tags":
        if pairs:
            raise ValueError("--pair: this model tags the words of one text; leave it out")
        tagged = tags_of(model, given)
        if as_json:
            print_json(tags_as_dict(model, given, tagged))
        else:
            show_tags(given, tagged, console())
        return
    check_head(model, "classes")
    is_taught = learned_pairs(model.folder)
    if is_taught and not pairs:
        raise ValueError("this model was taught on pairs of texts; give the second one with --pair")
    if pairs and is_taught is False:
        raise ValueError("--pair: this model was taught on single texts; leave it out")
    found = classes_of(model, given, seconds or None)
    if as_json:
        print_json(classes_as_dict(model, given, seconds, found))
    else:
        show_classes(given, seconds, found, console())


def not_empty(texts: list[str], seconds: list[str] | None) -> tuple[list[str], list[str]]:
    """The texts without blank lines, and the second ones beside them, if there are any."""
    if seconds is None:
        return [text for text in texts if text.strip()], []
    check_one_for_each(texts, seconds)
    both = [pair for pair in zip(texts, seconds, strict=True) if any(map(str.strip, pair))]
    for first, second in both:
        if not (first.strip() and second.strip()):
            raise ValueError(
                f"{(first.strip() or second)!r}: the other text of this pair is empty; give both, or neither"
            )
    return [first for first, _ in both], [second for _, second in both]


def show_classes(texts: list[str], pairs: list[str], found: list[Classified], screen: Console) -> None:
    for i, (text, one) in enumerate(zip(texts, found, strict=True)):
        told = [shorten(one, MOST_LETTERS, placeholder=" …") for one in (text, *pairs[i : i + 1])]
        screen.print(*([] if i == 0 else [""]), *(Text(one, "bold") for one in told), sep="\n")
        shown = bars(one.labels[:MOST_SHOWN], screen.width - INDENT)
        screen.print(Padding(shown, (0, 0, 0, INDENT), expand=False))
    note_cut(sum(one.is_cut for one in found))


def show_tags(texts: list[str], found: list[list[TaggedWord]], screen: Console) -> None:
    for i, words in enumerate(found):
        made = Table.grid(padding=(0, 2))
        for _ in range(3):
            made.add_column(no_wrap=True)
        for word, _, _, tag in words:
            name, sure = (tag.name, percent(tag.probability, 0)) if tag else ("–", "")
            made.add_row(Text(word), Text(name, "dim" if name == "O" else "cyan"), Text(sure, "dim"))
        screen.print(*([] if i == 0 else [""]), made, sep="\n")
    note_cut(sum(any(word.tag is None for word in words) for words in found))


def note_cut(cut: int) -> None:
    if cut:
        click.echo(
            f"note: {counted(cut, 'text')} longer than the model reads; the end was left out", err=True
        )


def classes_as_dict(
    model: MiniBERT, texts: list[str], pairs: list[str], found: list[Classified]
) -> dict[str, Any]:
    return {
        "model": str(model),
        "texts": [
            {
                "text": text,
                **({"pair": pairs[i]} if pairs else {}),
                "label": one.labels[0].name,
                "probability": one.labels[0].probability,
                "classes": {label.name: label.probability for label in one.labels},
                "is_cut": one.is_cut,
            }
            for i, (text, one) in enumerate(zip(texts, found, strict=True))
        ],
    }


def tags_as_dict(model: MiniBERT, texts: list[str], found: list[list[TaggedWord]]) -> dict[str, Any]:
    return {
        "model": str(model),
        "texts": [
            {
                "text": text,
                "words": [
                    {
                        "word": one.word,
                        "start": one.start,
                        "end": one.end,
                        "tag": one.tag and one.tag.name,
                        "probability": one.tag and one.tag.probability,
                    }
                    for one in words
                ],
            }
            for text, words in zip(texts, found, strict=True)
        ],
    }
