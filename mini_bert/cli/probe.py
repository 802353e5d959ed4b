"""`mini-bert probe`: what the layers of a model know of language."""

import click

from mini_bert.cli.lazy import LazyGroup

SECTIONS = {
    "Commands": {
        "pos": ("mini_bert.cli.probe_words:pos", "Tell the part of speech of each word."),
        "relations": ("mini_bert.cli.probe_words:relations", "Tell how each word depends on its head."),
        "edges": ("mini_bert.cli.probe_words:edges", "Tell whether a word is another one's head."),
        "distances": (
            "mini_bert.cli.probe_distances:command",
            "Tell a sentence's tree from distances of words.",
        ),
        "entities": ("mini_bert.cli.probe_words:entities", "Tell which words are names, and of what."),
        "coreference": ("mini_bert.cli.probe_coreference:command", "Tell which words speak of the same."),
        "custom": (
            "mini_bert.cli.probe_custom:command",
            "Tell labels of your own, from any column of a file.",
        ),
    }
}

EPILOG = """\b
Examples:
  mini-bert probe pos --max-sentences 100
  mini-bert probe relations --quick
  mini-bert probe pos --data tasks --quick --json
  mini-bert probe entities --train train.iob2 --test test.iob2
  mini-bert probe custom --train train.conllu --test test.conllu --column 4

Without data of yours, the embedded world is asked, whose labels are known.
"""


@click.group(cls=LazyGroup, sections=SECTIONS, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train small classifiers on the frozen vectors of a model's layers.

    Beside each score stands what the words alone tell, what the same network with random weights reaches, and how well
    labels that mean nothing are learned.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
