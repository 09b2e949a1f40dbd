"""Errors of a chat that its clients see, with the status of HTTP that says the same."""

from __future__ import annotations


class ChatError(Exception):
    """The base of the errors that a client of a chat causes. Nothing is stored when one is raised."""

    status = 400


class BadRequestError(ChatError):
    """Raised for a request that is wrong in itself."""


class NotFoundError(ChatError):
    """Raised for a chat that does not exist."""

    status = 404


class ConflictError(ChatError):
    """Raised for a request that the present state of the chat does not permit."""

    status = 409


class ToolsNeededError(ConflictError):
    """Raised for results with the digest of a tool set that the chat does not know: the set has to be sent with them."""


class TooLargeError(ChatError):
    """Raised for a request that is larger than the chat's limits."""

    status = 413


class LeaseLostError(Exception):
    """Raised in a worker whose lease has ended: another may hold the chat, and nothing of this one is stored."""
