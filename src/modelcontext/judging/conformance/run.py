"""Runs of the corpus on products, and their comparison with expectations."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.verdict import UNSOUND, Listing, Standing, Verdict, Verdicts

if TYPE_CHECKING:
    from modelcontext.judging.conformance.corpus import Case
    from modelcontext.judging.conformance.expectations import Expectation
    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.base import Observation, Product

#: The number of times that an unexpected verdict must show again to count. Chromium 156 leaves about one in 200
#: registrations in frames unsettled, without any pattern.
CONFIRMATIONS = 2


@dataclass(frozen=True)
class Row:
    """One program: the outcomes allowed to it, and the verdict on each product that implements its revision."""

    case: Case
    listing: Listing | None
    verdicts: dict[str, Verdict]


@dataclass(frozen=True)
class Surprise:
    """A difference between an observation and the expectations."""

    program: str
    product: str
    text: str


@dataclass(frozen=True)
class CorpusReport:
    """A whole run. ``versions`` are those of the products that ran.

    ``unsteady`` names the programs whose unexpected verdict did not show again in further runs; the other one counts. An
    interrupt has ``left`` so many programs out.
    """

    rows: Sequence[Row]
    versions: Mapping[str, str]
    unavailable: Mapping[str, UnavailableError]
    expectations: Mapping[str, Mapping[str, Expectation]]
    surprises: Sequence[Surprise]
    unsteady: Sequence[Surprise] = ()
    left: int = 0

    @property
    def unsound(self) -> list[tuple[Row, str, Verdict]]:
        """The runs that say nothing about their product."""
        return self._with_standing(UNSOUND)

    @property
    def disagreements(self) -> list[tuple[Row, str, Verdict]]:
        """The runs whose outcome is not allowed."""
        return self._with_standing({Standing.FAIL})

    def _with_standing(self, standings: Container[Standing]) -> list[tuple[Row, str, Verdict]]:
        every = [(row, product, verdict) for row in self.rows for product, verdict in row.verdicts.items()]
        return [(row, product, verdict) for row, product, verdict in every if verdict.standing in standings]

    def expectation(self, row: Row, product: str) -> Expectation | None:
        """Return the expectation about a program on a product, if any."""
        return self.expectations.get(product, {}).get(row.case.name)


class CorpusInterrupted(KeyboardInterrupt):
    """An interrupt of a run; ``report`` has the programs that have ended."""

    def __init__(self, report: CorpusReport) -> None:
        super().__init__()
        self.report = report


def run_corpus(
    cases: Sequence[Case],
    products: Sequence[Product],
    expectations: Mapping[str, Mapping[str, Expectation]],
    progress: Callable[[Row], None] = lambda row: None,
    all_verdicts: Verdicts | None = None,
) -> CorpusReport:
    """Run every case on every product that reads it; ``progress`` is called with each finished row.

    A product that is not available does not stop the others; its cells are NOTRUN. If the run is stopped, also by an
    interrupt, all products are closed.

    Raises:
        CorpusInterrupted: at an interrupt.
    """
    all_verdicts = all_verdicts or Verdicts()
    read = {
        (product.name, number): program
        for product in products
        for number, case in enumerate(cases)
        if (program := product.reads(case.program)) is not None
    }
    products = [product for product in products if any(product.name == name for name, _ in read)]
    versions: dict[str, str] = {}
    unavailable: dict[str, UnavailableError] = {}
    with ExitStack() as stack:
        for product in products:
            try:
                stack.enter_context(product)
                versions[product.name] = product.version
            except UnavailableError as error:
                unavailable[product.name] = error
        available = [product for product in products if product.name not in unavailable]
        # Each browser runs through all programs by itself, and the model judges behind them.
        runs = {}
        for product in available:
            if product.concurrent:
                pool = ThreadPoolExecutor(1)
                stack.callback(pool.shutdown, cancel_futures=True)
                for (name, number), program in read.items():
                    if name == product.name:
                        runs[name, number] = pool.submit(product.run, program)
        rows: list[Row] = []
        unsteady: list[Surprise] = []
        try:
            for number, case in enumerate(cases):
                listing = all_verdicts.listing(case.program)
                verdicts = {}
                for product in products:
                    if (product.name, number) not in read:
                        continue
                    if product.name in unavailable:
                        verdicts[product.name] = Verdict(Standing.NOTRUN, None, unavailable[product.name].reason)
                        continue
                    program = read[product.name, number]
                    run = runs.get((product.name, number))
                    observation = run.result() if run is not None else product.run(program)
                    verdicts[product.name] = _judged(program, product, observation, all_verdicts)
                row = Row(case, listing, verdicts)
                rows.append(row)
                progress(row)
            for number, row in enumerate(rows):
                programs = {name: read[name, number] for name in row.verdicts if (name, number) in read}
                unsteady += _confirm(row, available, programs, all_verdicts, expectations)
        except KeyboardInterrupt:
            surprises = _compared(rows, expectations)
            left = len(cases) - len(rows)
            report = CorpusReport(rows, versions, unavailable, expectations, surprises, unsteady, left)
            raise CorpusInterrupted(report) from None
    return CorpusReport(rows, versions, unavailable, expectations, find(rows, expectations), unsteady)


def _judged(program: Program, product: Product, observation: Observation, all_verdicts: Verdicts) -> Verdict:
    with product.text():
        return all_verdicts.verdict_on(program, observation)


def _confirm(
    row: Row,
    products: Sequence[Product],
    programs: Mapping[str, Program],
    all_verdicts: Verdicts,
    expectations: Mapping[str, Mapping[str, Expectation]],
) -> Iterator[Surprise]:
    """Run again each program with an unexpected verdict, and let the first different verdict count."""
    for product in products:
        verdict = row.verdicts.get(product.name)
        if verdict is None or not product.concurrent:
            continue
        if verdict.standing is not Standing.ERROR and _compare(row, product.name, expectations) is None:
            continue
        for _ in range(CONFIRMATIONS):
            program = programs[product.name]
            again = _judged(program, product, product.run(program), all_verdicts)
            if (again.standing, again.observed) != (verdict.standing, verdict.observed):
                text = f"once {verdict.observed or verdict.standing}, then {again.observed or again.standing}"
                yield Surprise(row.case.name, product.name, text)
                row.verdicts[product.name] = again
                break


def find(rows: Sequence[Row], expectations: Mapping[str, Mapping[str, Expectation]]) -> list[Surprise]:
    """Return the new, changed and vanished disagreements, and expectations for programs that do not exist."""
    names = {row.case.name for row in rows}
    strays = [
        Surprise(name, product, "an expectation names this program, but it does not exist")
        for product, expected in expectations.items()
        for name in expected
        if name not in names
    ]
    return [*_compared(rows, expectations), *strays]


def _compared(rows: Sequence[Row], expectations: Mapping[str, Mapping[str, Expectation]]) -> list[Surprise]:
    compared = [_compare(row, product, expectations) for row in rows for product in row.verdicts]
    return [surprise for surprise in compared if surprise is not None]


def _compare(row: Row, product: str, expectations: Mapping[str, Mapping[str, Expectation]]) -> Surprise | None:
    verdict = row.verdicts[product]
    expectation = expectations.get(product, {}).get(row.case.name)
    if verdict.standing is Standing.PASS and expectation is not None:
        text = f"vanished: the outcome is allowed now, but the expectation was: {expectation.observed}"
    elif verdict.standing is not Standing.FAIL or (expectation and verdict.observed == expectation.observed):
        return None
    elif expectation is None:
        text = "new: this disagreement is not among the expectations"
    else:
        text = f"changed: the expectation was: {expectation.observed}"
    return Surprise(row.case.name, product, text)
