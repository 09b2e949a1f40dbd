"""The configuration of webhooks: refusals that say which one and why, and never hold a secret."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import pytest

from modelcontext_agent.chat.hooks import ChatEventRecord
from modelcontext_agent.webhooks.outbox import EVENTS, read_webhooks

SECRET = "whsec_" + base64.b64encode(b"a key that only two know").decode()
GOOD = {"name": "one", "url": "https://a.test/hook", "secret": SECRET}


def test_webhook_without_events_gets_all_of_them() -> None:
    [webhook] = read_webhooks([GOOD])
    assert webhook.events == frozenset(EVENTS)


def test_secret_is_not_shown_with_its_webhook() -> None:
    [webhook] = read_webhooks([GOOD])
    assert SECRET not in repr(webhook)


def test_webhook_may_want_the_calls_of_some_tools_only() -> None:
    [webhook] = read_webhooks([{**GOOD, "tools": ["submit_lead"]}])
    now = datetime.now(UTC)

    def wants(type: str, **data: Any) -> bool:
        return webhook.wants(ChatEventRecord("chat", 1, type, data, now))

    assert wants("tool:succeeded", tool_name="submit_lead")
    assert not wants("tool:succeeded", tool_name="search")
    assert not wants("tool:failed", tool_name="search")
    assert wants("chat:error")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "not a list"),
        ("one", "not a list"),
        ([3], "webhook 0: it is not a table"),
        ([{}], "webhook 0: it needs “name” as a string"),
        ([{**GOOD, "name": ""}], "webhook 0: it needs “name”"),
        ([{**GOOD, "name": "a\0b"}], "webhook 0: its name"),
        ([{**GOOD, "url": 3}], "webhook 0: it needs “url”"),
        ([{**GOOD, "url": "http://127.0.0.1/"}], "webhook 0: “127.0.0.1” is on this machine"),
        ([{**GOOD, "secret": "hush hush"}], "webhook 0: a secret must begin with"),
        ([{**GOOD, "sercet": SECRET}], "webhook 0: “sercet” is unknown"),
        ([{**GOOD, "events": []}], "webhook 0: “events” must be a list with some of tool:succeeded"),
        ([{**GOOD, "events": "chat:error"}], "webhook 0: “events”"),
        ([{**GOOD, "events": ["chat:done"]}], "webhook 0: “events”"),
        ([{**GOOD, "events": [["chat:error"]]}], "webhook 0: “events”"),
        ([{**GOOD, "tools": "order"}], "webhook 0: “tools” must be a list of names of tools"),
        ([{**GOOD, "tools": [1]}], "webhook 0: “tools” must be a list of names of tools"),
        ([GOOD, GOOD], "webhook 1: another webhook has the name “one”"),
    ],
)
def test_bad_configuration_is_refused(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        read_webhooks(data)
    assert SECRET not in str(caught.value)
    assert "hush" not in str(caught.value)
