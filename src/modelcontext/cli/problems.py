"""What a user can cause ends a command with one clear line and exit code 2, never with a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from modelcontext.harness.server import PortError
from modelcontext.products.base import UnavailableError
from modelcontext.program.language import ProgramError

#: Exit code for wrong usage and for an environment that lacks something.
USAGE = 2


@contextmanager
def exit_on_problems() -> Iterator[None]:
    """Turn the errors that users cause into a message on standard error and exit code 2."""
    try:
        yield
    except (ProgramError, PortError) as error:
        problem = str(error)
    except UnavailableError as error:
        problem = f"{error.reason}\n  what to do: {error.remedy}"
    except KeyboardInterrupt:
        problem = "interrupted"
    else:
        return
    click.echo(f"modelcontext: {problem}", err=True)
    sys.exit(USAGE)
