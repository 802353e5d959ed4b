"""`mini-bert tokenizer encode`: a text cut into pieces."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from dataclasses import asdict
from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.screen import console, print_json, table
from mini_bert.errors import counted
from mini_bert.plain_json import whole_characters
from mini_bert.tokenizers.encoding import Encoding
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer

STANDS_FOR = "stands for"
WORLD, WORLD_VOCABULARY = "world:2000", 8192

EPILOG = """\b
Examples:
  mini-bert tokenizer encode "The wolves were running home."
  mini-bert tokenizer encode "Is it cold?" --pair "It is [MASK]."
  mini-bert tokenizer encode "Unbelievable!" --tokenizer my-vocabulary --json
  cat tale.txt | mini-bert tokenizer encode - --ids
"""


@click.command(epilog=EPILOG)
@click.argument("text")
@click.option(
    "--tokenizer",
    "place",
    type=click.Path(path_type=Path),
    help="A folder, a tokenizer.json or a vocab.txt.  [default: learned from the embedded world]",
)
@click.option("--pair", help="A second text.")
@click.option("--max-length", type=click.IntRange(min=0), help="Cut down to so many pieces.")
@click.option("--pad-to", type=click.IntRange(min=0), help="Fill up to so many pieces.")
@click.option("--no-special-tokens", is_flag=True, help="Without [CLS] and [SEP].")
@click.option("--ids", "only_ids", is_flag=True, help="Only the ids, in one line.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(
    text: str,
    place: Path | None,
    pair: str | None,
    max_length: int | None,
    pad_to: int | None,
    no_special_tokens: bool,
    only_ids: bool,
    as_json: bool,
) -> None:
    """Cut TEXT ("-": standard input) into pieces, with their ids and the places they stand for."""
    if only_ids and as_json:
        raise ValueError("--ids and --json are two forms of the same; --json has the ids, too")
    tokenizer = load_tokenizer(place) if place else learned_from_the_world()
    text, replaced = read_standard_input() if text == "-" else whole_characters(text)
    if pair is not None:
        pair, more = whole_characters(pair)
        replaced += more
    if replaced:
        click.echo(f"note: {counted(replaced, 'byte')} not UTF-8, replaced by U+FFFD", err=True)
    if only_ids and pair is None and max_length is None and pad_to is None:
        click.echo(" ".join(map(str, tokenizer.encode(text, not no_special_tokens))))
        return
    encoding = tokenizer.encoding(
        text, pair, add_special_tokens=not no_special_tokens, max_length=max_length, pad_to=pad_to
    )
    if as_json:
        print_json({"text": text, "pair": pair, "tokenizer": describe(tokenizer, place), **asdict(encoding)})
    elif only_ids:
        click.echo(" ".join(map(str, encoding.ids)))
    else:
        show(encoding, text, pair, describe(tokenizer, place))


def read_standard_input() -> tuple[str, int]:
    """Its text, and how many bytes were not UTF-8."""
    raw = sys.stdin.buffer.read().removeprefix(BOM_UTF8)
    text = raw.decode(errors="replace")
    return text, text.count("\ufffd") - raw.count("\ufffd".encode())


def learned_from_the_world() -> Tokenizer:
    """The vocabulary of the small world, learned at the first call and kept."""
    from mini_bert.data.corpus import corpus
    from mini_bert.data.vocabularies import learned_vocabulary

    return learned_vocabulary(corpus(WORLD), WORLD_VOCABULARY)[0]


def describe(tokenizer: Tokenizer, place: Path | None) -> str:
    return f"{type(tokenizer).__name__}, {tokenizer.vocab_size:,} pieces, {place or 'learned from the embedded world'}"


def show(encoding: Encoding, text: str, pair: str | None, tokenizer: str) -> None:
    screen = console()
    title = f"{counted(len(encoding), 'piece')} ({tokenizer})"
    made = table(title, "piece", "id", STANDS_FOR, "at", "word", "segment", shortened=[STANDS_FOR])
    for i, token in enumerate(encoding.tokens):
        start, end = encoding.offsets[i]
        source = pair or "" if encoding.sequence_ids[i] == 1 else text
        word = encoding.word_ids[i]
        made.add_row(
            f"[dim]{escape(token)}[/]" if encoding.special_tokens_mask[i] else f"[bold]{escape(token)}[/]",
            str(encoding.ids[i]),
            "" if word is None else escape(repr(source[start:end])[1:-1]),
            "" if word is None else f"{start}-{end}",
            "" if word is None else str(word),
            str(encoding.type_ids[i]) if encoding.attention_mask[i] else "",
        )
    screen.print(made)
    screen.print(f"{words_and_pieces(encoding)}", soft_wrap=True)


def words_and_pieces(encoding: Encoding) -> str:
    """How many pieces a word has here."""
    numbered = zip(encoding.sequence_ids, encoding.word_ids, strict=True)
    kept = [(sequence, word) for sequence, word in numbered if word is not None]
    words = len(set(kept))
    each = len(kept) / max(words, 1)
    return f"{counted(words, 'word')}, {counted(len(kept), 'piece')}: {each:.2f} pieces a word"
