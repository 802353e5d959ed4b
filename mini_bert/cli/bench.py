"""`mini-bert bench`: the speed of this machine on our work, and that of others on the same work."""

import click

from mini_bert.cli.lazy import LazyGroup

SECTIONS = {
    "Commands": {
        "train": (
            "mini_bert.cli.bench_train:command",
            "A training step: time, memory, and share of the machine's peak.",
        ),
        "inference": (
            "mini_bert.cli.bench_inference:command",
            "A forward pass: time, memory, and share of the machine's peak.",
        ),
        "tokenizer": (
            "mini_bert.cli.bench_tokenizer:command",
            "Encode text, and learn a vocabulary from it.",
        ),
        "explorer": (
            "mini_bert.cli.bench_explorer:command",
            "A sentence is typed: how soon every view of the explorer is fresh.",
        ),
    }
}

EPILOG = """\b
Examples:
  mini-bert bench train
  mini-bert bench inference
  mini-bert bench tokenizer
  mini-bert bench tokenizer wikipedia.txt --mb 20
  mini-bert bench explorer

The others are compared with where they are: in a clone of the repository, after pip install -e ".[parity]".
"""


@click.group(cls=LazyGroup, sections=SECTIONS, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Measure speed: ours, and others' in the same run."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
