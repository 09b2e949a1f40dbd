"""What a user can cause ends a command with one clear line and the right exit code, never with a traceback."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from modelcontext.conformance.expectations import ExpectationError
from modelcontext.files import WriteError
from modelcontext.problems import PortError, UnavailableError
from modelcontext.program.language import ProgramError
from modelcontext.specification import SpecificationError
from modelcontext.wpt.discovery import DiscoveryError

#: Exit code for wrong usage and for an environment that lacks something.
USAGE = 2
#: Exit code after an interrupt from the keyboard, as shells have it.
INTERRUPTED = 130


@contextmanager
def exit_on_problems(unfinished: str = "nothing was written") -> Iterator[None]:
    """Turn the errors that users cause into a message on standard error and an exit code.

    ``unfinished`` says what an interrupt leaves behind.
    """
    code = USAGE
    # A polite request to end (from a supervisor, a cancelled job) closes browsers just as an interrupt does.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except (ProgramError, ExpectationError, DiscoveryError, PortError, WriteError) as error:
        problem = str(error)
    except SpecificationError as error:
        problem = error.message
    except UnavailableError as error:
        problem = f"{error.reason}\n  what to do: {error.remedy}"
    except KeyboardInterrupt:
        problem = f"interrupted; {unfinished}"
        code = INTERRUPTED
    else:
        return
    finally:
        signal.signal(signal.SIGTERM, before)
    click.echo(f"modelcontext: {problem}", err=True)
    sys.exit(code)
