"""The classes of commands: their help shows ten options at first, and the others under a heading of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click

#: The most options in the first list of a help page.
FIRST: Final = 10


class Verb(click.Command):
    """A command whose help has the options in two lists if there are many."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in the order in which they are declared, with --help at the end of the first list."""
        write_options(self, ctx, formatter)


class Verbs(click.Group):
    """A group of commands; its help has them in the order in which they are declared."""

    command_class = Verb

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in order."""
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options as a :class:`Verb` does, then the commands."""
        write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with its first sentence as a whole."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _first_paragraph(one)) for name, one in found if one is not None and not one.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _first_paragraph(command: click.Command) -> str:
    return " ".join((command.help or "").partition("\n\n")[0].split())


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the options of a command in one list, or in two."""
    options = [one for one in command.get_params(ctx) if isinstance(one, click.Option)]
    records = [record for one in options if (record := one.get_help_record(ctx)) is not None]
    *others, help_ = records
    first, more = ([*others[: FIRST - 1], help_], others[FIRST - 1 :]) if len(records) > FIRST else (records, [])
    for title, some in (("Options", first), ("More options", more)):
        if some:
            with formatter.section(title):
                formatter.write_dl(some)


def verb(**attributes: Any) -> Callable[[Callable[..., Any]], Verb]:
    """Return the decorator that makes a function a verb."""
    return click.command(cls=Verb, **attributes)


def verbs(**attributes: Any) -> Callable[[Callable[..., Any]], Verbs]:
    """Return the decorator that makes a function a group of verbs."""
    return click.group(cls=Verbs, **attributes)
