"""Workflow commands of GitHub, which make annotations."""

from __future__ import annotations


def workflow_command(level: str, title: str, words: str, file: str | None = None, line: int | None = None) -> str:
    """Return the command that makes an annotation, at a place if it has one; ``level`` is error, warning or notice."""
    places = {"file": file, "line": line, "title": title}
    given = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in places.items() if value is not None)
    return f"::{level} {given}::{_escaped(words)}"


def _escaped(text: str, more: str = "") -> str:
    for letter in f"%\r\n{more}":
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text
