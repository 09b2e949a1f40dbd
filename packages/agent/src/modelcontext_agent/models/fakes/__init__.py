"""Fake providers: loopback servers that speak the streaming formats of the four providers, and give canned answers.

They serve demonstrations and tests: requests go through the real SDKs, and over a socket.
"""

from modelcontext_agent.models.fakes.fake_server import FakeProvider, fake_provider

__all__ = ["FakeProvider", "fake_provider"]
