"""`mini-bert explore`: the explorer in the browser."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  mini-bert explore
  mini-bert explore --text "The cat sat on the [MASK]."
  mini-bert explore --model runs/stories
  mini-bert explore --model mini-best --port 9000 --no-browser

It listens on this machine only, and needs no network. The address in the browser holds what you see: keep it, or send
it to somebody who runs the explorer too.
"""


@click.command(epilog=EPILOG)
@click.option(
    "--model",
    "model_path",
    metavar="MODEL",
    help="mini, mini-best, a model's folder, a run, one of its checkpoints, or last: the newest run.  "
    "[default: $MINI_BERT_MODEL, or mini]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Where to listen.  [default: 8192, or another one if that is taken]",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Listen here instead of on this machine only."
)
@click.option("--text", help="Open with this sentence.")
@click.option("--no-browser", is_flag=True, help="Only tell the address.")
def command(model_path: str | None, port: int | None, host: str, text: str | None, no_browser: bool) -> None:
    """Watch a model think and learn, in the browser.

    Type a sentence and see it cut into pieces, follow it through the model number by number, see where each head
    looks, what is told and why, how the gradient goes back, and how a step of learning changes it all.
    """
    from mini_bert.cli.models import tell
    from mini_bert.cli.threads import one_blas_thread
    from mini_bert.explorer.desk import Desk
    from mini_bert.explorer.library import Library
    from mini_bert.explorer.serve import serve
    from mini_bert.inference.reading import tokenizer_of

    library = Library.found(model_path)
    tokenizer_of(library.model())
    tell(f"model: {library.default}")
    with one_blas_thread():
        serve(Desk(library), port=port, host=host, text=text, browser=not no_browser, tell=click.echo)
