"""Conditions of steps, and the facts that hold on either side of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from speclint.text.markup import LINK, VARIABLE, link_of

_STATES = {"null": ("null", True), "failure": ("failure", True), "undefined": ("undefined", True)}
_STATES |= {"true": ("true", True), "false": ("true", False), "set": ("true", True), "unset": ("true", False)}
_STATE = re.compile(r"^(.+?) (?:is|was|are) (not |non-)?(null|failure|undefined|true|false|set|unset)$")
_EXISTS = re.compile(
    r"^(.+?) (does not |do not |doesn't )?(?:\[=exists?=\]|exists?"
    r"|(?:is|was) (not )?(?:given|present|provided|passed|specified|supplied|missing|absent|omitted))$"
)
_ABSENT = ("missing", "absent", "omitted")
_CONTAINS = re.compile(
    r"^(\|[^|]+\|\S*(?:'s? \[=[^=]+=\])*) (does not )?(?:\[=(?:exists?|contains?)=\]|contains?) (\|[^|]+\|\S*)$"
)
_IS = re.compile(r"^(.+?) (is|are|was|has|have|matches|equals) (not |no |neither )?(.+)$")
_DOES_NOT = re.compile(r"^(.+?) (?:does|do) not (.+)$")
_VERB = re.compile(
    r"\b(?:is|are|was|has|have|does|do|threw|throws|contains?|exists?|exist|matches|equals|can|cannot)\b|=\]\s+(?:given|\|)"
)
_PREDICATE = re.compile(r"\b(?:is|are|was|has|have|does|do|contains?|exists?|matches|equals)\b")
#: The beginning of a clause that is about a value.
_SUBJECT = re.compile(r"^(?:the )?(?:\||\[=)")
#: Conditions about the step before them, and not about a value.
_FLEETING = re.compile(r"^(?:\[=)?(?:an? |any )?(?:exception|error|that|this|it|the previous step)\b")
_FIELD = re.compile(r"^(.+?) (has|does not have) (?:a |an |the )?(?:field|member|entry|key) (\"[^\"]*\")$")
_ELLIPSIS = re.compile(r"^(?:is|are|was|has|does|do|not|matches)\b")
_ATOM = (
    r"(?:(?:an?|the) )?(?:\"[^\"]*\"|\|[^|]+\||\[=[^=]+=\]|\{\{[^}]+\}\}|<\{[^}]+\}>|null|failure|undefined|-?\d+)"
    r"(?: element| object)?"
)
_ONE_OF = re.compile(rf"^(.+?) (is|are|was|equals) ({_ATOM}(?:, {_ATOM})*),? or ({_ATOM})$")
_DICTIONARY_MEMBER = re.compile(r"(?<=\|)\[\"\{\{\w+/\w+\}\}\"\]")
_KEYWORD = re.compile(r"^(.+?) (?:is|are|was|equals) (\"[^\"]*\")$")


@dataclass(frozen=True, slots=True, order=True)
class KnownFact:
    """A statement about values: of the ``kind`` "null", "failure", "exists", "true" or so, or "text" for any other."""

    kind: str
    subject: str
    holds: bool

    @property
    def opposite(self) -> KnownFact:
        """The fact that contradicts this one."""
        return KnownFact(self.kind, self.subject, not self.holds)

    def __str__(self) -> str:
        if self.kind == "exists":
            return f"{self.subject} {'exists' if self.holds else 'does not exist'}"
        if self.kind == "true":
            return f"{self.subject} is {'true' if self.holds else 'false'}"
        if self.kind != "text":
            return f"{self.subject} is {'' if self.holds else 'not '}{self.kind}"
        match = re.match(r"^(.+?) (is|are|was) (.+)$", self.subject)
        if self.holds or match is None:
            return self.subject if self.holds else f"not ({self.subject})"
        return f"{match[1]} {match[2]} not {match[3]}"


@dataclass(frozen=True, slots=True)
class FlowCondition:
    """A condition: one fact, or several that are joined by "and" or "or"."""

    joined: str
    facts: tuple[KnownFact, ...]

    def when(self, *, taken: bool) -> tuple[KnownFact, ...]:
        """Return the facts that hold where the condition was found true, or false."""
        if len(self.facts) == 1 or (self.joined == "and") is taken:
            facts = self.facts if taken else tuple(fact.opposite for fact in self.facts)
            none = (one.opposite for fact in facts if not fact.holds for one in alternatives(fact))
            return (*facts, *none)
        return ()


def alternatives(fact: KnownFact) -> tuple[KnownFact, ...]:
    """Return a fact for each alternative of "X is a, b or c", of which one holds if it does; nothing for another fact."""
    match = _ONE_OF.match(fact.subject) if fact.kind == "text" else None
    if match is None:
        return ()
    found = []
    for one in (*re.findall(_ATOM, match[3]), match[4]):
        own = re.sub(r"^(?:an?|the) ", "", one)
        if own in _STATES:
            found.append(KnownFact(own, match[1], True))
        else:
            found.append(KnownFact("text", f"{match[1]} {match[2]} {own}", True))
    return tuple(found)


def answer(asked: KnownFact, facts: Collection[KnownFact]) -> tuple[bool, tuple[KnownFact, ...]] | None:
    """Return whether a fact holds and the facts that decide it, or None if they leave it open."""
    if _FLEETING.match(asked.subject):
        return None
    positive = asked if asked.holds else asked.opposite
    found = _answer(positive, facts)
    return None if found is None else (found[0] is asked.holds, found[1])


def _answer(positive: KnownFact, facts: Collection[KnownFact]) -> tuple[bool, tuple[KnownFact, ...]] | None:
    for known in (positive, positive.opposite):
        if known in facts:
            return known.holds, (known,)
    if some := alternatives(positive):
        answers = [_answer(one, facts) for one in some]
        if yes := next((one for one in answers if one is not None and one[0]), None):
            return yes
        known_answers = [one for one in answers if one is not None]
        return (False, known_answers[0][1]) if len(known_answers) == len(answers) else None
    # A value that is one keyword is no other one.
    if positive.kind == "text" and (match := _KEYWORD.match(positive.subject)) and VARIABLE.search(match[1]):
        for other in sorted(fact for fact in facts if fact.holds and fact.subject.startswith(f"{match[1]} ")):
            keywords = [_KEYWORD.match(one.subject) for one in alternatives(other) or (other,)]
            if all(one is not None and one[1] == match[1] and one[2] != match[2] for one in keywords):
                return False, (other,)
        for kind in ("null", "failure", "undefined"):
            if (known := KnownFact(kind, match[1], True)) in facts:
                return False, (known,)
    return None


@lru_cache(maxsize=1 << 16)
def canonical(text: str) -> str:
    """Return a text in which each link is its bare term, and possessives have one form."""
    text = LINK.sub(lambda match: f"[={link_of(match[1]).term}=]", text)
    return re.sub(r"(\||\])' ", r"\1's ", " ".join(text.split()))


def parse_condition(text: str) -> FlowCondition:
    """Return the condition that follows "If"."""
    text = canonical(text).strip(" ,.:")
    text = re.sub(r"^(?:both|either) ", "", text)
    parts, joined = _split(text)
    facts: list[KnownFact] = []
    subject = ""
    for part in parts:
        own = part
        if subject:
            own = re.sub(r"\bits\b", f"{subject}'s", own)
            own = re.sub(r"^it\b", subject, own)
            if _ELLIPSIS.match(own):
                own = f"{subject} {'is ' if own.startswith('not ') else ''}{own}"
        facts.extend(_facts(own))
        found = re.match(r"(\|[^|]+\|(?:'s \[=[^=]+=\])*(?:\[\|[^|]+\|\])?)", own)
        if found and not re.match(r"^\|[^|]+\|'s", own[len(found[1]) - 1 :]):
            subject = found[1]
    if len(facts) > len(parts) and joined == "or" and len(parts) > 1:
        return FlowCondition("and", (KnownFact("text", text, True),))
    return FlowCondition(joined, tuple(facts))


def _split(text: str) -> tuple[list[str], str]:
    """Return the parts of a condition, and the word that joins them; a condition with both words is one part."""
    pieces = re.split(r",? (and|or) ", text)
    parts, words = [pieces[0]], []
    for word, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        is_call = parts[-1].startswith("the result of ") and not _PREDICATE.search(LINK.sub("", parts[-1]))
        begins_clause = _VERB.search(piece) and _VERB.search(parts[-1]) and not is_call
        if begins_clause or (re.match(r"(?:null|failure|not)\b", piece) and _is_alternative(parts[-1], piece)):
            parts.append(piece)
            words.append(word)
        else:
            parts[-1] += f" {word} {piece}"
    if len(set(words)) > 1:
        return [text], "and"
    if words:
        parts = [piece for part in parts for piece in _listed(part)]
    return parts, words[0] if words else "and"


def _listed(part: str) -> list[str]:
    """Return the clauses that commas separate, or the part itself: "|a| is null, |b| is true" are two."""
    pieces = part.split(", ")
    is_list = all(_SUBJECT.match(one) and _PREDICATE.search(LINK.sub("", one)) for one in pieces)
    return pieces if is_list else [part]


def _is_alternative(before: str, piece: str) -> bool:
    return bool(re.search(r"\bis (?:not )?(?:null|failure)$", before)) and piece in ("null", "failure")


def _facts(part: str) -> list[KnownFact]:
    part = part.strip(" ,")
    if part in ("null", "failure"):
        return [KnownFact("text", part, True)]
    if match := _STATE.match(part):
        kind, holds = _STATES[match[3]]
        return [KnownFact(kind, match[1], holds is (match[2] is None))]
    if match := _EXISTS.match(part):
        negative = bool(match[2]) or bool(match[3]) is not part.endswith(_ABSENT)
        return [KnownFact("exists", match[1], not negative)]
    if match := _FIELD.match(part):
        return [KnownFact("exists", f"{match[1]}[{match[3]}]", match[2] == "has")]
    if match := _CONTAINS.match(part):
        return [KnownFact("exists", f"{match[1]}[{match[3]}]", match[2] is None)]
    if match := _DOES_NOT.match(part):
        return [KnownFact("text", f"{match[1]} {match[2]}", False)]
    if match := _IS.match(part):
        subject, verb, negation, rest = match.groups()
        if (negation or "").strip() == "neither" and " nor " in rest:
            return [KnownFact("text", f"{subject} {verb} {one}", False) for one in re.split(r",? nor ", rest)]
        rest = re.sub(r"^(?:an?|the) ", "", rest)
        return [KnownFact("text", f"{subject} {verb} {rest}", negation is None)]
    return [KnownFact("text", part, True)]


def mentions(fact: KnownFact, variable: str) -> bool:
    """Return whether a fact is about a variable."""
    return f"|{variable}|" in fact.subject


def is_about_state(fact: KnownFact) -> bool:
    """Return whether a fact is about more than the values of variables, so that it can end without a step."""
    # A dictionary is a value: only steps that name it change its members.
    without = VARIABLE.sub("", _DICTIONARY_MEMBER.sub("", fact.subject))
    return "[" in without or "{{" in without or "'s" in without or not VARIABLE.search(fact.subject)
