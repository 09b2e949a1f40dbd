"""The behavior of the members of the interfaces that scripts find (platform.webidl has the list)."""

from __future__ import annotations

from modelcontext.hosts.scripting.members import controls, documents, events, member_tables, nodes, storage, windows

__all__ = ["controls", "documents", "events", "member_tables", "nodes", "storage", "windows"]
