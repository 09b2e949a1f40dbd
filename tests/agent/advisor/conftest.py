"""The fixtures of the tests of the advisor: those of chats."""

from tests.agent.chat.conftest import anyio_backend, clock, engine, postgres, url

__all__ = ["anyio_backend", "clock", "engine", "postgres", "url"]
