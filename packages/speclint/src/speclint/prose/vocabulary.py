"""The words that a text may use: those that it defines itself, and the phrases of the platform, ready to be looked up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pywebidl2 import expr

from speclint.prose.phrasebook import PHRASEBOOK
from speclint.prose.phrasebook.patterns import Element, LinkTo, Mark, Slot, Word, elements_of
from speclint.text.definitions import KINDS
from speclint.text.idl import parse_idl
from speclint.text.markup import stems
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from speclint.prose.phrasebook.phrase import Phrase
    from speclint.text.source_model import SourceAlgorithm, SourceText

#: The stems of a term.
Key = tuple[str, ...]


# An entry of an index of phrases.
@dataclass(frozen=True, slots=True)
class Entry:
    """A phrase as the parser looks for it: the elements behind what has been read when it is looked up."""

    phrase: Phrase
    elements: tuple[Element, ...]

    @property
    def is_open(self) -> bool:
        """The answer to whether the phrase ends in a slot for an expression, which takes all suffixes itself."""
        last = self.elements[-1] if self.elements else None
        return isinstance(last, Slot) and last.type not in CLOSED_SLOTS


#: The types of slots that are no expressions.
CLOSED_SLOTS = frozenset(
    {"feature", "event", "attribute", "tag", "member", "interface", "below", "reference", "text", "literal"}
)


class Index:
    """Phrases by the first thing that they have to begin with."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[Entry]] = defaultdict(list)
        self._by_key: dict[Key, list[Entry]] = defaultdict(list)
        self._others: list[Entry] = []

    def add(self, phrase: Phrase, elements: tuple[Element, ...]) -> None:
        """Add a phrase that continues with these elements."""
        entry = Entry(phrase, elements)
        first = elements[0] if elements else None
        if isinstance(first, Word):
            self._by_word["a" if first.text == "an" else first.stem].append(entry)
        elif isinstance(first, LinkTo):
            self._by_key[first.key].append(entry)
        else:
            self._others.append(entry)

    def of(self, words: Key, key: Key) -> Iterator[Entry]:
        """Yield the phrases that can begin with a word, or with a link to a term."""
        yield from self._others
        if words:
            yield from self._by_word.get("a" if words[0] == "an" else words[0], ())
        if key:
            yield from self._by_key.get(key, ())


# The words of a text; the other one is that of expectations.
@dataclass
class Vocabulary:
    """The words that have a meaning in a text."""

    algorithms: dict[Key, list[SourceAlgorithm]] = field(default_factory=lambda: defaultdict(list))
    #: Items of structs and state, by the stems of their names: owner and name.
    items: dict[Key, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    structs: dict[Key, str] = field(default_factory=dict)
    #: The items of a struct in the order of its definition.
    items_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: Terms that prose defines, without steps.
    terms: dict[Key, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    #: The members of the interfaces and dictionaries of the text.
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    dictionaries: set[str] = field(default_factory=set)
    values: Index = field(default_factory=Index)
    acts: Index = field(default_factory=Index)
    #: Properties behind "'s" (or behind a comma).
    properties: Index = field(default_factory=Index)
    #: Tests that begin with words.
    tests: Index = field(default_factory=Index)
    #: What follows the subject of a test: behind "is", behind "has a", and everything else.
    is_tests: Index = field(default_factory=Index)
    has_tests: Index = field(default_factory=Index)
    verb_tests: Index = field(default_factory=Index)

    def owners_of(self, key: Key) -> set[str]:
        """Return the owners of terms with a name, "" for a term without owner."""
        return {owner for owner, _ in [*self.items.get(key, ()), *self.terms.get(key, ())]}


def vocabulary_of(text: SourceText) -> Vocabulary:
    """Return what can be said in a text."""
    found = Vocabulary()
    for phrase in PHRASEBOOK:
        _add(found, phrase)
    _define(found, text)
    return found


def defined_words(text: SourceText) -> tuple[object, ...]:
    """Return all of a text on which its vocabulary depends."""
    algorithms = ((one.id, one.name, one.names, one.owner, one.introduction) for one in text.algorithms)
    structs = ((name, tuple(struct.items)) for name, struct in text.structs.items())
    state = ((item.owner, item.name) for item in text.state)
    definitions = ((one.names, one.owner, one.type) for one in text.definitions)
    return (*algorithms, *structs, *state, *definitions, text.idl)


def _add(found: Vocabulary, phrase: Phrase) -> None:
    elements = elements_of(phrase.pattern)
    if phrase.kind == "act":
        found.acts.add(phrase, elements)
        return
    if not isinstance(elements[0], Slot):
        (found.tests if phrase.kind == "test" else found.values).add(phrase, elements)
        return
    rest = elements[1:]
    first = rest[0]
    if phrase.kind == "property":
        found.properties.add(phrase, rest[1:] if isinstance(first, Mark) and first.text == "'s" else rest)
    elif isinstance(first, Word) and first.text in {"is", "are"}:
        found.is_tests.add(phrase, rest[1:])
    elif isinstance(first, Word) and first.text == "has":
        found.has_tests.add(phrase, rest[2:])
    else:
        found.verb_tests.add(phrase, rest)


def _define(found: Vocabulary, text: SourceText) -> None:
    for algorithm in text.algorithms:
        for key in algorithm.keys:
            found.algorithms[key].append(algorithm)
    for struct in text.structs.values():
        found.structs[stems(struct.name)] = struct.name
        found.items_of[struct.name] = tuple(struct.items)
        for name in struct.items:
            found.items[stems(name)].append((struct.name, name))
    for item in text.state:
        if (item.owner, item.name) not in found.items[stems(item.name)]:
            found.items[stems(item.name)].append((item.owner, item.name))
    _define_structures(found, text)
    for one in text.definitions:
        for name in one.names:
            key = stems(name)
            if one.owner or one.type in KINDS or key in found.structs or key in found.algorithms:
                continue
            for short in ("determin", "get", "comput"):
                if (short, "the", *key) in found.algorithms:
                    found.algorithms[key] += found.algorithms[(short, "the", *key)]
            if key not in found.algorithms:
                found.terms[key].append(("", name))
    _define_idl(found, text)


def _define_structures(found: Vocabulary, text: SourceText) -> None:
    """Define what has items without being called a struct."""
    names = {name.lower() for one in text.definitions if one.type == "dfn" and not one.owner for name in one.names}
    for item in text.state:
        if item.owner in names and stems(item.owner) not in {*found.structs, *found.algorithms}:
            found.structs[stems(item.owner)] = item.owner
    for name in found.structs.values():
        if name not in found.items_of:
            found.items_of[name] = tuple(item.name for item in text.state if item.owner == name)


def _define_idl(found: Vocabulary, text: SourceText) -> None:
    try:
        definitions = parse_idl(text.idl, text.path)
    except TextError:
        return
    members: dict[str, set[str]] = defaultdict(set)
    with_parent: set[str] = set()
    partial: set[str] = set()
    for one in definitions:
        name = str(getattr(one, "name", ""))
        if isinstance(one, expr.Dictionary):
            found.dictionaries.add(name)
        if getattr(one, "partial", False):
            partial.add(name)
        if getattr(one, "inheritance", None):
            with_parent.add(name)
        members[name] |= set(_names(getattr(one, "members", ()) or ()))
    # What a partial interface adds to is elsewhere, and so is what a parent outside of the text has.
    found.members = {
        name: frozenset(own) for name, own in members.items() if name not in partial and name not in with_parent
    }


def _names(members: Iterable[object]) -> Iterator[str]:
    for member in members:
        name = getattr(member, "name", None)
        if isinstance(name, str):
            yield name


def known_terms(vocabulary: Vocabulary) -> Sequence[tuple[str, str]]:
    """Return all terms that a link can lead to: owner ("" for none) and term, those of the text first."""
    own = [*(pair for pairs in vocabulary.items.values() for pair in pairs)]
    own += [pair for pairs in vocabulary.terms.values() for pair in pairs]
    own += [("", struct) for struct in vocabulary.structs.values()]
    own += [("", algorithm.name) for found in vocabulary.algorithms.values() for algorithm in found]
    targets = [
        element.text.partition("|")[0].rpartition("/")
        for phrase in PHRASEBOOK
        for element in elements_of(phrase.pattern)
        if isinstance(element, LinkTo)
    ]
    platform = [(owner, term) for owners, _, term in targets for owner in owners.split("&")]
    return list(dict.fromkeys([*own, *platform]))
