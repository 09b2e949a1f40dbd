"""The programs and products of a run of all builds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.judging.conformance.corpus import Case
from modelcontext.people.cli import conformance
from modelcontext.programs.program.reading import from_data
from modelcontext.spec.revisions.registry import FILES
from modelcontext_builds.build import VARIABLE, Build, folder_of
from modelcontext_builds.build_product import BuildProduct
from modelcontext_builds.conformance import builds, history_name, products_of_builds, with_other_revisions
from modelcontext_builds.products import BuildMaker, target_of

LISTS = {"title": "lists", "script": {"top": [{"do": "getTools"}]}}
REGISTERS = {
    "title": "registers",
    "script": {"top": [{"do": "registerTool", "tool": {"name": "t", "description": "d"}}]},
}
TEXT = Build("chromium:153", "153.0.1.0", "document", (), takes_text=True)


def case(name: str, data: Mapping[str, object], revision: str) -> Case:
    return Case(name, Path(f"{name}.toml"), from_data({**data, "revision": revision}))


def test_programs_of_other_revisions_are_added_where_they_make_sense() -> None:
    folders = {name: Path(files.programs) for name, files in FILES.items()}
    corpora: dict[Path, Sequence[Case]] = {folder: [] for folder in folders.values()} | {
        folders["current"]: [case("listing/a", LISTS, "current"), case("names/a", REGISTERS, "current")],
        folders["2026-03"]: [case("names/b", REGISTERS, "2026-03")],
    }
    found = with_other_revisions(corpora)
    assert [one.name for one in found[folders["current"]]] == ["listing/a", "names/a", "2026-03/names/b"]
    assert [one.name for one in found[folders["2026-03"]]] == ["names/b", "current/names/a"]
    assert {one.program.revision for one in found[folders["2026-03"]]} == {"2026-03"}


@pytest.mark.parametrize(
    ("name", "revision", "history"),
    [
        ("names/a", "current", "names/a"),
        ("current/names/a", "2026-03", "names/a"),
        ("names/b", "2026-03", "2026-03/names/b"),
        ("2026-03/names/b", "current", "2026-03/names/b"),
    ],
)
def test_program_has_one_name_in_all_revisions(name: str, revision: str, history: str) -> None:
    assert history_name(name, revision) == history


def test_builds_come_before_the_browsers_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    folder_of(TEXT.name).mkdir()
    TEXT.save(folder_of(TEXT.name))
    assert products_of_builds() == ("chromium:153", "chromium", "firefox", "lightpanda")


def test_programs_of_revisions_that_no_named_product_implements_are_left_out() -> None:
    folders = {name: Path(files.programs) for name, files in FILES.items()}
    corpora: dict[Path, Sequence[Case]] = {folder: [] for folder in folders.values()}
    corpora[folders["current"]] = [case("names/a", REGISTERS, "current")]
    products, found = builds(corpora, ("firefox",))
    assert products == ("firefox",)
    assert {folder: [one.name for one in cases] for folder, cases in found.items()} == {
        folders["2026-03"]: ["current/names/a"]
    }


def build_product() -> BuildProduct:
    from modelcontext.running.products.makers import ProductOptions

    product = BuildMaker(target_of(TEXT.name, TEXT.revision), TEXT).product(ProductOptions())
    assert isinstance(product, BuildProduct)
    return product


def test_build_reads_programs_with_inputs_as_text() -> None:
    call = {"do": "executeTool", "tool": {"$tool": "t"}, "input": {"n": 1}}
    read = build_product().reads(from_data({"title": "calls", "script": {"top": [call]}}))
    assert read is not None
    assert read.to_data()["script"]["top"][0]["input"] == '{"n":1}'


def test_build_does_not_read_what_it_cannot_run() -> None:
    leaving = {
        "title": "leaves",
        "documents": {"away": {"tab": "top", "start": "later"}},
        "script": {"top": [{"do": "leave", "document": "away"}], "away": [{"do": "goBack"}]},
    }
    assert build_product().reads(from_data({**REGISTERS, "revision": "2026-03"})) is None
    assert build_product().reads(from_data(leaving)) is None


def test_tests_of_a_build_that_takes_text_get_the_adapting_script() -> None:
    plain, adapted = (target_of(TEXT.name, TEXT.revision, adapts=adapts) for adapts in (False, True))
    assert plain.scripts() == []
    [script] = adapted.scripts()
    assert "executeTool" in script


@pytest.mark.parametrize("option", [("--programs", "."), ("--inject", __file__)])
def test_options_that_name_other_programs_or_texts_are_refused(option: tuple[str, str]) -> None:
    result = CliRunner().invoke(conformance.command, ["--builds", *option])
    assert result.exit_code == 2
    assert "--builds chooses the programs and texts" in result.stderr
