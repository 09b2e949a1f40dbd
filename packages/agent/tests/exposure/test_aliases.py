"""Names for the model: taken by every provider, and independent of what else there is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext.judging.clients.page_tools import PageTool
from modelcontext_agent.exposure.aliases import LONGEST, AliasCollisionError, alias_of, by_alias

NAMES = st.text("abcXYZ019_.-", min_size=1, max_size=128)
FRAMES = st.sampled_from(["main", "frame-1", "frame-2"])


def tool(name: str, frame: str = "main", document: str = "d1", origin: str = "https://a.test") -> PageTool:
    return PageTool(name=name, description="", document=document, origin=origin, frame=frame)


def test_name_that_every_provider_takes_is_its_own_alias_in_the_main_frame() -> None:
    assert alias_of(tool("search-flights_2")) == "search-flights_2"


@pytest.mark.parametrize("name", ["a.b", "x" * 65, "pay_0123456789"])
def test_other_name_gets_a_readable_part_and_a_suffix(name: str) -> None:
    alias = alias_of(tool(name))
    assert re.fullmatch(r"[A-Za-z0-9_-]+_[0-9a-f]{10}", alias)
    assert alias != name


def test_same_name_in_another_frame_has_another_alias() -> None:
    assert len({alias_of(tool("pay", frame)) for frame in ("main", "frame-1", "frame-2")}) == 3


def test_page_cannot_take_the_alias_of_a_tool_in_a_frame() -> None:
    aimed_at = alias_of(tool("pay", "frame-1"))
    assert alias_of(tool(aimed_at)) != aimed_at


def test_alias_survives_a_navigation_of_the_frame() -> None:
    assert alias_of(tool("pay", document="d1")) == alias_of(tool("pay", document="d2", origin="https://b.test"))


def test_names_that_differ_only_in_what_is_replaced_have_different_aliases() -> None:
    names = ["a.b", "a_b", "a-b", "a.b_2", "a_b_2"]
    assert len(by_alias(tool(name) for name in names)) == len(names)


def test_two_tools_of_one_name_in_one_frame_are_an_error_that_names_them() -> None:
    with pytest.raises(AliasCollisionError, match="“pay” in the frame main and “pay” in the frame main"):
        by_alias([tool("pay"), tool("pay", document="d2")])


@given(st.sets(st.tuples(FRAMES, NAMES), max_size=30), st.randoms())
def test_aliases_are_valid_distinct_and_independent_of_order_and_company(tools, random) -> None:  # type: ignore[no-untyped-def]
    every = [tool(name, frame) for frame, name in tools]
    aliases = by_alias(every)
    assert len(aliases) == len(every)
    assert all(re.fullmatch(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}", alias) for alias in aliases)
    some = [one for one in every if random.random() < 0.5]
    random.shuffle(some)
    assert by_alias(some) == {alias: one for alias, one in aliases.items() if one in some}
