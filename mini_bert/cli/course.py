"""`mini-bert course`: exercises that check themselves, from a dot product to a whole BERT."""

import click

from mini_bert.cli.lazy import LazyGroup

SECTIONS = {
    "Learn": {
        "init": ("mini_bert.cli.course_init:command", "Make a folder with all exercises."),
        "next": ("mini_bert.cli.course_next:command", "Read the next exercise: its idea and its task."),
        "check": ("mini_bert.cli.course_check:command", "Tell whether your code is right, and if not, why."),
        "watch": ("mini_bert.cli.course_watch:command", "Check again whenever you save."),
        "hint": ("mini_bert.cli.course_hint:command", "Show a hint; the next one tells more."),
        "solution": ("mini_bert.cli.course_solution:command", "Show our solution, after you have passed."),
        "list": ("mini_bert.cli.course_list:command", "List the exercises, and how far you are."),
        "reset": ("mini_bert.cli.course_reset:command", "Begin an exercise anew; your file is kept."),
    },
    "Teach": {
        "report": ("mini_bert.cli.course_report:command", "Tell how far many learners are."),
    },
}

EPILOG = """\b
Examples:
  mini-bert course init my-course
  cd my-course
  mini-bert course next
  mini-bert course check
  mini-bert course hint
  mini-bert course report class/*

Inside the course's folder nothing else has to be named; elsewhere --dir names it.
"""


@click.group(cls=LazyGroup, sections=SECTIONS, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Learn it all by writing it yourself, checked exercise by exercise.

    Each exercise is a file with a gap, a page with the idea and the equation, and a check that tells what is wrong.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
