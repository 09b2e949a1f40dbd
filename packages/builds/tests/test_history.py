"""What builds show, as ranges."""

from __future__ import annotations

from modelcontext.ground.problems import UnavailableError
from modelcontext_builds.build import Build
from modelcontext_builds.history import ALLOWED, NOT_IN_ITS_TEXT, UNKNOWN, ShownByBuild, on_every_build, ranges


def build(number: int) -> Build:
    return Build(f"chromium:{number}", f"{number}.0.1.0", "document", (), takes_text=False)


def test_builds_that_follow_each_other_and_show_the_same_are_one_range() -> None:
    shown = [ShownByBuild(ALLOWED), ShownByBuild(ALLOWED), ShownByBuild("a deviation", "step 1"), ShownByBuild(ALLOWED)]
    found = ranges([(build(number), one) for number, one in zip((147, 148, 152, 156), shown, strict=True)])
    assert [(one.words, one.shown.words) for one in found] == [
        ("147 to 148", ALLOWED),
        ("152", "a deviation"),
        ("156", ALLOWED),
    ]


def test_schema_as_text_and_as_an_object_are_one_range() -> None:
    as_text = ShownByBuild('getTools: fulfilled with [{inputSchema: "{\\"type\\":\\"object\\"}", name: "t"}]')
    as_object = ShownByBuild('getTools: fulfilled with [{inputSchema: {type: "object"}, name: "t"}]')
    other = ShownByBuild('getTools: fulfilled with [{inputSchema: {}, name: "t"}]')
    found = ranges([(build(153), as_text), (build(156), as_object), (build(157), other)])
    assert [one.words for one in found] == ["153 to 156", "157"]


def test_only_what_the_text_forbids_is_a_deviation() -> None:
    every = (ALLOWED, NOT_IN_ITS_TEXT, f"{UNKNOWN}it was cut off", "t: undefined")
    assert [ShownByBuild(words).is_deviation for words in every] == [False, False, False, True]


def test_build_that_does_not_start_stops_no_other() -> None:
    problem = UnavailableError("it does not start", "install it again")

    def show(one: Build) -> ShownByBuild:
        if one.name == "chromium:148":
            raise problem
        return ShownByBuild(ALLOWED)

    seen, missing = on_every_build([build(147), build(148), build(149)], show)
    assert [one.name for one, _ in seen] == ["chromium:147", "chromium:149"]
    assert missing == {"chromium:148": problem}
