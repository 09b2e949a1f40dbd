"""Exit codes, and the errors that users cause: each ends a command with one clear message and never with a traceback.

====  =====================================================================================================
code  meaning
====  =====================================================================================================
0     the verb has done its work, and nothing is wrong
1     the work is done, and something was found: a deviation, an unexpected result, a file that is out of date
2     wrong usage, something is missing on this machine, or a run could not be judged
3     a text of a specification cannot be read (``--text``, ``spec lint``, ``spec drift``, ``spec diff``, ``spec impact``)
4     there is nothing to compare (``spec drift``)
130   interrupted by Ctrl+C or a request to end; the verb has shown or written its results so far
141   the reader of the standard output has left, as ``head`` does
====  =====================================================================================================

docs/command-line.md has the same table for users.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import click

from modelcontext.ground.problems import UnavailableError, UserError, shortened
from modelcontext.people.cli.streams import OutputError, end_without_output
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.spec.specification import SpecificationError

FOUND: Final = 1
USAGE: Final = 2
UNREADABLE: Final = 3
NOTHING: Final = 4
INTERRUPTED: Final = 130


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
    expected: tuple[type[Exception], ...] = (UserError, *codes)
    # A polite request to end (from a supervisor, a cancelled job) closes browsers just as an interrupt does.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    place = {}
    try:
        yield
    except KeyboardInterrupt:
        problem, code = f"interrupted; {unfinished}", INTERRUPTED
    except OutputError as error:
        end_without_output(error)
    except SpecificationError as error:
        problem, code = error.message, USAGE if error.environment else codes.get(SpecificationError, USAGE)
        place = {"file": str(error.path) if error.path else None, "line": error.line}
        if where := ":".join(str(part) for part in place.values() if part is not None):
            problem = f"{where}: {problem}"
    except NoMeaningError as error:
        problem, code = str(error), USAGE
    except expected as error:
        problem, code = in_words(error), codes.get(type(error), USAGE)
    except OSError as error:
        # Without a name of a file it is about something that only this program knows.
        if error.filename is None:
            raise
        problem, code = f"{error.filename}: {error.strerror}", USAGE
    else:
        return
    finally:
        signal.signal(signal.SIGTERM, before)
    problem = shortened(problem)
    if as_json:
        click.echo(json.dumps({"error": {"message": problem, **place, "exitCode": code}}, indent=2))
    click.echo(f"modelcontext: {problem}", err=True)
    sys.exit(code)


def in_words(error: Exception) -> str:
    """Return the message for an error that a user causes."""
    if isinstance(error, UnavailableError):
        return f"{error.reason}\n  what to do: {error.remedy}"
    if isinstance(error, RecursionError):
        # Of a parser: no text that a person wrote is nested by the thousand.
        return "the text is nested too deeply to be read"
    return str(error)


class Interruption:
    """An interrupt that ends a verb's work early. The verb then shows and writes its results so far.

    Put the work into ``with interruption.kept():``, and call :meth:`end` after the results.
    """

    def __init__(self) -> None:
        self.happened = False

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Run work to its end, or to an interrupt."""
        try:
            yield
        except KeyboardInterrupt:
            self.happened = True

    def end(self, missing: str) -> None:
        """Exit if there was an interrupt; ``missing`` says what is not among the results."""
        if self.happened:
            click.echo(f"modelcontext: interrupted; {missing}", err=True)
            sys.exit(INTERRUPTED)
