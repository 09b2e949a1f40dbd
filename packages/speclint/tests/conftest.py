"""Fixtures of the tests of prose: a sample text whose last algorithm has the steps of a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TypeAlias

import pytest

from speclint.prose.prose_text import Step, Text
from speclint.prose.reading import read_prose
from speclint.prose.tree import Call, Constant, Entry, Item, Member, Node, Variable
from speclint.text.source import read_text

SAMPLE = (Path(__file__).parent / "sample.bs").read_text(encoding="utf-8")

#: Reads steps, and returns them with what their algorithm is part of.
ReadSteps: TypeAlias = Callable[[str], tuple[Step, ...]]


@pytest.fixture
def read() -> Callable[[str], Text]:
    """Return a function that reads the sample text with the steps of a test."""
    return lambda steps: read_prose(read_text(SAMPLE.replace("STEPS", steps), Path("sample.bs")))


@pytest.fixture
def steps_of(read: Callable[[str], Text]) -> ReadSteps:
    """Return a function that returns steps as they are read."""
    return lambda steps: read(steps).algorithms[-1].steps


@pytest.fixture
def outline() -> Callable[[object], str]:
    """Return a function that writes a tree on a line, without places."""
    return _outline


def _outline(node: object) -> str:
    if isinstance(node, tuple):
        return f"({', '.join(map(_outline, node))})"
    if isinstance(node, Variable):
        return node.name
    if isinstance(node, Constant):
        return repr(node.value)
    if isinstance(node, Call):
        return f"{node.phrase.verb}{_outline(node.arguments)}"
    if isinstance(node, Item | Member):
        return f"{_outline(node.of)}.{node.name}"
    if isinstance(node, Entry):
        return f"{_outline(node.collection)}[{_outline(node.key)}]"
    if isinstance(node, Node):
        parts = [_outline(getattr(node, one.name)) for one in fields(node) if one.name != "place"]
        return f"{type(node).__name__}({', '.join(parts)})"
    return str(node)
