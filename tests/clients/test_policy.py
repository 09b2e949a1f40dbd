"""The policy: calls that ask first, approvals that fit one call, and flows between origins."""

from dataclasses import replace
from typing import Any

import pytest

from modelcontext.judging.clients.page_tools import Hints, PageTool
from modelcontext.judging.clients.policy import AskReason, approval_of, flows_from, reasons_to_ask, same_place

SHOP = "https://shop.test"
AD = "https://ad.test"

BUY = PageTool(
    name="buy",
    description="Buy something.",
    document="d1",
    origin=SHOP,
    input_schema={"type": "object", "properties": {"amount": {"type": "integer"}}},
)


def with_hints(**hints: bool) -> PageTool:
    return replace(BUY, hints=Hints(**hints))


def test_plain_tool_asks_nobody() -> None:
    assert reasons_to_ask(BUY, BUY) == ()


def test_consequential_tool_asks_first() -> None:
    tool = with_hints(consequential=True)
    assert reasons_to_ask(tool, tool) == (AskReason.CONSEQUENTIAL,)


def test_consequential_tool_that_has_gone_still_asks() -> None:
    assert reasons_to_ask(with_hints(consequential=True), None) == (AskReason.CONSEQUENTIAL,)


def test_hint_swapped_away_after_the_model_saw_it_still_asks() -> None:
    reasons = reasons_to_ask(with_hints(consequential=True), BUY)
    assert reasons == (AskReason.CONSEQUENTIAL, AskReason.HINTS_CHANGED)


def test_hint_that_came_after_the_model_saw_the_tool_asks() -> None:
    reasons = reasons_to_ask(BUY, with_hints(consequential=True))
    assert reasons == (AskReason.OTHERWISE_CONSEQUENTIAL, AskReason.HINTS_CHANGED)


def test_hint_that_was_there_before_the_model_saw_the_tool_asks() -> None:
    assert reasons_to_ask(BUY, BUY, ever_consequential=True) == (AskReason.OTHERWISE_CONSEQUENTIAL,)


@pytest.mark.parametrize("hint", ["read_only", "untrusted_content", "debugging"])
def test_any_changed_hint_asks(hint: str) -> None:
    assert reasons_to_ask(with_hints(**{hint: True}), BUY) == (AskReason.HINTS_CHANGED,)


def test_changed_words_alone_ask_nobody() -> None:
    assert reasons_to_ask(BUY, replace(BUY, description="Buy it.")) == ()


def test_same_place_is_name_origin_and_frame() -> None:
    changed = replace(BUY, description="Buy it.", document="d2")
    others = [replace(BUY, name="sell"), replace(BUY, origin=AD), replace(BUY, frame="frame-1")]
    assert same_place(BUY, [*others, changed]) is changed
    assert same_place(BUY, others) is None


def test_approval_names_tool_origin_schema_and_arguments() -> None:
    approval = approval_of(BUY, '{"amount": 2}').to_json()
    assert approval["name"] == "buy"
    assert approval["origin"] == SHOP
    assert approval["arguments"] == {"amount": 2}
    assert approval["schema_digest"].startswith("sha256:")
    assert approval["digest"].startswith("sha256:")


def test_layout_of_the_arguments_does_not_change_an_approval() -> None:
    one = approval_of(BUY, '{"amount": 2, "to": "me"}')
    assert approval_of(BUY, '{"to":"me","amount":2}').digest == one.digest


@pytest.mark.parametrize(
    "other",
    [
        approval_of(replace(BUY, name="sell"), '{"amount": 1}'),
        approval_of(replace(BUY, origin=AD), '{"amount": 1}'),
        approval_of(replace(BUY, input_schema={"type": "object"}), '{"amount": 1}'),
        approval_of(BUY, '{"amount": 10}'),
        approval_of(BUY, '{"amount": true}'),
        approval_of(BUY, '{"amount": 1.0}'),
        approval_of(BUY, '{"amount": "1"}'),
        approval_of(BUY, '{"amount": 1, "to": null}'),
        approval_of(BUY, "{}"),
    ],
)
def test_approval_fits_no_call_that_differs_in_one_member(other: Any) -> None:
    assert other.digest != approval_of(BUY, '{"amount": 1}').digest


@pytest.mark.parametrize("text", ["{", '{"amount": NaN}', '{"amount": 1e999}', "[" * 100_000, ""])
def test_arguments_that_are_no_json_are_approved_as_text(text: str) -> None:
    approval = approval_of(BUY, text)
    assert approval.arguments == text
    assert approval.digest.startswith("sha256:")


def test_output_of_one_origin_flows_to_a_tool_of_another() -> None:
    assert flows_from(SHOP, [AD, SHOP, AD]) == [AD]


def test_output_of_the_same_origin_does_not_flow() -> None:
    assert flows_from(SHOP, [SHOP]) == []


def test_output_of_a_tool_that_is_no_pages_does_not_flow() -> None:
    assert flows_from(SHOP, [""]) == []


def test_opaque_origin_is_another_one_even_to_itself() -> None:
    assert flows_from("null", ["null"]) == ["null"]
