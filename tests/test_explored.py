"""The kept explorations cannot be stale: their digest and their keys change with all that an exploration depends on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from modelcontext.ground.checkout import PACKAGE
from modelcontext.ground.keeping import digest, sources
from modelcontext.judging.conformance.explored import Explorations, KeptExploration, explore
from modelcontext.judging.conformance.verdict import Standing, Verdicts
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import loads_toml
from modelcontext.running.products.base import Ending, Observation
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from tests.sharing import made_once
from tests.small_programs import LISTS, REGISTERS

ROOT = Path(__file__).resolve().parents[1]
ENDLESS = """
title = "A listener triggers its own event."
documents.top.html = '<form><input id="f"></form>'
[[script.top]]
do = "listen"
element = "f"
type = "input"
steps = [{ do = "fill", element = "f", value = "x" }]
[[script.top]]
do = "fill"
element = "f"
value = "x"
"""
FOUND = KeptExploration(True, frozenset({"{}"}), frozenset({"valid-tool-name 1"}))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Make a package with two modules."""
    for name in ("__init__.py", "a/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "change",
    [
        lambda package: (package / "a/b.py").write_text("a = 2\n"),
        lambda package: (package / "a/b.py").rename(package / "a/c.py"),
        lambda package: (package / "a/b.webidl").touch(),
        lambda package: (package / "a/b.py").unlink(),
    ],
    ids=["module changed", "module renamed", "file added", "module removed"],
)
def test_change_of_a_source_changes_the_digest(package: Path, change: Callable[[Path], object]) -> None:
    before = digest(package)
    digest.cache_clear()
    assert digest(package) == before
    change(package)
    digest.cache_clear()
    assert digest(package) != before


def test_digest_covers_every_module_that_is_imported_here() -> None:
    modules = {name: module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "modelcontext"}
    covered = {str(path) for path in sources(PACKAGE)}
    assert len(modules) > 100
    # Other tests link texts, whose modules are in no folder; the exploration uses none of them.
    in_folders = {
        name: file for name, file in modules.items() if not name.startswith("modelcontext.spec.revisions.text_")
    }
    assert {name for name, file in in_folders.items() if file not in covered} == set()


def test_exploration_is_kept_for_the_same_program_only(tmp_path: Path) -> None:
    explorations = Explorations(tmp_path)
    explorations.add(loads_toml(LISTS), FOUND)
    explorations.keep()
    kept = Explorations(tmp_path)
    assert kept.find(loads_toml(LISTS)) == FOUND
    assert kept.find(loads_toml(REGISTERS)) is None


def test_explorations_of_two_processes_are_kept_and_those_of_another_state_are_not(tmp_path: Path) -> None:
    one, two = Explorations(tmp_path), Explorations(tmp_path)
    one.add(loads_toml(LISTS), FOUND)
    two.add(loads_toml(REGISTERS), FOUND)
    outdated = tmp_path / "build/explored/0.json"
    outdated.parent.mkdir(parents=True)
    outdated.touch()
    one.keep()
    two.keep()
    kept = Explorations(tmp_path)
    assert (kept.find(loads_toml(LISTS)), kept.find(loads_toml(REGISTERS))) == (FOUND, FOUND)
    assert not outdated.exists()


def test_cut_file_and_a_folder_that_cannot_be_written_are_as_if_nothing_was_kept(tmp_path: Path) -> None:
    explorations = Explorations(tmp_path)
    explorations.add(loads_toml(LISTS), FOUND)
    explorations.keep()
    [kept] = (tmp_path / "build/explored").iterdir()
    kept.write_text(kept.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert Explorations(tmp_path).find(loads_toml(LISTS)) is None
    (tmp_path / "file").touch()
    nowhere = Explorations(tmp_path / "file")
    nowhere.add(loads_toml(LISTS), FOUND)
    nowhere.keep()
    assert nowhere.find(loads_toml(LISTS)) == FOUND


def test_exploring_all_leaves_out_what_is_known_and_what_the_model_cannot_explore(tmp_path: Path) -> None:
    explorations = Explorations(tmp_path)
    known, unknown, endless = loads_toml(LISTS), loads_toml(REGISTERS), loads_toml(ENDLESS)
    explorations.add(known, FOUND)
    done: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        explorations.explore_all([known, endless, unknown], pool, 1, done.append)
    assert sum(done) == 3
    kept = Explorations(tmp_path)
    assert (kept.find(known), kept.find(endless), kept.find(unknown)) == (FOUND, None, explore(unknown))


def test_known_outcome_is_allowed_without_a_search_unless_another_text_stands_in(tmp_path: Path) -> None:
    from modelcontext_prose.other_text import read_other_text

    program, observed = loads_toml(LISTS), Outcome({"top": [{"in": "top", "log": "only known here"}]})
    explorations = Explorations(tmp_path)
    explorations.add(program, KeptExploration(True, frozenset({observed.canonical}), frozenset()))
    verdicts, observation = Verdicts(explorations=explorations), Observation(Ending.OUTCOME, observed)
    assert verdicts.verdict_on(program, observation).standing is Standing.PASS
    listing = verdicts.listing(program)
    assert listing is not None
    assert listing.outcomes == (observed,)
    with REVISIONS.standing_in(program.revision, read_other_text(str(ROOT / CURRENT.text))):
        assert verdicts.verdict_on(program, observation).standing is Standing.FAIL


def test_folder_is_made_once_and_again_after_a_failure(tmp_path: Path) -> None:
    made: list[Path] = []

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("no space")

    with pytest.raises(ValueError, match="no space"):
        made_once(tmp_path / "folder", fail)
    for _ in range(2):
        assert made_once(tmp_path / "folder", made.append) == tmp_path / "folder"
    assert made == [tmp_path / "folder"]
    assert list((tmp_path / "folder").iterdir()) == []
