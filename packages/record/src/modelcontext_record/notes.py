"""The notes of a page's documents, as the recorder's part in the page (``page/``) sends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

#: A note: its kind ``k``, document ``d``, number ``n`` in its event loop, turn ``t``, time ``w``, and what its kind says.
Note = Mapping[str, Any]


@dataclass
class RecordedDocument:
    """A document of a page, with its notes in order.

    ``frame`` is the place of its frame in the tab: ``0`` for the tab itself, ``0/1`` for the second frame in it. ``loop``
    names its event loop. ``has_api`` and ``is_allowed`` say whether it has the API, and whether its policy allows it.
    ``gone`` is the note that it went, if it did.
    """

    identifier: str
    url: str
    origin: str
    frame: str
    loop: str
    has_api: bool
    is_allowed: bool
    began: Note
    notes: list[Note] = field(default_factory=list)
    gone: Note | None = None

    @property
    def is_used(self) -> bool:
        """True if something of the API happened in the document."""
        return any(note["k"] != "document" for note in self.notes)


class Notes:
    """All notes of one tab, at most ``limit`` of them."""

    def __init__(self, limit: int) -> None:
        self.documents: dict[str, RecordedDocument] = {}
        self.total = 0
        self.is_cut = False
        self._limit = limit

    def take(self, notes: Sequence[Note], frame: str) -> None:
        """Take notes of a document in a frame, which come in order."""
        for note in notes:
            self.total += note["k"] not in ("document", "hide")
            if note["k"] == "limit" or self.total > self._limit:
                self.is_cut = True
            elif note["k"] == "document":
                self._come(_document(note, frame))
            elif (document := self.documents.get(note["d"])) is not None:
                if note["k"] == "hide":
                    document.gone = note
                else:
                    document.notes.append(note)

    def _come(self, document: RecordedDocument) -> None:
        """Add a document. The one before it in its frame has gone, even if its own note of that did not arrive."""
        for other in self.documents.values():
            if other.frame == document.frame:
                earlier, later = sorted((other, document), key=lambda one: _when(one.began))
                earlier.gone = min(earlier.gone or later.began, later.began, key=_when)
        self.documents[document.identifier] = document

    def unsettled(self) -> int:
        """Return the number of calls that have not settled, in documents that are still there."""
        return sum(
            {"call": 1, "settled": -1, "threw": -1}.get(note["k"], 0)
            for document in self.documents.values()
            if document.gone is None
            for note in document.notes
        )


def beginning(documents: Sequence[RecordedDocument], most: int) -> list[RecordedDocument]:
    """Return documents with at most so many of their notes, up to a place at which nothing was running.

    That is the last place at which all calls had settled, and all events had come. An unregistration has no promise, so a
    place between an abort and the next event is none of these. The first document is always there.
    """
    every = sorted((note for document in documents for note in document.notes), key=_when)
    running, place, is_quiet = set[tuple[str, str, int]](), 0, True
    for index, note in enumerate(every[:most]):
        if note["k"] in ("call", "callback"):
            running.add(_work(note))
        elif note["k"] in ("settled", "threw", "answered"):
            running.discard(_work(note))
        elif note["k"] in ("abort", "event"):
            is_quiet = note["k"] == "event"
        if not running and is_quiet and note["k"] in ("settled", "event"):
            place = index + 1
    end = _when(every[place - 1]) if place else _when(documents[0].began)
    return [
        replace(
            document,
            notes=[note for note in document.notes if _when(note) <= end],
            gone=document.gone if document.gone is not None and _when(document.gone) <= end else None,
        )
        for document in documents
        if _when(document.began) <= end
    ]


def _document(note: Note, frame: str) -> RecordedDocument:
    return RecordedDocument(
        note["d"], note["url"], note["origin"], frame, note["loop"], note["has"], note["allowed"], note
    )


def _when(note: Note) -> tuple[float, int]:
    """Return the time of a note; the order of one event loop decides between equal times."""
    return note["w"], note["n"]


def _work(note: Note) -> tuple[str, str, int]:
    """Return the call or the invocation that a note is about."""
    is_call = note["k"] in ("call", "settled", "threw")
    return (note["d"], "call", note["c"]) if is_call else (note["d"], "invocation", note["i"])
