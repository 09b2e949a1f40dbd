"""Use of a feature by a document: the header, the allow attribute, and the inherited policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.html.loading import (
    Response,
    create_a_new_top_level_traversable,
    insert_an_iframe,
    replace_the_initial_document,
    set_src,
)
from modelcontext.platform.html.permissions_policy import PolicyControlledFeature, is_allowed_to_use

if TYPE_CHECKING:
    from modelcontext.hosts.world import World
    from modelcontext.platform.html.document import Document

TOOLS = PolicyControlledFeature("tools")
A, B, C = "https://a.test", "https://b.test", "https://c.test"


def top(world: World, header: str) -> Document:
    return create_a_new_top_level_traversable(world.user_agent, Response(f"{A}/", header))


def frame(parent: Document, origin: str, allow: str = "", header: str = "", sandbox: str | None = None) -> Document:
    container = insert_an_iframe(parent, allow=allow, src=f"{origin}/", sandbox=sandbox)
    assert container.content_navigable is not None
    return replace_the_initial_document(container.content_navigable, Response(f"{origin}/", header))


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        ("", True),
        ("tools=()", False),
        ("tools=*", True),
        ("tools=self", True),
        ("tools=(self)", True),
        (f'tools=(self "{B}")', True),
        (f'tools=("{A}")', True),
        (f'tools=("{B}")', False),
        ("camera=()", True),
        ("camera=(), tools=()", False),
        ("tools=(), tools=*", True),
        ("tools=*, tools=()", False),
        ("tools", False),
        ("tools=none", False),
        ("tools=();report-to=x", False),
        ('tools=("https://b.test" self);report-to="x", camera=()', True),
        ("tools = ()", True),
        ("tools: ()", True),
        ("tools=(", True),
    ],
)
def test_permissions_policy_header_of_a_top_level_document(header: str, allowed: bool, world: World) -> None:
    assert is_allowed_to_use(top(world, header), TOOLS) is allowed


@pytest.mark.parametrize(
    ("parent_header", "allow", "origin", "header", "allowed"),
    [
        # The default allowlist is 'self'.
        ("", "", A, "", True),
        ("", "", B, "", False),
        # The allow attribute.
        ("", "tools", B, "", True),
        ("", "TOOLS", B, "", True),
        ("", "camera; tools", B, "", True),
        ("", "camera", B, "", False),
        ("", "tools *", B, "", True),
        ("", "tools 'src'", B, "", True),
        ("", "tools 'self'", B, "", False),
        ("", "tools 'none'", B, "", False),
        ("", "tools 'none'", A, "", False),
        ("", f"tools {B}", B, "", True),
        ("", f"tools {C}", B, "", False),
        ("", f"tools {C} {B}", B, "", True),
        ("", "tools 'none'; tools *", B, "", False),
        ("", "toolset", B, "", False),
        # The parent's header, which must allow the origin as well.
        ("tools=()", "tools", B, "", False),
        ("tools=()", "", A, "", False),
        ("tools=(self)", "tools", B, "", False),
        ("tools=(self)", "", A, "", True),
        (f'tools=(self "{B}")', "tools", B, "", True),
        (f'tools=(self "{B}")', "", B, "", False),
        (f'tools=("{B}")', "tools", B, "", False),
        ("tools=*", "", B, "", False),
        ("tools=*", "tools", B, "", True),
        # The frame's own header, which can only forbid.
        ("", "tools", B, "tools=()", False),
        ("", "tools", B, "tools=*", True),
        ("", "", B, "tools=*", False),
    ],
)
def test_feature_in_a_frame_depends_on_header_allow_attribute_and_origin(
    parent_header: str, allow: str, origin: str, header: str, allowed: bool, world: World
) -> None:
    assert is_allowed_to_use(frame(top(world, parent_header), origin, allow, header), TOOLS) is allowed


@pytest.mark.parametrize(
    ("outer_allow", "inner_origin", "inner_allow", "allowed"),
    [
        ("tools", B, "", True),
        ("tools", A, "", False),
        ("tools", A, "tools", True),
        ("tools", C, "tools", True),
        ("", B, "tools", False),
        ("", A, "tools", False),
    ],
)
def test_feature_in_a_nested_frame_needs_both_allow_attributes(
    outer_allow: str, inner_origin: str, inner_allow: str, allowed: bool, world: World
) -> None:
    outer = frame(top(world, ""), B, outer_allow)
    assert is_allowed_to_use(frame(outer, inner_origin, inner_allow), TOOLS) is allowed


def test_opaque_origin_does_not_match_self(world: World) -> None:
    assert not is_allowed_to_use(frame(top(world, ""), A, sandbox="allow-scripts"), TOOLS)
    assert is_allowed_to_use(frame(top(world, ""), A, sandbox="allow-scripts", allow="tools *"), TOOLS)


def test_inactive_document_may_use_no_feature(world: World) -> None:
    child = frame(top(world, ""), A)
    child.node_navigable = None
    assert not is_allowed_to_use(child, TOOLS)


def test_later_changes_of_the_container_do_not_change_a_documents_policy(world: World) -> None:
    page = top(world, "")
    container = insert_an_iframe(page, allow="tools", src=f"{B}/")
    assert container.content_navigable is not None
    child = replace_the_initial_document(container.content_navigable, Response(f"{B}/"))
    container.allow = ""
    set_src(container, f"{C}/")
    assert is_allowed_to_use(child, TOOLS)
