"""The folder of reports: for each product a folder, with a folder for each of its defects."""

from __future__ import annotations

from pathlib import Path

from modelcontext.ground.files import WriteError, write_whole
from modelcontext.judging.profiles import DEVIATIONS, load_deviations
from modelcontext_filing.defects import read_defects
from modelcontext_filing.findings_document import versions_of
from modelcontext_filing.plain.plain_page import POLYFILL
from modelcontext_filing.report import report

#: The folder for the pages of crashes, which git ignores.
WITHHELD = Path("build/withheld")
#: The names of products that have another one than the project's.
_NAMES = {"firefox": "Firefox ESR", "polyfill": POLYFILL}


def make_reports(root: Path, folder: Path, *, withheld: bool = False) -> None:
    """Make the report of each defect in a folder.

    Args:
        root: the checkout.
        folder: the folder, which has one for each product afterwards.
        withheld: make the reports of crashes only, with the pages that no other report of a crash has.

    Raises:
        WriteError: if the file system does not allow it.
    """
    for name, product in DEVIATIONS.items():
        defects = read_defects(root).get(product, ())
        title = f"{_NAMES.get(product, product.capitalize())} {versions_of(defects)}"
        for defect in defects:
            # A difference that nobody has to mend is no report.
            if (withheld and defect.loses != "crash") or defect.changes == "neither":
                continue
            files = report(root, defect, title, load_deviations(name).revision.name, withheld=withheld)
            try:
                (folder / product / defect.name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WriteError(f"{folder} cannot be written: {error.strerror}") from None
            for file, text in files.items():
                write_whole(folder / product / defect.name / file, text)
