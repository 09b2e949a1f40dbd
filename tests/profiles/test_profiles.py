"""Profiles: every quirk shows something, and what is known about a browser is what the model predicts with its profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext import world
from modelcontext.conformance.expectations import Expectation, load_expectations
from modelcontext.profiles import PROFILES, CrashError, Profile, ProfileError, Quirk, load_profile
from modelcontext.profiles.profile import link
from modelcontext.program import explore
from modelcontext.program.outcome import Outcome, describe_entry
from modelcontext.program.reading import load
from modelcontext.revisions.current import REVISION
from modelcontext.specification import load_algorithms

ROOT = Path(__file__).resolve().parents[2]
CORPUS = {"current": ROOT / "wpt_tests/programs", "2026-03": ROOT / "wpt_tests/programs-2026-03"}
EXPECTATIONS = {
    "chromium_156": ROOT / "wpt_tests/expectations/chromium.toml",
    "firefox_153": ROOT / "wpt_tests/expectations-2026-03/firefox.toml",
    "polyfill_5": ROOT / "wpt_tests/expectations/polyfill.toml",
}
# What these programs show depends on more than one step, and no quirk has it yet.
NOT_PREDICTED = {
    # A popup that closes rejects the promise of a call to itself, as a frame that is removed does not.
    ("chromium_156", "documents/popup-closed-while-running"),
    # registerTool mostly, and not always, resolves first while a call is on its way.
    ("chromium_156", "events/change-during-a-call"),
}

CRASH = "crash: the renderer process crashed"


def shown(profile: Profile, program: Path, names: frozenset[str] | None = None) -> Outcome | None:
    """What the model shows with quirks; None is a crash."""
    with profile.applied(names):
        try:
            return explore.run_once(load(program)).outcome
        except CrashError:
            return None


@pytest.mark.parametrize(("name", "quirk"), [(name, quirk) for name in PROFILES for quirk in load_profile(name).quirks])
def test_every_quirk_shows_in_its_reproducer(name: str, quirk: Quirk) -> None:
    assert_shows(load_profile(name), quirk, frozenset({quirk.name}))


def test_quirks_that_replace_one_verb_all_show() -> None:
    profile = load_profile("chromium_156")
    same = [quirk for quirk in profile.quirks if quirk.verb == "invoke"]
    assert len(same) == 3
    for quirk in same:
        assert_shows(profile, quirk, frozenset(other.name for other in same))


def assert_shows(profile: Profile, quirk: Quirk, names: frozenset[str]) -> None:
    program = ROOT / "wpt_tests" / f"{quirk.reproducer}.toml"
    outcome = shown(profile, program, names)
    if outcome is not None and explore.judge(load(program), outcome).kind != "forbidden":
        # Not at the first schedule, but at another one.
        allowed = set(explore.allowed_outcomes(load(program)).outcomes)
        with profile.applied(names):
            assert set(explore.allowed_outcomes(load(program)).outcomes) - allowed


def known() -> list[tuple[str, Expectation]]:
    return [
        (name, expectation)
        for name, path in EXPECTATIONS.items()
        for expectation in load_expectations(path, steps_of(load_profile(name).revision.name)).values()
    ]


def steps_of(revision: str) -> set[str]:
    return {f"{algorithm.id} {step.number}" for algorithm in load_algorithms(revision) for step in algorithm.steps}


@pytest.mark.parametrize(
    ("name", "expectation"), [pytest.param(name, known, id=f"{name}: {known.name}") for name, known in known()]
)
def test_what_is_known_is_predicted(name: str, expectation: Expectation) -> None:
    profile = load_profile(name)
    path = CORPUS[profile.revision.name] / f"{expectation.name}.toml"
    is_predicted = first_difference(path, shown(profile, path)) == expectation.observed
    if not is_predicted and (name, expectation.name) not in NOT_PREDICTED:
        # Not at the first schedule, but at another one.
        with profile.applied():
            outcomes = explore.allowed_outcomes(load(path)).outcomes.values()
        is_predicted = any(first_difference(path, outcome) == expectation.observed for outcome in outcomes)
    assert is_predicted != ((name, expectation.name) in NOT_PREDICTED)


def first_difference(path: Path, outcome: Outcome | None) -> str:
    """What the specification does not allow of an outcome, in the words of expectations."""
    if outcome is None:
        return CRASH
    departure = explore.judge(load(path), outcome).departure
    return describe_entry(departure.observed) if departure is not None else "what is allowed"


def test_a_profile_leaves_the_revision_as_it_is() -> None:
    profile = load_profile("chromium_156")
    program = CORPUS["current"] / "results/string.toml"
    before = explore.run_once(load(program)).outcome
    with profile.applied():
        assert world.REVISIONS["current"] is not REVISION
        assert explore.run_once(load(program)).outcome != before
    assert world.REVISIONS["current"] is REVISION
    assert explore.run_once(load(program)).outcome == before


@pytest.mark.parametrize(
    ("quirk", "message"),
    [
        (Quirk("q", "no-such-algorithm 1", "", "", skip=True), "no-such-algorithm, which is no algorithm"),
        (Quirk("q", "valid-tool-name 9", "", "", skip=True), "there is no such step"),
        (Quirk("q", "valid-tool-name 1", "", "", by=len, verb="no_such_verb"), "which valid-tool-name does not know"),
    ],
)
def test_a_quirk_that_fits_nowhere_is_an_error(quirk: Quirk, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        link(REVISION, [quirk])


def test_two_quirks_cannot_replace_one_algorithm() -> None:
    def always(name: str) -> bool:
        return True

    quirks = [Quirk(name, "valid-tool-name", "", "", by=always) for name in ("a", "b")]
    with pytest.raises(ProfileError, match="two quirks replace valid-tool-name"):
        link(REVISION, quirks)


def test_an_unknown_profile() -> None:
    with pytest.raises(ProfileError, match="no profile netscape_4; known are"):
        load_profile("netscape_4")
