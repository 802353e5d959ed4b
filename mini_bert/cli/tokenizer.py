"""`mini-bert tokenizer`: from text to pieces, and how a vocabulary is learned."""

import click

from mini_bert.cli.lazy import LazyGroup

SECTIONS = {
    "Commands": {
        "train": ("mini_bert.cli.tokenizer_train:command", "Learn a vocabulary from text."),
        "encode": ("mini_bert.cli.tokenizer_encode:command", "Cut a text into pieces, with ids and places."),
        "explain": (
            "mini_bert.cli.tokenizer_explain:command",
            "Watch a vocabulary being learned, merge by merge.",
        ),
    }
}

EPILOG = """\b
Examples:
  mini-bert tokenizer explain --text "a hen and ten hens"
  mini-bert tokenizer train world --out my-vocabulary
  mini-bert tokenizer encode "Unbelievable!" --tokenizer my-vocabulary
"""


@click.group(cls=LazyGroup, sections=SECTIONS, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Learn a vocabulary, and see text cut into pieces."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
