"""`mini-bert data`: the text to learn from, and to measure with."""

import click

from mini_bert.cli.lazy import LazyGroup

SECTIONS = {
    "Commands": {
        "list": ("mini_bert.cli.data_list:command", "Show which text there is, and what is on this machine."),
        "get": ("mini_bert.cli.data_get:command", "Download a set, or install a copy of it."),
        "sample": ("mini_bert.cli.data_sample:command", "Print text of a corpus, or make a file of it."),
        "build": ("mini_bert.cli.data_build:command", "Build a corpus to pretrain on, from public text."),
        "prepare": ("mini_bert.cli.data_prepare:command", "Turn text into tokens, ready to train on."),
    }
}

EPILOG = """\b
Examples:
  mini-bert data list
  mini-bert data sample world
  mini-bert data prepare my-texts/
  mini-bert data get wikitext-2

The corpora world and python-docs come with the package and need no download.
"""


@click.group(cls=LazyGroup, sections=SECTIONS, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Find, download, look at and prepare text."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
