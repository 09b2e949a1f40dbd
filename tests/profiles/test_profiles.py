"""Profiles: every quirk shows in a program, and the model predicts the known deviations of each product."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.conformance.expectations import Expectation, load_expectations, vocabulary
from modelcontext.judging.profiles import PROFILES, Profile, ProfileError, Quirk, composing, load_profile
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome, describe_entry
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.registry import from_the_compiler
from modelcontext.spec.weaving.relinking import InsteadOf

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import PatchedText
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
    except NoMeaningError:
        return None


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(("name", "quirk"), [(name, quirk) for name in PROFILES for quirk in load_profile(name).quirks])
def test_each_quirk_shows_in_its_reproducer(name: str, quirk: Quirk) -> None:
    assert_shows(load_profile(name), quirk, frozenset({quirk.name}))


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
    ("quirk", "message"),
    [
        (
            Quirk("q", "valid-tool-name 9", patch="  valid-tool-name\n- 9. Return nothing at all.\n"),
            "valid-tool-name 9 does not exist",
        ),
        (
            Quirk("q", "valid-tool-name 1", patch="  valid-tool-name\n+ 1. Crash.\n"),
            "valid-tool-name 1 has no meaning: not understood at 'Crash",
        ),
        (
            Quirk(
                "q",
                "valid-tool-name 1",
                patch="  pending execution\n+ color: a [=string=], initially the empty string\n",
            ),
            "a profile's patch changes only algorithms, and this one model.py",
        ),
        (
            Quirk("q", "valid-tool-name 1", changes=[InsteadOf("no_such_verb", len)]),
            "no_such_verb is not called in current",
        ),
    ],
)
def test_quirk_that_does_not_fit_is_an_error(quirk: Quirk, message: str) -> None:
    with pytest.raises(ProfileError, match=f"^the profile p with the quirks q cannot be applied: .*{message}"):
        linked(quirk)


def quirk_of_length(name: str, patch: str) -> Quirk:
    return Quirk(name, "valid-tool-name 2", patch=f"  valid-tool-name\n{patch}")


SHORTER = quirk_of_length(
    "shorter",
    "- 2. If name's length is greater than 128, then return false.\n"
    "+ 2. If |name|'s [=string/length=] is greater than 64, then return false.\n",
)
EMPTY = quirk_of_length("empty", "- 1. If name is the empty string, then return false.\n")


def test_quirks_of_one_algorithm_compose() -> None:
    found = {
        quirks: linked(*quirks).algorithms["valid-tool-name"] for quirks in ((SHORTER,), (EMPTY,), (SHORTER, EMPTY))
    }
    assert [[is_valid(name) for name in ("", "n" * 65)] for is_valid in found.values()] == [
        [False, False],
        [True, True],
        [True, False],
    ]


def test_choice_of_quirks_compiles_only_what_it_changes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two quirks of different algorithms need no text of their own beside those of each alone."""
    patched: list[list[str]] = []

    def patch(path: Path, patches: list[str]) -> PatchedText:
        patched.append(patches)
        return from_the_compiler("patch")(path, patches)  # type: ignore[no-any-return]

    monkeypatch.setattr(composing, "from_the_compiler", lambda _: patch)
    elsewhere = Quirk("elsewhere", "unregister-a-tool 2", patch="  unregister-a-tool\n- 2. If tool map[name] …\n")
    profile = Profile("p", "chromium", REVISION, (SHORTER, EMPTY, elsewhere))
    profile.linked(frozenset({"shorter", "elsewhere"}))
    profile.linked(frozenset({"empty", "elsewhere"}))
    profile.linked(frozenset({"shorter", "empty"}))
    texts = [[SHORTER], [elsewhere], [EMPTY], [SHORTER, EMPTY]]
    assert sorted(patched) == sorted([quirk.patch for quirk in text] for text in texts)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", PROFILES)
def test_every_patch_of_a_profile_fits_compiles_and_changes_an_algorithm(name: str) -> None:
    profile = load_profile(name)
    composer = profile.composer
    changed = {one: composer.changed(frozenset({one})) for one in composer.patches}
    assert [one for one, algorithms in changed.items() if not algorithms] == []
    for group in composer.groups(list(changed)):
        elsewhere = {id_ for one in changed.keys() - group for id_ in changed[one]}
        assert elsewhere.isdisjoint(id_ for one in group for id_ in changed[one])
    assert profile.linked().algorithms.keys() >= profile.revision.algorithms.keys()


def test_quirk_without_a_change_is_an_error() -> None:
    with pytest.raises(ProfileError, match="the quirk q changes nothing"):
        Quirk("q", "valid-tool-name 1")


def test_unknown_profile_is_an_error() -> None:
    with pytest.raises(ProfileError, match="no profile has the name netscape_4: use one of"):
        load_profile("netscape_4")
