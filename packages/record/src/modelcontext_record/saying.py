"""Values of a page in the notation of programs: as a program gives them, and as an outcome has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from modelcontext.platform.infra.strings import has_lone_surrogate, to_code_units

#: The texts that stand for origins in the strings of a program.
LETTERS: Final = ("A", "B", "C", "D", "insecure")


class UnsaidError(Exception):
    """Something that the page did and that no program can say; the message says what."""


@dataclass(frozen=True)
class Saying:
    """The notation for the values of one page.

    ``origins`` has the letter of each serialized origin, longer ones first. ``document`` returns the id of a document in the
    program by its name in the notes, and ``window`` that of the first document in a window by the name of any.
    """

    origins: Mapping[str, str]
    document: Callable[[str], str | None]
    window: Callable[[str], str | None]

    def given(self, value: Any, *, is_json: bool = False) -> Any:
        """Return a value as a program gives it; with ``is_json`` it becomes JSON text. Raises :class:`UnsaidError`."""
        if value is None:
            return {"$js": "null"}
        if isinstance(value, str):
            return self._given_text(value)
        if isinstance(value, list):
            return [self.given(item, is_json=is_json) for item in value]
        if not isinstance(value, Mapping):
            return float(value) if type(value) is int and abs(value) > 2**53 else value
        for key, subject in value.items():
            if key.startswith("$"):
                return self._given_notation(key, subject, is_json)
        return {self.text(key): self.given(member, is_json=is_json) for key, member in value.items()}

    def _given_text(self, value: str) -> Any:
        if has_lone_surrogate(value) or any(f"{{{letter}}}" in value for letter in LETTERS):
            return {"$string": to_code_units(value)}
        return self.text(value)

    def _given_notation(self, notation: str, subject: Any, is_json: bool) -> Any:
        match notation:
            case "$object":
                return {"$object": [[self.text(key), self.given(member, is_json=is_json)] for key, member in subject]}
            case "$array":
                return self.given(subject, is_json=is_json)
            case "$function" if is_json:
                return {"$function": "a function of the page"}
            case "$abortedSignal":
                return {"$abortedSignal": self.given(subject)}
            case "$signal" if type(subject) is int:
                return {"$signal": signal_name(subject)}
            case "$window" if (document := self.window(subject)) is not None:
                return {"$window": document}
            case "$js" | "$bigint" | "$symbol" | "$string" | "$error":
                return {notation: subject}
        whys = {
            "$unsaid": subject,
            "$accessor": "a value has a getter",
            "$platform": f"a value is a {subject}",
            "$cycle": "a value contains itself",
            "$function": "a conversion may call a function of the page",
            "$window": "a value is a window of no recorded document",
        }
        raise UnsaidError(whys.get(notation, f"a value is {notation}"))

    def seen(self, value: Any) -> Any:
        """Return a value as an outcome has it. Raises :class:`UnsaidError`."""
        if isinstance(value, str):
            return {"$string": to_code_units(value)} if has_lone_surrogate(value) else self.text(value)
        if isinstance(value, list):
            return [self.seen(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        if "$unsaid" in value:
            raise UnsaidError(value["$unsaid"])
        members = {self.text(key): self.seen(member) for key, member in value.items()}
        for key, known in (("$window", self.window), ("$realm", self.document)):
            if key in value:
                document = known(value[key])
                if document is None:
                    raise UnsaidError("a value is of no recorded document")
                members[key] = document
        return members

    def text(self, text: str) -> str:
        """Return a text with letters for the origins."""
        for origin, letter in self.origins.items():
            if origin in text:
                text = text.replace(origin, f"{{{letter}}}")
        return text


def signal_name(number: int) -> str:
    """Return the name of the controller for a signal of the page."""
    return f"signal {number}"
