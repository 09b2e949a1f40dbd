"""``python -m tools.lab damage``: damaged texts, of which the lint must say in a clear line what it cannot read.

Theory of operation: a damage is a function from the bytes of a text and a source of random numbers to other bytes. The
number of a damaged text is its seed, and also chooses the text and the kind of damage, so that it can be made again alone.
The lint runs as people run it, by its command. A timer of processor time, and not of the clock, ends it if it hangs.
"""

from __future__ import annotations

import random
import re
import signal
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

import click
from click.testing import CliRunner

from modelcontext.people.cli.output import one_bar
from speclint.command import FOUND, UNREADABLE, command

#: Seconds of processor time after which the lint counts as hanging.
MOST_SECONDS: Final = 30
#: A line that is clear has at most this many letters.
LONGEST_LINE: Final = 600
_LARGE: Final = 5_000_000

#: The first begin or end something; the others are words of steps that the rules follow.
_REPEATED: Final = (
    *(b"|", b"[=", b"{{", b"<div>", b"<div algorithm>\n", b"<ol><li>", b"<!--", b"    ", b"\n1. ", b"\n\n", b"&lt;"),
    *(b"a, ", b"(", b"'s ", b"|a|'s [=b=] ", b"[=a=] ", b"|a|[|b|] ", b" and ", b" or ", b"<dfn>a</dfn>"),
    b"If |a| is null, ",
)  # fmt: skip

Damage = Callable[[bytes, random.Random], bytes]


def _span(content: bytes, chance: random.Random, most: int) -> tuple[int, int]:
    """Return where a part of some bytes begins and ends, of at most so many bytes."""
    begin = chance.randrange(len(content) + 1)
    return begin, min(len(content), begin + chance.randrange(most))


def cut_end(content: bytes, chance: random.Random) -> bytes:
    """Cut the end off, between any two bytes."""
    return content[: chance.randrange(len(content) + 1)]


def cut_part(content: bytes, chance: random.Random) -> bytes:
    """Cut some thousand bytes out."""
    begin, end = _span(content, chance, 20_000)
    return content[:begin] + content[end:]


def double_part(content: bytes, chance: random.Random) -> bytes:
    """Write a part twice, or the whole text."""
    begin, end = _span(content, chance, 40_000)
    return content + content if chance.random() < 0.2 else content[:end] + content[begin:]


def reorder_lines(content: bytes, chance: random.Random) -> bytes:
    """Change the order of the lines of a part."""
    lines = content.split(b"\n")
    begin = chance.randrange(len(lines))
    part = lines[begin : begin + chance.choice((10, 100, 1_000))]
    chance.shuffle(part)
    return b"\n".join([*lines[:begin], *part, *lines[begin + len(part) :]])


def reorder_blocks(content: bytes, chance: random.Random) -> bytes:
    """Change the order of all blocks."""
    blocks = content.split(b"\n\n")
    chance.shuffle(blocks)
    return b"\n\n".join(blocks)


def encode_otherwise(content: bytes, chance: random.Random) -> bytes:
    """Write the text in another encoding, or pack it."""
    text = content.decode("utf-8", errors="replace") + "\n\u00e9 \u2019\n"
    encoding = chance.choice(
        ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "utf-7", "utf-8-sig", "cp037", "packed")
    )
    return zlib.compress(content) if encoding == "packed" else text.encode(encoding, errors="replace")


def end_lines_otherwise(content: bytes, chance: random.Random) -> bytes:
    """End lines as other systems do, or write the text on one line."""
    return content.replace(b"\n", chance.choice((b"\r", b"\r\n", b"\n\r", b"\x0c", b"\xe2\x80\xa8", b" ", b"")))


def change_bytes(content: bytes, chance: random.Random) -> bytes:
    """Write other bytes at some places."""
    changed = bytearray(content)
    choices = bytes(range(256)) if chance.random() < 0.5 else b"|[]=<>{}\"'`/-*:. \n\t\x00"
    for _ in range(chance.choice((1, 10, 100, 1_000))):
        changed[chance.randrange(len(changed))] = chance.choice(choices)
    return bytes(changed)


def lose_marks(content: bytes, chance: random.Random) -> bytes:
    """Lose some of the marks that end or begin something."""
    mark = chance.choice(
        (rb"=\]", rb"\[=", rb"</div>", rb"<div[^>]*>", rb"-->", rb"</pre>", rb"\|", rb'"', rb"\}\}", rb"\n\n")
    )
    share = chance.choice((0.01, 0.1, 1.0))
    return re.sub(mark, lambda match: b"" if chance.random() < share else match[0], content)


def indent_otherwise(content: bytes, chance: random.Random) -> bytes:
    """Indent lines by other numbers of spaces, or by tabs."""
    indents = chance.choice(([b"\t"], [b"", b" ", b"    ", b"      "], [b" " * count for count in range(40)]))
    return re.sub(rb"(?m)^ *", lambda match: match[0] + chance.choice(indents), content)


def repeat_marks(content: bytes, chance: random.Random) -> bytes:
    """Write one mark ten thousand times in a row."""
    place = chance.randrange(len(content) + 1)
    mark = chance.choice(_REPEATED)
    return content[:place] + mark * 10_000 + content[place:]


def nest_steps(content: bytes, chance: random.Random) -> bytes:
    """Put steps below steps, by the hundred."""
    step = chance.choice(
        (b"1. If |x| is null:", b"1. [=list/For each=] |x| of |y|:", b"1. [=In parallel=]:", b"* |x|:")
    )
    depth = chance.choice((50, 500, 900, 2_000))
    steps = b"".join(b"\n" + b"    " * level + step for level in range(depth))
    return content + b"\n<div algorithm>\nTo <dfn>nest</dfn> |x|:\n" + steps + b"\n</div>\n"


def enlarge(content: bytes, chance: random.Random) -> bytes:
    """Repeat the text up to five megabytes."""
    return content * (_LARGE // max(1, len(content)) + 1)


DAMAGES: Final[tuple[Damage, ...]] = (
    cut_end,
    cut_part,
    double_part,
    reorder_lines,
    reorder_blocks,
    encode_otherwise,
    end_lines_otherwise,
    change_bytes,
    lose_marks,
    indent_otherwise,
    repeat_marks,
    nest_steps,
    enlarge,
)


@dataclass(frozen=True, slots=True)
class DamagedText:
    """A damaged text: its number, the name of the text, the kind of the damage, and the bytes."""

    number: int
    source: str
    kind: str
    content: bytes


def damaged(number: int, contents: dict[str, bytes]) -> DamagedText:
    """Return the damaged text that has a number."""
    damage = DAMAGES[number % len(DAMAGES)]
    source = sorted(contents)[number // len(DAMAGES) % len(contents)]
    return DamagedText(number, source, damage.__name__, damage(contents[source], random.Random(number)))


class _HangError(BaseException):
    """The lint has computed for too long; no handler of the lint's own catches this."""


def problem_with(text: DamagedText, folder: Path) -> tuple[str, float]:
    """Lint a damaged text; return what is wrong with the answer or "", and the seconds of processor time."""
    path = folder / f"{text.number}.bs"
    path.write_bytes(text.content)
    before = signal.signal(signal.SIGPROF, _hang)
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        result = CliRunner().invoke(command, [str(path)])
    except _HangError:
        return f"no answer after {MOST_SECONDS} seconds of processor time", time.process_time() - begin
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        path.unlink()
    seconds = time.process_time() - begin
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        place = traceback.extract_tb(result.exception.__traceback__)[-1]
        return f"{type(result.exception).__name__} in {Path(place.filename).name}:{place.lineno}", seconds
    if result.exit_code not in (0, FOUND, UNREADABLE):
        return f"exit code {result.exit_code}", seconds
    lines = result.stderr.splitlines()
    if not lines or path.name not in lines[-1]:
        return "no line that names the text", seconds
    if (long := max(map(len, lines))) > LONGEST_LINE:
        return f"a line of {long:,} letters", seconds
    return "", seconds


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise _HangError


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--count", type=click.IntRange(min=1), default=500, show_default=True, help="The number of damaged texts."
)
@click.option("--first", type=click.IntRange(min=0), default=0, show_default=True, help="The number of the first.")
def damage(files: tuple[Path, ...], count: int, first: int) -> None:
    """Damage texts in thirteen ways, and lint them: each has to end with a line that names it, and without a traceback.

    The same number is the same damage. Exit code 0: the lint answers each; 1: it does not, and the numbers are listed.
    """
    contents = {file.name: file.read_bytes() for file in files}
    problems = 0
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder, one_bar("linting damaged texts", count) as advance:
        for number in range(first, first + count):
            text = damaged(number, contents)
            problem, seconds = problem_with(text, Path(folder))
            slowest = max(slowest, seconds)
            if problem:
                problems += 1
                click.echo(f"{number}: {text.source}: {text.kind}: {problem}")
            advance(1)
    click.echo(f"{count} damaged texts, {problems} without a clear answer; the slowest took {slowest:.1f} s")
    sys.exit(FOUND if problems else 0)
