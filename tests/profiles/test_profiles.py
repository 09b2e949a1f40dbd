"""Profiles: every quirk shows in a program, and the model predicts the known deviations of each product."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.conformance.expectations import Expectation, load_expectations, vocabulary
from modelcontext.judging.profiles import PROFILES, CrashError, Profile, ProfileError, Quirk, load_profile
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome, describe_entry
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.weaving.changes import Before, Change, InsteadOf, Skip, Whole

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision

ROOT = Path(__file__).resolve().parents[2]
CORPUS = {"current": ROOT / "wpt_tests/programs", "2026-03": ROOT / "wpt_tests/programs-2026-03"}
EXPECTATIONS = {
    "chromium_156": ROOT / "wpt_tests/expectations/chromium.toml",
    "firefox_153": ROOT / "wpt_tests/expectations-2026-03/firefox.toml",
}
# The deviations in these programs have no quirk yet; most depend on more than one step.
NOT_PREDICTED = {
    # A popup that closes rejects the promise of a call to itself, as a frame that is removed does not.
    ("chromium_156", "documents/popup-closed-while-running"),
    # registerTool mostly, and not always, resolves first while a call is on its way.
    ("chromium_156", "events/change-during-a-call"),
}

CRASH = "crash: the renderer process crashed"


def shown(profile: Profile, program: Path, names: frozenset[str] | None = None) -> Outcome | None:
    """Return the outcome of the model with quirks, or None for a crash."""
    try:
        return run_once(load(program), revision=profile.linked(names)).outcome
    except CrashError:
        return None


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(("name", "quirk"), [(name, quirk) for name in PROFILES for quirk in load_profile(name).quirks])
def test_each_quirk_shows_in_its_reproducer(name: str, quirk: Quirk) -> None:
    assert_shows(load_profile(name), quirk, frozenset({quirk.name}))


@pytest.mark.usefixtures("takes_long")
def test_quirks_that_replace_one_verb_all_show() -> None:
    profile = load_profile("chromium_156")
    same = [
        quirk
        for quirk in profile.quirks
        if any(isinstance(change, InsteadOf) and change.verb == "invoke" for change in quirk.changes)
    ]
    assert len(same) == 3
    for quirk in same:
        assert_shows(profile, quirk, frozenset(other.name for other in same))


def assert_shows(profile: Profile, quirk: Quirk, names: frozenset[str]) -> None:
    program = ROOT / "wpt_tests" / f"{quirk.reproducer}.toml"
    outcome = shown(profile, program, names)
    if outcome is not None and judge(load(program), outcome).kind != "forbidden":
        # It does not show under the first schedule, but under another one.
        allowed = set(allowed_outcomes(load(program)).outcomes)
        assert set(allowed_outcomes(load(program), revision=profile.linked(names)).outcomes) - allowed


def known() -> list[tuple[str, Expectation]]:
    return [
        (name, expectation)
        for name, path in EXPECTATIONS.items()
        for expectation in load_expectations(
            path, vocabulary(PROFILES[name], load_profile(name).revision.name)
        ).values()
    ]


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(
    ("name", "expectation"), [pytest.param(name, known, id=f"{name}: {known.name}") for name, known in known()]
)
def test_known_deviation_is_predicted(name: str, expectation: Expectation) -> None:
    profile = load_profile(name)
    path = CORPUS[profile.revision.name] / f"{expectation.name}.toml"
    is_predicted = first_difference(path, shown(profile, path)) == expectation.observed
    if not is_predicted and (name, expectation.name) not in NOT_PREDICTED:
        # It does not show under the first schedule, but under another one.
        outcomes = allowed_outcomes(load(path), revision=profile.linked()).outcomes.values()
        is_predicted = any(first_difference(path, outcome) == expectation.observed for outcome in outcomes)
    assert is_predicted != ((name, expectation.name) in NOT_PREDICTED)


def first_difference(path: Path, outcome: Outcome | None) -> str:
    """Return the first entry of an outcome that the specification forbids, in the words of expectations."""
    if outcome is None:
        return CRASH
    departure = judge(load(path), outcome).departure
    return describe_entry(departure.observed) if departure is not None else "an allowed outcome"


def test_profile_does_not_change_its_revision() -> None:
    profile = load_profile("chromium_156")
    program = CORPUS["current"] / "results/string.toml"
    before = run_once(load(program)).outcome
    assert profile.linked() is not REVISION
    assert run_once(load(program), revision=profile.linked()).outcome != before
    assert run_once(load(program)).outcome == before


def linked(*quirks: Quirk) -> Revision:
    return Profile("p", "chromium", REVISION, quirks).linked()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Skip("no-such-algorithm 1"), "there is no algorithm no-such-algorithm in current"),
        (Whole("no-such-algorithm", len), "there is no algorithm no-such-algorithm in current"),
        (Skip("valid-tool-name 9"), "valid-tool-name has no step 9"),
        (Before("valid-tool-name", lambda: None), "valid-tool-name has no step"),
        (Skip("valid-tool-name 3.1"), "valid-tool-name has no step 3.1 outside of other steps"),
        (InsteadOf("no_such_verb", len), "no_such_verb is not called in current"),
        (InsteadOf("same_origin", len, ("find-a-tool-to-execute", "valid-tool-name")), "same_origin is not called in"),
        (InsteadOf("no_such_verb", len, ("valid-tool-name",)), "no_such_verb is not called in valid-tool-name"),
    ],
)
def test_quirk_that_does_not_fit_is_an_error(change: Change, message: str) -> None:
    with pytest.raises(ProfileError, match=f"^the quirk q cannot be applied: {message}"):
        linked(Quirk("q", "valid-tool-name 1", [change]))


ALWAYS = Whole("valid-tool-name", lambda: True)


@pytest.mark.parametrize("other", [ALWAYS, Skip("valid-tool-name 1"), Before("valid-tool-name 1", lambda: None)])
def test_quirk_on_an_algorithm_replaced_by_another_quirk_is_an_error(other: Change) -> None:
    for changes in ([ALWAYS, other], [other, ALWAYS]):
        with pytest.raises(
            ProfileError, match="valid-tool-name is replaced as a whole, and also changed by another change"
        ):
            linked(*(Quirk("q", "valid-tool-name 1", [change]) for change in changes))


def test_quirk_without_a_change_is_an_error() -> None:
    with pytest.raises(ProfileError, match="the quirk q changes nothing"):
        Quirk("q", "valid-tool-name 1", [])


def test_unknown_profile_is_an_error() -> None:
    with pytest.raises(ProfileError, match="no profile has the name netscape_4: use one of"):
        load_profile("netscape_4")
