"""The documents of a page as those of a program: which of them matter, their places, names and origins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from modelcontext_record.notes import beginning
from modelcontext_record.saying import LETTERS, Saying, UnsaidError

if TYPE_CHECKING:
    from modelcontext_record.notes import Notes, RecordedDocument

#: The place of the tab itself.
TAB = "0"
#: The largest number of notes of a page that are judged.
MOST = 1000


# Of a recording; the other one is of the page host.
@dataclass(frozen=True)
class PageTree:
    """The documents of one page that a program needs, by their ids in it: ``top`` first, each after its parent.

    ``frames`` has the place of each document that the tab has shown, by its name in the notes. The first ``judged`` of
    ``left`` notes are there.
    """

    documents: Mapping[str, RecordedDocument]
    frames: Mapping[str, str]
    judged: int
    left: int

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The ids in the program by the names in the notes."""
        return {document.identifier: id_ for id_, document in self.documents.items()}

    def parent(self, id_: str) -> str | None:
        """Return the id of the parent of a document, which ``top`` has not."""
        document = self.documents[id_]
        if document.frame == TAB:
            return None
        around = _document_around(document, self.documents.values())
        assert around is not None
        return self.ids[around.identifier]

    def next_in_frame(self, id_: str) -> str | None:
        """Return the document that came into the frame of another one after it."""
        own = self.documents[id_]
        later = [
            other
            for other, document in self.documents.items()
            if document.frame == own.frame and document.began["w"] > own.began["w"]
        ]
        return min(later, key=lambda other: self.documents[other].began["w"], default=None)

    def first_in_frame(self, id_: str) -> bool:
        """Return whether a document is the first one in its frame."""
        return all(self.next_in_frame(other) != id_ for other in self.documents)

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """The letter of each origin. Raises :class:`UnsaidError`."""
        origins = dict.fromkeys(one.origin for one in self.documents.values() if one.origin != "null" and one.has_api)
        if self.documents["top"].origin == "null":
            raise UnsaidError("the page has an opaque origin")
        insecure = dict.fromkeys(one.origin for one in self.documents.values() if not one.has_api)
        if len(origins) > len(LETTERS) - 1 or len(insecure) > 1:
            raise UnsaidError(f"a program cannot express documents of these {len(origins) + len(insecure)} origins")
        return {**dict(zip(origins, LETTERS, strict=False)), **dict.fromkeys(insecure, LETTERS[-1])}

    @cached_property
    def saying(self) -> Saying:
        """The notation for the values of the page. Raises :class:`UnsaidError`."""
        longest_first = sorted(self.letters, key=len, reverse=True)
        return Saying({origin: self.letters[origin] for origin in longest_first}, self.ids.get, self._in_window)

    def _in_window(self, name: str) -> str | None:
        """Return the id of the first document in a window, by the name in the notes of a document in it, or by its place."""
        place = self.frames.get(name, name)
        return next((id_ for id_, document in self.documents.items() if document.frame == place), None)

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the documents as tables of a program. Raises :class:`UnsaidError`."""
        return {id_: self._table(id_) for id_ in self.documents}

    def _table(self, id_: str) -> dict[str, Any]:
        document = self.documents[id_]
        parent = self.parent(id_)
        table: dict[str, Any] = {}
        if document.origin != "null":
            table["origin"] = self.letters[document.origin]
        if parent is not None:
            table |= {"parent": parent, "start": "later"}
            is_first = self.first_in_frame(id_)
            if document.origin == "null":
                if not is_first:
                    raise UnsaidError("a later document of a frame has an opaque origin")
                table["sandbox"] = "allow-scripts"
            if document.is_allowed and document.origin != self.documents[parent].origin:
                if not is_first and not self._is_allowed_before(id_):
                    raise UnsaidError("a later document of a frame may use the API, but the first one may not")
                if is_first:
                    table["allow"] = "tools"
            if document.is_allowed or document.origin != self.documents[parent].origin:
                return table
        if not document.is_allowed and (parent is None or self.documents[parent].is_allowed):
            table["permissions-policy"] = "tools=()"
        return table

    def _is_allowed_before(self, id_: str) -> bool:
        frame = self.documents[id_].frame
        first = next(document for document in self.documents.values() if document.frame == frame)
        return first.is_allowed


def trees(notes: Notes) -> Iterator[PageTree]:
    """Yield the documents of each page that the tab has shown and that has used the API.

    A page that did too much, or that another one has replaced, has notes up to a place at which nothing was running.
    """
    tops = [one for one in notes.documents.values() if one.frame == TAB]
    frames = {name: document.frame for name, document in notes.documents.items()}
    for top in tops:
        documents = _documents_of(top, list(notes.documents.values()))
        left = _count(documents)
        if documents and (notes.is_cut or left > MOST or top.gone is not None):
            documents = beginning(documents, MOST)
        if documents:
            yield PageTree(dict(_named(documents)), frames, _count(documents), left)


def _count(documents: Sequence[RecordedDocument]) -> int:
    return sum(len(document.notes) for document in documents)


def _documents_of(top: RecordedDocument, every: Sequence[RecordedDocument]) -> list[RecordedDocument]:
    """Return the documents of a page that use the API, and those around them, in the order of their frames."""
    wanted: dict[str, RecordedDocument] = {}
    for document in every:
        line = [document]
        while line[-1].frame != TAB and (around := _document_around(line[-1], every)) is not None:
            line.append(around)
        if line[-1] is top and document.is_used:
            wanted |= {one.identifier: one for one in line}
    return sorted(wanted.values(), key=_order)


def _order(document: RecordedDocument) -> tuple[int, list[int], float]:
    numbers = [int(number) for number in document.frame.split("/")]
    return len(numbers), numbers, document.began["w"]


def _document_around(document: RecordedDocument, documents: Iterable[RecordedDocument]) -> RecordedDocument | None:
    """Return the document whose frame holds another one: the last in its window that began before."""
    place = document.frame.rpartition("/")[0]
    before = [one for one in documents if one.frame == place and one.began["w"] <= document.began["w"]]
    return max(before, key=lambda one: one.began["w"], default=None)


def _named(documents: Sequence[RecordedDocument]) -> Iterator[tuple[str, RecordedDocument]]:
    """Yield the documents with their ids: by their places, which several can have one after the other."""
    counts: dict[str, int] = {}
    for document in documents:
        numbers = [str(int(number) + 1) for number in document.frame.split("/")[1:]]
        name = "-".join(["frame", *numbers]) if numbers else "top"
        count = counts[name] = counts.get(name, 0) + 1
        yield (name if count == 1 else f"{name}_{count}"), document
