"""Permissions policy (https://w3c.github.io/webappsec-permissions-policy/), for policy-controlled features.

A declared policy comes from the ``Permissions-Policy`` header, a container policy from an iframe's ``allow`` attribute. The
inherited policy of a document reflects the state at the document's creation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.platform.html.origin import Origin, same_origin
from modelcontext.platform.html.url import url_origin, url_parser

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import NavigableContainer

#: Matches a member of a structured dictionary: its key, its value (true if missing), and ignored parameters.
_HEADER_MEMBER: Final = re.compile(
    r'\s*([a-z*][a-z0-9_.*-]*)(?:=(\*|[A-Za-z][^\s,;()"]*|"[^"]*"|\([^)]*\)))?(?:;[^,]*)?\s*'
)
_HEADER_ITEM: Final = re.compile(r'\*|[a-z]+|"[^"]*"')


@dataclass(frozen=True, slots=True)
class Allowlist:
    """An allowlist: everything (``*``), or some origins."""

    everything: bool = False
    origins: tuple[Origin, ...] = ()

    def matches(self, origin: Origin) -> bool:
        """Return whether an origin is on the list."""
        return self.everything or any(same_origin(origin, allowed) for allowed in self.origins)


def parse_declared_policy(header: str, self_origin: Origin) -> dict[str, Allowlist]:
    """Parse a ``Permissions-Policy`` header; one that is not a structured dictionary declares nothing."""
    policy: dict[str, Allowlist] = {}
    for part in re.split(r",(?![^(]*\))", header) if header else ():  # At commas outside of parentheses.
        if not part.strip():
            continue
        member = _HEADER_MEMBER.fullmatch(part)
        if member is None:
            return {}
        feature, value = member.groups()
        policy[feature] = _allowlist(_HEADER_ITEM.findall(value or ""), self_origin, None)
    return policy


def parse_container_policy(allow: str, container_origin: Origin, src_origin: Origin) -> dict[str, Allowlist]:
    """Parse an ``allow`` attribute (a serialized permissions policy); a feature without a list means ``'src'``."""
    policy: dict[str, Allowlist] = {}
    for directive in allow.split(";"):
        words = directive.split()
        if words and words[0].lower() not in policy:
            items = [word.strip("'") if word.startswith("'") else word for word in words[1:]]
            policy[words[0].lower()] = _allowlist(items or ["src"], container_origin, src_origin)
    return policy


def _allowlist(items: list[str], self_origin: Origin, src_origin: Origin | None) -> Allowlist:
    if "*" in items:
        return Allowlist(everything=True)
    origins: list[Origin] = []
    for item in items:
        if item == "self":
            origins.append(self_origin)
        elif item == "src" and src_origin is not None:
            origins.append(src_origin)
        elif (url := url_parser(item.strip('"'))) is not None:
            origins.append(url_origin(url))
    return Allowlist(origins=tuple(origins))


@dataclass(frozen=True, slots=True)
class PolicyControlledFeature:
    """A policy-controlled feature; its default allowlist is ``'self'``."""

    name: str


def define_an_inherited_policy(
    feature: PolicyControlledFeature,
    container: NavigableContainer | None,
    container_policy: Mapping[str, Allowlist],
    origin: Origin,
) -> bool:
    """https://w3c.github.io/webappsec-permissions-policy/#define-inherited-policy-in-container

    Args:
        feature: the feature.
        container: the container of the document's navigable, or None.
        container_policy: the container policy at the document's creation.
        origin: the document's origin.
    """
    if container is None:
        return True
    parent = container.document
    if not is_feature_enabled(feature, parent, parent.origin):
        return False
    declared = parent.declared_policy.get(feature.name)
    if declared is not None and not declared.matches(origin):
        return False
    contained = container_policy.get(feature.name)
    if contained is not None:
        return contained.matches(origin)
    return same_origin(origin, parent.origin)


def is_feature_enabled(feature: PolicyControlledFeature, document: Document, origin: Origin) -> bool:
    """https://w3c.github.io/webappsec-permissions-policy/#is-feature-enabled"""
    if not document.inherits(feature):
        return False
    declared = document.declared_policy.get(feature.name)
    if declared is not None:
        return declared.matches(origin)
    return same_origin(origin, document.origin)


def is_allowed_to_use(document: Document, feature: PolicyControlledFeature) -> bool:
    """https://html.spec.whatwg.org/#allowed-to-use"""
    return document.is_fully_active and is_feature_enabled(feature, document, document.origin)
