"""Groups of commands whose modules are imported only when a command runs, so that help is instant."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

from mini_bert.errors import unknown

Sections = Mapping[str, Mapping[str, tuple[str, str]]]
"""title → name of a command → (module:attribute, its one-line help)"""


class LazyGroup(click.Group):
    """A group that knows names and one-line helps from its sections and imports a command to run it."""

    def __init__(self, *args: Any, sections: Sections, **settings: Any) -> None:
        super().__init__(*args, **{"invoke_without_command": True, **settings})
        self.sections = sections
        self.targets = {name: target for part in sections.values() for name, (target, _) in part.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.targets)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.targets:
            return None
        module, attribute = self.targets[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.targets:
            ctx.fail(unknown("command", args[0], list(self.targets)))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.targets))
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, (_, line) in commands.items()])
