"""The command line."""

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence

import click

from mini_bert import __version__
from mini_bert.cli.lazy import LazyGroup
from mini_bert.training.cluster.started import end_those_who_wait, is_waited_for

REMEDIES = dict.fromkeys(
    (errno.EACCES, errno.EPERM, errno.EROFS),
    "ask for the right to read and write there, or choose another place",
) | {errno.ENOSPC: "make room on the disk, or choose another place"}
SECTIONS = {
    "Start here": {
        "demo": (
            "mini_bert.cli.demo:command",
            "Train a small model for two minutes and show what it learned.",
        ),
        "course": (
            "mini_bert.cli.course:command",
            "Learn it all by writing it yourself, checked exercise by exercise.",
        ),
    },
    "Use a model": {
        "fill-mask": ("mini_bert.cli.fill_mask:command", "Say which words are hidden in a text."),
        "generate": ("mini_bert.cli.generate:command", "Write on from a beginning."),
        "embed": ("mini_bert.cli.embed:command", "Make a vector of each text, and find those alike."),
        "predict": ("mini_bert.cli.predict:command", "Tell the class of a text, or tags of its words."),
    },
    "Look inside": {
        "explore": ("mini_bert.cli.explore:command", "Watch a model think and learn, in the browser."),
        "info": ("mini_bert.cli.info:command", "Count the parameters, memory and FLOPs of a model."),
        "compare": ("mini_bert.cli.compare:command", "Tell in which parts and sizes two models differ."),
        "zoo": ("mini_bert.cli.zoo:command", "List the BERT family, each member by what it changed."),
        "attention": ("mini_bert.cli.attention:command", "Tell where each head looks in your text."),
        "trace": ("mini_bert.cli.trace:command", "Follow the forward pass on your text, step by step."),
        "gradflow": (
            "mini_bert.cli.gradflow:command",
            "Follow the gradient from the loss back to the embeddings.",
        ),
        "gradcheck": ("mini_bert.cli.gradcheck:command", "Prove every gradient numerically."),
    },
    "Train": {
        "train": ("mini_bert.cli.train:command", "Train a model to find hidden words."),
        "finetune": (
            "mini_bert.cli.finetune:command",
            "Teach a trained model to tell classes or tags, beside baselines.",
        ),
        "find-rate": ("mini_bert.cli.find_rate:command", "Find a learning rate by a sweep."),
        "runs": ("mini_bert.cli.runs:command", "List runs and compare them."),
        "experiment": ("mini_bert.cli.experiment:command", "Ask which recipe trains best, run by run."),
        "diagnose": ("mini_bert.cli.diagnose:command", "Tell what is wrong with a run, if anything is."),
        "average": ("mini_bert.cli.average:command", "Make one model of several weights of a training."),
        "pack": ("mini_bert.cli.pack:command", "Pack a run's model to be shipped, with its model card."),
    },
    "Examine": {
        "evaluate": ("mini_bert.cli.evaluate:command", "Ask all that a model can be asked, in one report."),
        "probe": ("mini_bert.cli.probe:command", "Tell what each layer knows of language."),
        "metrics": ("mini_bert.cli.metrics:command", "Tell how well a model does what it was trained for."),
        "minimal-pairs": (
            "mini_bert.cli.minimal_pairs:command",
            "Tell how often a model prefers the grammatical one of two sentences.",
        ),
        "representations": (
            "mini_bert.cli.representations:command",
            "Tell what states and attention are like at every layer.",
        ),
    },
    "Measure": {
        "profile": ("mini_bert.cli.profile:command", "See where the time of a training step goes."),
        "estimate": (
            "mini_bert.cli.estimate:command",
            "Foretell time and memory of training on this machine.",
        ),
        "bench": ("mini_bert.cli.bench:command", "Time our work, and others' in the same run."),
    },
    "Text": {
        "tokenizer": ("mini_bert.cli.tokenizer:command", "Learn a vocabulary, and see text cut into pieces."),
        "data": ("mini_bert.cli.data:command", "Find, download, look at and prepare text."),
    },
}

EPILOG = """\b
Examples:
  mini-bert demo
  mini-bert fill-mask "The cat is sleeping on the [MASK]."
  mini-bert trace "The cat sat on the [MASK]."
  mini-bert gradcheck --preset mini
  mini-bert info --preset bert-base

MINI_BERT_DEBUG=1 shows the traceback behind an error message.
"""


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A BERT in pure NumPy to read, derive, train, probe and watch."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 2 after a user's error, 130 after an interrupt.

    A command reports a user's error by raising ValueError, and any other failure by `ctx.exit(1)`.
    """
    try:
        code = code_of(argv)
    except BaseException:
        if is_waited_for():
            traceback.print_exc()
            end_those_who_wait()
        raise
    if code:
        end_those_who_wait()
    return code


def code_of(argv: Sequence[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # γ or ∂ must not crash a cp1252 console
    try:
        code = cli.main(argv, prog_name="mini-bert", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except ValueError as error:
        if os.environ.get("MINI_BERT_DEBUG") == "1":
            raise
        click.echo(f"error: {error}", err=True)
        return 2
    except OSError as error:
        if not _reader_left(error):
            if os.environ.get("MINI_BERT_DEBUG") == "1":
                raise
            told = f"{error.filename or 'output'}: {error.strerror}" if error.strerror else str(error)
            remedy = REMEDIES.get(error.errno or 0, "")
            click.echo(f"error: {told}{remedy and f'; {remedy}'}", err=True)
            return 2
        # The interpreter flushes once more at exit; what is left goes nowhere instead of raising again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code if isinstance(code, int) else 0


def _reader_left(error: OSError) -> bool:
    """Whether the other end of our pipe closed. Windows says EINVAL, and names no file."""
    return error.errno == errno.EPIPE or (
        os.name == "nt" and error.errno == errno.EINVAL and error.filename is None
    )
