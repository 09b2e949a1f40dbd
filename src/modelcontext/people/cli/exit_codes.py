"""Exit codes, and the errors that users cause: each ends a command with one clear message and never with a traceback."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from modelcontext.ground.files import WriteError
from modelcontext.ground.problems import PortError, UnavailableError
from modelcontext.ground.schedule.choose import ScheduleError
from modelcontext.judging.conformance.expectations import ExpectationError
from modelcontext.judging.wpt.discovery import DiscoveryError
from modelcontext.people.cli.output import print_json
from modelcontext.platform.html.forms.patterns import PatternLimitError
from modelcontext.programs.program.language import ProgramError
from modelcontext.spec.specification import SpecificationError

#: Exit code for a run that was sound and found something.
FOUND = 1
#: Exit code for wrong usage, and for an environment that lacks something.
USAGE = 2
#: Exit code after an interrupt from the keyboard, as shells have it.
INTERRUPTED = 130

_ERRORS: tuple[type[Exception], ...] = (DiscoveryError, ExpectationError, PatternLimitError, PortError)
_ERRORS += (ProgramError, ScheduleError, UnavailableError, WriteError)


@contextmanager
def exit_on_problems(
    unfinished: str = "nothing was written",
    codes: Mapping[type[Exception], int] | None = None,
    *,
    as_json: bool = False,
) -> Iterator[None]:
    """Turn the errors that users cause into a message on standard error and an exit code.

    Args:
        unfinished: tells what an interrupt leaves behind.
        codes: exit codes of errors other than USAGE. An environment that lacks something is USAGE in any case.
        as_json: also print the problem as a JSON document.
    """
    codes = codes or {}
    # A polite request to end (from a supervisor, a cancelled job) closes browsers just as an interrupt does.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    place = {}
    try:
        yield
    except KeyboardInterrupt:
        problem, code = f"interrupted; {unfinished}", INTERRUPTED
    except SpecificationError as error:
        problem, code = error.message, USAGE if error.environment else codes.get(SpecificationError, USAGE)
        place = {"file": str(error.path) if error.path else None, "line": error.line}
        if where := ":".join(str(part) for part in place.values() if part is not None):
            problem = f"{where}: {problem}"
    except tuple(codes) + _ERRORS as error:
        problem, code = str(error), codes.get(type(error), USAGE)
        if isinstance(error, UnavailableError):
            problem = f"{error.reason}\n  what to do: {error.remedy}"
        elif isinstance(error, RecursionError):
            # Of a parser: no text that a person wrote is nested by the thousand.
            problem = "the text is nested too deeply to be read"
    else:
        return
    finally:
        signal.signal(signal.SIGTERM, before)
    if as_json:
        print_json({"error": {"message": problem, **place, "exitCode": code}})
    click.echo(f"modelcontext: {problem}", err=True)
    sys.exit(code)
