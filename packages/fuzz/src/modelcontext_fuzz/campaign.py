"""A campaign: many programs on a product. Each finding is shrunk and written at once.

The model works in processes of its own, while the browser runs the next programs. The folder of a campaign has its
progress, so that it can be resumed after any interruption:

* ``journal.jsonl``: a line for each part of the programs that is done,
* ``causes.jsonl``: a line for each cause, with the name of its finding,
* ``unsteady.jsonl``: a line for each cause that was seen once and did not show again,
* ``findings/<name>/``: the findings.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.ground.files import WriteError, read_json
from modelcontext.judging.conformance.pools import ONE_AT_A_TIME, local_pool
from modelcontext.judging.conformance.verdict import describe_error
from modelcontext.judging.profiles import Profile, load_profile
from modelcontext.programs.program.outcome import Outcome
from modelcontext.running.products.base import Ending, Observation, Product
from modelcontext_fuzz.causes import LIMITS, Cause, Diagnosis, Limits, diagnose, features
from modelcontext_fuzz.findings import SCRIPTS, Finding, FindingsError, load_findings, write_finding
from modelcontext_fuzz.shrink import shrink

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from contextlib import AbstractContextManager

    from modelcontext.programs.program.language import Program

#: The file in a campaign's folder that identifies the campaign.
SETTINGS = "campaign.json"
#: The number of programs that run and are judged together.
PART = 60
#: The words before the name of a known finding, in the counts of explained programs.
KNOWN = "has the cause of"
#: The diagnoses that say nothing about the product.
UNJUDGED = ("failed", "unfit", "undecided")
#: The number of runs after which a cause that does not show again is unsteady.
ATTEMPTS = 6
#: How often a doubtful cause has to show again: now and then Chromium 156 never answers a call in a frame that has only just
#: loaded.
CONFIRMATIONS = 2
#: The limit of smaller programs to try for one finding, in each of two rounds.
MOST = 150
#: The number of programs that a worker judges at a time: several workers share a part, and some programs take long.
CHUNK = 15
#: The limits of runs of the model in searches for the outcome of a smaller program: one that takes more is not taken.
SHRINKING_LIMITS = Limits(100, 1_000)


@dataclass(frozen=True)
class Plan:
    """The programs of a campaign: those of a grammar and a seed with the numbers below ``examples``.

    ``build_options`` has the options of the command line that say which build of the product runs, with which scripts.
    """

    seed: int
    examples: int
    grammar: str = SCRIPTS
    build_options: tuple[str, ...] = ()

    def parts(self) -> Iterator[range]:
        """Yield the numbers of the programs, part by part."""
        for first in range(0, self.examples, PART):
            yield range(first, min(first + PART, self.examples))


@dataclass
class CampaignReport:
    """The results of a campaign.

    ``kinds`` counts the diagnoses; ``seen`` counts for each finding the programs that show it. ``unjudged`` has each
    program that says nothing about the product: its number, the kind of diagnosis and the reason. ``unsteady`` has the
    programs whose cause did not show again. ``activity`` tells what goes on between two parts of the programs.
    """

    product: str
    version: str
    programs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Finding] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    unsteady: list[dict[str, Any]] = field(default_factory=list)
    unjudged: list[dict[str, Any]] = field(default_factory=list)
    activity: str = ""


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of the campaign in a folder.

    Raises:
        FindingsError: if there is none.
    """
    path = folder / SETTINGS
    if not path.is_file():
        raise FindingsError(f"there is no campaign in {folder}: name a folder that `modelcontext fuzz` has written")
    settings = read_json(path)
    if not isinstance(settings, dict) or not {"product", "seed", "profile"} <= settings.keys():
        raise FindingsError(f"{path} does not have the settings of a campaign")
    return settings


def draw(plan: Plan, numbers: Sequence[int], revision: str) -> list[Program]:
    """Return the programs of these numbers. Runs in a worker."""
    from modelcontext_fuzz.generators import numbered_program

    return [numbered_program(plan.seed, number, revision, plan.grammar) for number in numbers]


def diagnose_all(
    programs: Sequence[Program], observations: Sequence[Observation], profile: str | None, limits: Limits = LIMITS
) -> list[Diagnosis]:
    """Judge observations. Runs in a worker."""
    known = load_profile(profile) if profile is not None else None
    with ONE_AT_A_TIME:
        return [
            diagnose_one(program, observation, known, limits)
            for program, observation in zip(programs, observations, strict=True)
        ]


def diagnose_one(
    program: Program, observation: Observation, profile: Profile | None, limits: Limits = LIMITS
) -> Diagnosis:
    """Judge an observation; one that is not allowed is ``explained`` if the profile predicts it."""
    if profile is None:
        diagnosis = diagnose(program, observation, limits.first)
        return diagnosis if diagnosis.kind != "undecided" else diagnose(program, observation, limits.last)
    try:
        return _diagnose_with(profile, program, observation, limits)
    except Exception as error:
        # A bug of a quirk says nothing about the product, and must not end the campaign.
        return Diagnosis("failed", detail=f"the profile {profile.name} failed: {describe_error(error)}")


def _diagnose_with(profile: Profile, program: Program, observation: Observation, limits: Limits) -> Diagnosis:
    # Sampling, without and with the quirks, is far faster than a search.
    quick = diagnose(program, observation, bound=0)
    if quick.kind not in ("undecided", "forbidden"):
        return quick
    quirks = profile.sampled_explanation(program, observation)
    diagnosis = quick
    if not quirks and quick.kind == "undecided":
        diagnosis = diagnose(program, observation, limits.first)
        if diagnosis.kind in ("forbidden", "undecided"):
            match profile.membership(program, observation, bound=limits.last):
                case "allowed":
                    # Naming the quirks would need a search for each.
                    quirks = ("several quirks",)
                case "undecided":
                    words = f"neither found nor excluded in {limits.last:,} runs of the model with the profile"
                    return Diagnosis("undecided", detail=words)
                case _ if diagnosis.kind == "undecided":
                    return diagnose(program, observation, limits.last)
    return Diagnosis("explained", diagnosis.cause, detail=", ".join(quirks)) if quirks else diagnosis


class Campaign:
    """A run of a plan on a launched product.

    Outcomes that the ``profile`` predicts, and those with the cause of a ``known`` finding, are not findings. The model
    works in ``pool``: processes of this machine by default.
    """

    def __init__(
        self,
        runner: Product,
        plan: Plan,
        folder: Path,
        profile: Profile | None = None,
        *,
        known: Sequence[Finding] = (),
        pool: Callable[[], AbstractContextManager[Executor]] | None = None,
        progress: Callable[[CampaignReport], None] = lambda report: None,
    ) -> None:
        self._runner = runner
        self._plan = plan
        self._folder = folder
        self._profile = profile
        self._progress = progress
        self._known_findings = {finding.name: finding for finding in known}
        self._pool = pool or local_pool
        self._judging: Executor | None = None
        self._causes: dict[Cause, str] = {finding.cause: finding.name for finding in known}
        self.report = CampaignReport(runner.name, runner.version)

    def run(self) -> CampaignReport:
        """Run the programs that have not run yet."""
        self._folder.mkdir(parents=True, exist_ok=True)
        done = self._resume()
        # The last part was shorter if the campaign had fewer programs before.
        parts = [range(part.start + done.get(part.start, 0), part.stop) for part in self._plan.parts()]
        parts = [part for part in parts if part]
        with self._pool() as pool:
            self._judging = pool
            try:
                self._run(parts, pool)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return self.report

    def _run(self, parts: Sequence[range], pool: Executor) -> None:
        drawn = deque(pool.submit(draw, self._plan, part, self._runner.revision) for part in parts[:2])
        behind: tuple[range, list[Program], list[Observation], list[Future[list[Diagnosis]]]] | None = None
        for index, part in enumerate(parts):
            programs = drawn.popleft().result()
            if index + 2 < len(parts):
                drawn.append(pool.submit(draw, self._plan, parts[index + 2], self._runner.revision))
            observations = self._runner.run_many(programs)
            judged = self._submitted(programs, observations, CHUNK)
            if behind is not None:
                self._take(*behind)
            behind = part, programs, observations, judged
        if behind is not None:
            self._take(*behind)

    def _submitted(
        self, programs: Sequence[Program], observations: Sequence[Observation], size: int, limits: Limits = LIMITS
    ) -> list[Future[list[Diagnosis]]]:
        """Give observations to the workers, ``size`` at a time."""
        assert self._judging is not None
        profile = self._profile.name if self._profile is not None else None
        return [
            self._judging.submit(
                diagnose_all, programs[start : start + size], observations[start : start + size], profile, limits
            )
            for start in range(0, len(programs), size)
        ]

    # Findings

    def _take(
        self,
        part: range,
        programs: Sequence[Program],
        observations: Sequence[Observation],
        judged: Sequence[Future[list[Diagnosis]]],
    ) -> None:
        diagnoses = [diagnosis for chunk in judged for diagnosis in chunk.result()]
        seen: Counter[str] = Counter()
        explained: Counter[str] = Counter()
        for number, program, observation, diagnosis in zip(part, programs, observations, diagnoses, strict=True):
            if diagnosis.kind == "explained":
                explained[diagnosis.detail] += 1
            elif diagnosis.cause is not None:
                name = self._known(diagnosis.cause, program)
                if name is None:
                    name = self._look_at(number, program, observation, diagnosis)
                if name in self._known_findings:
                    explained[f"{KNOWN} {name}"] += 1
                elif name is not None:
                    seen[name] += 1
        kinds = Counter(diagnosis.kind for diagnosis in diagnoses)
        unjudged = [
            {"number": number, "kind": diagnosis.kind, "why": diagnosis.detail}
            for number, diagnosis in zip(part, diagnoses, strict=True)
            if diagnosis.kind in UNJUDGED
        ]
        counts = {"kinds": kinds, "seen": seen, "explained": explained}
        line = {"first": part.start, "programs": len(part), **counts, "unjudged": unjudged}
        self._append("journal.jsonl", line)
        self._count(line)
        self._tell("")

    def _tell(self, activity: str) -> None:
        self.report.activity = activity
        self._progress(self.report)

    def _known(self, cause: Cause, program: Program) -> str | None:
        """Return the name of a cause's finding; a crash belongs to a finding whose features its program has."""
        if cause in self._causes:
            return self._causes[cause]
        if cause.expected == "an outcome":
            ending = cause.observed.split()[0]
            for finding in (*self._known_findings.values(), *self.report.findings.values()):
                if finding.ending == ending and features(finding.program) <= features(program):
                    return finding.name
        return None

    def _look_at(self, number: int, program: Program, observation: Observation, diagnosis: Diagnosis) -> str | None:
        """Confirm, shrink and write something new. Return the name of its finding, or None if it is unsteady."""
        cause = diagnosis.cause
        assert cause is not None
        if diagnosis.kind == "defect":
            # The model contradicts itself, on any product.
            smallest = shrink(program, self._telling(number, lambda group: _first_defect(group, cause)), 2 * MOST)
            return self._write(number, smallest, observation, diagnosis, cause)
        self._tell(f"program {number}: does the deviation show again?")
        if not self._shows_again(program, cause):
            self._unsteady({"number": number, "cause": str(cause), "observed": diagnosis.observed})
            return None
        find = self._telling(number, lambda group: self._first_with(group, lambda other: _is_like(other, cause)))
        smallest = shrink(program, find, MOST)
        # A smaller program may expect another entry; only the observed one has to stay.
        if cause.expected != "an outcome":
            observed = cause.observed
            find = self._telling(
                number, lambda group: self._first_with(group, lambda other: other.observed == observed)
            )
            smallest = shrink(smallest, find, MOST)
        for _ in range(ATTEMPTS):
            observation = self._runner.run(smallest)
            final = diagnose_one(smallest, observation, self._profile)
            if final.kind == "forbidden" and final.cause is not None:
                known = self._known(final.cause, smallest)
                if known is not None:
                    self._remember(cause, known)
                    return known
                return self._write(number, smallest, observation, final, cause)
        where = "in frames of another page only"
        self._unsteady({"number": number, "cause": str(cause), "observed": where, "program": smallest.to_data()})
        return None

    def _unsteady(self, line: dict[str, Any]) -> None:
        """Note a cause that did not show again."""
        self._append("unsteady.jsonl", line)
        self.report.unsteady.append(line)

    def _shows_again(self, program: Program, cause: Cause) -> bool:
        doubtful = (
            cause.expected == "an outcome"
            or "never settle" in cause.expected + cause.observed
            or (cause.observed == "nothing more")
        )
        needed = CONFIRMATIONS if doubtful else 1
        times = 0
        for _ in range(ATTEMPTS):
            diagnosis = diagnose_one(program, self._runner.run_many([program])[0], self._profile)
            times += diagnosis.cause is not None and _is_like(diagnosis.cause, cause)
            if times >= needed:
                return True
        return False

    def _telling(
        self, number: int, find: Callable[[Sequence[Program]], int | None]
    ) -> Callable[[Sequence[Program]], int | None]:
        """Return ``find``, which then tells the number of smaller programs that it has tried."""
        tried = 0

        def telling(group: Sequence[Program]) -> int | None:
            nonlocal tried
            tried += len(group)
            self._tell(f"program {number}: smaller program {tried}, of at most {MOST} in each of two rounds")
            return find(group)

        return telling

    def _first_with(self, group: Sequence[Program], wanted: Callable[[Cause], bool]) -> int | None:
        judged = self._submitted(group, self._runner.run_many(group), -(-len(group) // 2), SHRINKING_LIMITS)
        for index, diagnosis in enumerate(diagnosis for chunk in judged for diagnosis in chunk.result()):
            if diagnosis.kind == "forbidden" and diagnosis.cause is not None and wanted(diagnosis.cause):
                return index
        return None

    def _write(
        self, number: int, program: Program, observation: Observation, diagnosis: Diagnosis, cause: Cause
    ) -> str:
        assert diagnosis.cause is not None
        finding = Finding.make(
            program,
            diagnosis,
            observation,
            product=self._runner.name,
            version=self._runner.version,
            seed=self._plan.seed,
            number=number,
            grammar=self._plan.grammar,
            build_options=self._plan.build_options,
            taken={*self.report.findings, *self._known_findings},
        )
        write_finding(finding, self._folder / "findings" / finding.name)
        self.report.findings[finding.name] = finding
        self._remember(diagnosis.cause, finding.name)
        self._remember(cause, finding.name)
        return finding.name

    def _remember(self, cause: Cause, name: str) -> None:
        self._causes[cause] = name
        self._append("causes.jsonl", {**cause.__dict__, "finding": name})

    # The journal

    def _append(self, name: str, line: dict[str, Any]) -> None:
        path = self._folder / name
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise WriteError(f"{path} cannot be written: {error.strerror}") from None

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a file, without one that was cut off when the campaign was killed."""
        path = self._folder / name
        if not path.exists():
            return
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(text)
            except json.JSONDecodeError:
                continue

    def _resume(self) -> dict[int, int]:
        """Read the folder; return the number of done programs of each part, by the part's start."""
        for finding in load_findings(self._folder / "findings"):
            self.report.findings[finding.name] = finding
        for line in self._lines("causes.jsonl"):
            name = line.pop("finding")
            if name in self.report.findings or name in self._known_findings:
                self._causes[Cause(**line)] = name
        self.report.unsteady.extend(self._lines("unsteady.jsonl"))
        done: dict[int, int] = {}
        for line in self._lines("journal.jsonl"):
            start = line["first"] - line["first"] % PART
            if line["first"] == start + done.get(start, 0):
                done[start] = done.get(start, 0) + line["programs"]
                self._count(line)
        return done

    def _count(self, line: dict[str, Any]) -> None:
        self.report.programs += line["programs"]
        self.report.kinds.update(line["kinds"])
        self.report.seen.update(line["seen"])
        self.report.explained.update(line["explained"])
        # Folders of earlier versions lack them.
        self.report.unjudged.extend(line.get("unjudged", ()))


def _is_like(one: Cause, other: Cause) -> bool:
    """Return whether two causes are the same; crashes and hangs are compared by their ending."""
    if other.expected == "an outcome":
        return one.expected == other.expected and one.observed.split()[0] == other.observed.split()[0]
    return one == other


def _first_defect(group: Sequence[Program], cause: Cause) -> int | None:
    anything = Observation(Ending.OUTCOME, Outcome())
    return next((index for index, program in enumerate(group) if diagnose(program, anything).cause == cause), None)
