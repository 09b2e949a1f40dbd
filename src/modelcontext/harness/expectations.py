"""Known disagreements of a product with the specification: ``wpt_tests/expectations/PRODUCT.toml``.

Only what is not allowed stands there, each with its reason:

.. code-block:: toml

    [[program]]
    name = "results/undefined"          # path of the program without its ending
    reason = "product"                  # who is wrong: "product", "spec" or "test"
    step = "imperative-execute-steps 7" # the step of the specification that the product does not follow
    observed = "call: fulfilled with \\"undefined\\""  # where its outcome leaves the allowed ones
    note = "what a reader should know"

A disagreement that is not listed, one that is listed and no longer there, and one that has changed are all findings.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REASONS = ("product", "spec", "test")
_KEYS = ("name", "reason", "step", "observed", "note")


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


def load_expectations(path: Path, steps: Container[str]) -> Mapping[str, Expectation]:
    """The expectations of a file by program; none if there is no file.

    ``steps`` has every step of the specification as ``algorithm number``. Raises :class:`ExpectationError`.
    """
    if not path.exists():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExpectationError(f"{path}: {error}") from None
    except OSError as error:
        raise ExpectationError(f"{path}: cannot be read: {error.strerror}") from None
    if set(data) - {"program"} or not isinstance(data.get("program", []), list):
        raise ExpectationError(f"{path}: a file of expectations is a list of [[program]] tables, and nothing else")
    expectations: dict[str, Expectation] = {}
    for number, table in enumerate(data.get("program", []), 1):
        expectation = _read(table, steps, f"{path}: program {number}")
        if expectation.name in expectations:
            raise ExpectationError(f'{path}: "{expectation.name}" stands there twice')
        expectations[expectation.name] = expectation
    return expectations


def _read(table: Any, steps: Container[str], place: str) -> Expectation:
    if not isinstance(table, dict):
        raise ExpectationError(f"{place}: this is no table")
    if isinstance(table.get("name"), str):
        place = f'{place} ("{table["name"]}")'
    for key in table:
        if key not in _KEYS:
            raise ExpectationError(f'{place}: unknown key "{key}"; allowed: {", ".join(_KEYS)}')
    for key in _KEYS:
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise ExpectationError(f'{place}: the key "{key}" is missing, or is no string with something in it')
    if table["reason"] not in REASONS:
        raise ExpectationError(f'{place}: the reason "{table["reason"]}" is none of {", ".join(REASONS)}')
    if table["step"] not in steps:
        raise ExpectationError(
            f'{place}: the specification has no step "{table["step"]}" (an id of an algorithm, a number)'
        )
    return Expectation(**table)
