"""Strategies for whole programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from modelcontext.programs.program.reading import from_data
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_fuzz.generators.fragments import Fragment, fragments_of, weights_of
from modelcontext_fuzz.generators.scene import Data, Scene

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

#: The largest number of fragments in a program.
MOST_FRAGMENTS = 3


@st.composite
def _documents(draw: st.DrawFn) -> dict[str, Data]:
    """Draw documents: mostly top alone, or with one to three frames, side by side or nested; rarely with a popup."""
    documents: dict[str, Data] = {"top": {}}
    shape = draw(st.sampled_from(("alone",) * 6 + ("frame",) * 4 + ("frames",) * 2 + ("tree",) + ("popup",)))
    if shape == "alone":
        if draw(st.integers(0, 19)) == 19:
            documents["top"]["permissions-policy"] = draw(st.sampled_from(("tools=()", "tools=*", "tools=(self)")))
        return documents
    if shape == "popup":
        documents["popup"] = {"opener": "top", **draw(st.sampled_from(({}, {"origin": "B"})))}
        return documents
    documents["child"] = draw(_frames("top"))
    if shape == "tree":
        documents |= {"inner": {"parent": "child"}, "second": draw(_frames("top"))}
    if shape == "frames":
        documents["other"] = draw(_frames(draw(st.sampled_from(("top", "child")))))
    return documents


@st.composite
def _frames(draw: st.DrawFn, parent: str) -> Data:
    frame: Data = {"parent": parent}
    origin = draw(st.sampled_from(("A", "A", "A", "B", "B", "C")))
    if origin != "A":
        frame["origin"] = origin
    allow = draw(st.sampled_from(("tools", None, "tools", "tools 'none'", "tools *", "tools {B}")))
    if allow is not None and (origin != "A" or draw(st.booleans())):
        frame["allow"] = allow
    if draw(st.integers(0, 11)) == 11:
        frame["sandbox"] = draw(st.sampled_from(("allow-scripts", "allow-scripts allow-same-origin")))
    if draw(st.integers(0, 15)) == 15:
        frame["permissions-policy"] = draw(st.sampled_from(("tools=()", "tools=(self)")))
    return frame


@st.composite
def programs_of(
    draw: st.DrawFn, fragments: st.SearchStrategy[Fragment], revision: str, most: int = MOST_FRAGMENTS
) -> Program:
    """Draw a program of a revision from at most ``most`` of these fragments."""
    scene = Scene(draw(_documents()), revision)
    documents = list(scene.documents)
    for _ in range(draw(st.integers(1, most))):
        fragment = draw(fragments)
        # A document that has gone does nothing.
        fragment(draw, scene, draw(st.sampled_from([id_ for id_ in documents if id_ in scene.present])))
    return from_data(scene.data())


def programs(revision: str = CURRENT.name) -> st.SearchStrategy[Program]:
    """Return a strategy for programs of a revision such as a curious person might write."""
    weights = weights_of(revision)
    slots = [fragment for fragment in fragments_of(revision) for _ in range(weights[fragment.__name__])]
    return programs_of(st.sampled_from(slots), revision)
