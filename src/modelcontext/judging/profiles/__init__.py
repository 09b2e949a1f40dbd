"""Profiles: the deviations of a product from the specification, as patches of its text.

A quirk is a patch of the text, under which the product would conform. What no text can say is a change of the code: bindings,
other standards, what a browser observes.

With its profile the model predicts the product, so that known deviations never hide new ones. The deviations of a product that
is a script, which the simulated browser runs, only need names. Patches show some of them to readers.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.checkout import path_in, project_root
from modelcontext.judging.profiles import chromium_156
from modelcontext.judging.profiles.profile import Profile
from modelcontext.judging.profiles.quirk import NamedDeviation, NamedDeviations, ProfileError, Quirk
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

__all__ = [
    "DEVIATIONS",
    "PROFILES",
    "NamedDeviation",
    "NamedDeviations",
    "Profile",
    "ProfileError",
    "Quirk",
    "load_deviations",
    "load_profile",
]

#: The folder of the profiles in a checkout: a table of quirks for each, and its patches.
FOLDER: Final = Path("spec/profiles")
#: The changes of each profile that are no patches.
CHANGES: Final = {"chromium_156": chromium_156.CHANGES}
#: The product of each profile.
PROFILES = {"chromium_156": "chromium", "firefox_153": "firefox"}
#: The product of each list of named deviations; the profiles are among them. Those of other lists may be quirks.
DEVIATIONS = {**PROFILES, "polyfill_5": "polyfill"}


@cache
def load_profile(name: str) -> Profile:
    """Return a profile by its name.

    Raises:
        ProfileError: if no profile has that name.
    """
    if name not in PROFILES:
        raise ProfileError(f"no profile has the name {name}: use one of {', '.join(PROFILES)}")
    profile = load_deviations(name)
    assert isinstance(profile, Profile)
    return profile


@cache
def load_deviations(name: str) -> NamedDeviations:
    """Return one of :data:`DEVIATIONS` by its name."""
    folder = path_in(project_root(), FOLDER)
    table = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    revision, entries = REVISIONS.own(table.get("revision", CURRENT.name)), table["quirk"]
    patches = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / name).glob("*.patch"))}
    changes = CHANGES.get(name, {})
    names = [entry["name"] for entry in entries]
    if unknown := [one for one in (*patches, *changes) if one not in names]:
        raise ProfileError(
            f"there is a patch or a change for the quirk {unknown[0]}, but {name}.toml has no such quirk"
        )

    def quirk(entry: dict[str, Any]) -> Quirk:
        return Quirk(**entry, patch=patches.get(entry["name"], ""), changes=changes.get(entry["name"], ()))

    if name in PROFILES:
        return Profile(name, table["product"], revision, [quirk(entry) for entry in entries])
    named = [quirk(entry) if entry["name"] in patches else NamedDeviation(**entry) for entry in entries]
    return NamedDeviations(name, table["product"], revision, named)
