"""Known disagreements of a product with the specification: ``wpt_tests/expectations/PRODUCT.toml``.

Only what is not allowed stands there. An entry is one cause, with its reason, and with what is observed in one program
or, where several show it, in each of them:

.. code-block:: toml

    [[program]]
    name = "results/undefined"          # path of the program without its ending
    reason = "product"                  # who is wrong: "product", "spec" or "test"
    step = "imperative-execute-steps 7" # the step of the specification that the product does not follow
    observed = "call: fulfilled with \\"undefined\\""  # where its outcome leaves the allowed ones
    note = "what a reader should know"
    link = "https://..."                # where it is reported; may be left out: the program reproduces it

    [[program]]
    reason = "product"
    step = "imperative-execute-steps 12.a.3"
    note = "what a reader should know"
    [program.observed]
    "results/bigint" = "executeTool: fulfilled with \\"1\\""
    "results/nan" = "executeTool: fulfilled with \\"NaN\\""

A disagreement that is not listed, one that is listed and no longer there, and one that has changed are all surprises.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

REASONS: Final = ("product", "spec", "test")
#: The keys that every entry of every such file has.
CAUSE: Final = ("reason", "step", "note")


class ExpectationError(ValueError):
    """A file of expectations is not valid; the message says where and why."""


@dataclass(frozen=True)
class Expectation:
    """One known disagreement."""

    name: str
    reason: str
    step: str
    observed: str
    note: str
    link: str | None = None


def load_expectations(path: Path, steps: Container[str]) -> Mapping[str, Expectation]:
    """The expectations of a file by program; none if there is no file.

    ``steps`` has every step of the specification as ``algorithm number``. Raises :class:`ExpectationError`.
    """
    expectations: dict[str, Expectation] = {}
    for place, table in read_entries(path, "program"):
        for name, observed in _observed(table, place).items():
            if name in expectations:
                raise ExpectationError(f'{path}: "{name}" stands there twice')
            cause = read_cause(table, ("name", "observed"), steps, place)
            expectations[name] = Expectation(name=name, observed=observed, **cause)
    return expectations


def read_entries(path: Path, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every table of that name in a file, and the place to name in messages. Raises :class:`ExpectationError`."""
    if not path.exists():
        return
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExpectationError(f"{path}: {error}") from None
    except OSError as error:
        raise ExpectationError(f"{path}: cannot be read: {error.strerror}") from None
    tables = data.get(key, [])
    if set(data) - {key} or not isinstance(tables, list):
        raise ExpectationError(f"{path}: a file of expectations is a list of [[{key}]] tables, and nothing else")
    for number, table in enumerate(tables, 1):
        if not isinstance(table, dict):
            raise ExpectationError(f"{path}: {key} {number}: this is no table")
        name = f' ("{table["name"]}")' if isinstance(table.get("name"), str) else ""
        yield f"{path}: {key} {number}{name}", table


def read_cause(table: Mapping[str, Any], others: tuple[str, ...], steps: Container[str], place: str) -> dict[str, Any]:
    """Reason, step, note and link of an entry, which may have those other keys, too. Raises :class:`ExpectationError`."""
    allowed = (*others, *CAUSE, "link")
    for key in table:
        if key not in allowed:
            raise ExpectationError(f'{place}: unknown key "{key}"; allowed: {", ".join(allowed)}')
    for key in CAUSE:
        read_text(table, key, place)
    if table["reason"] not in REASONS:
        raise ExpectationError(f'{place}: the reason "{table["reason"]}" is none of {", ".join(REASONS)}')
    if table["step"] not in steps:
        raise ExpectationError(
            f'{place}: the specification has no step "{table["step"]}" (an id of an algorithm, a number)'
        )
    if "link" in table and not read_text(table, "link", place).startswith("https://"):
        raise ExpectationError(f'{place}: the link "{table["link"]}" does not start with https://')
    return {**{key: table[key] for key in CAUSE}, "link": table.get("link")}


def read_text(table: Mapping[str, Any], key: str, place: str) -> str:
    """The value of a key that has to be there, and to say something. Raises :class:`ExpectationError`."""
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ExpectationError(f'{place}: the key "{key}" is missing, or is no string with something in it')
    return value


def _observed(table: Mapping[str, Any], place: str) -> Mapping[str, str]:
    """What an entry says is observed, by program."""
    if "name" in table:
        return {read_text(table, "name", place): read_text(table, "observed", place)}
    observed = table.get("observed")
    if not isinstance(observed, dict) or not observed:
        raise ExpectationError(f'{place}: an entry has a "name", or a table "observed" of what each program shows')
    return {name: read_text(observed, name, place) for name in observed}
