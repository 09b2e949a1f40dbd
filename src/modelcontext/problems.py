"""What a user or a machine can lack, as errors that say what to do about it."""

from __future__ import annotations


class UnavailableError(Exception):
    """A product cannot run on this machine. ``remedy`` says what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} ({remedy})")
        self.reason = reason
        self.remedy = remedy


class PortError(Exception):
    """The server cannot listen on the port; the message says why and what to do."""
