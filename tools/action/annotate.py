"""Shows the result of a check as annotations of GitHub, and in the summary of the job: annotate.py CHECK RESULT CODE.

It runs with the Python of the environment in which the check was installed, where speclint is, too.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from speclint.workflow_commands import workflow_command

#: GitHub shows so many annotations of a step; the summary has more of them.
MOST_ANNOTATED = 10
MOST_LISTED = 200
_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}
_TITLES = {"test": "Tests of Web Model Context", "pages": "Tools of pages", "forms": "Forms", "lint": "Algorithms"}


@dataclass(frozen=True)
class Remark:
    """A remark about a place: a level of annotations, a title, a message, and a file and line if it has them."""

    level: str
    title: str
    message: str
    file: str | None = None
    line: int | None = None

    @property
    def command(self) -> str:
        """The workflow command that makes the annotation."""
        return workflow_command(self.level, self.title, self.message, self.file, self.line)

    @property
    def row(self) -> str:
        """The row of a table in Markdown."""
        place = (self.file or "") + (f":{self.line}" if self.line is not None else "")
        cells = (place, self.title, self.message)
        return (
            "| " + " | ".join(" ".join(cell.replace("|", "\\|").replace("<", "&lt;").split()) for cell in cells) + " |"
        )


def remarks(check: str, result: dict[str, Any]) -> tuple[list[Remark], str]:
    """Return the remarks of a result, and a sentence that counts them."""
    if check == "test":
        return _of_tests(result)
    found = list(_of_forms(result) if check == "forms" else _of_sarif(result))
    return found, f"{len(found)} finding{'' if len(found) == 1 else 's'}."


def _of_sarif(document: dict[str, Any]) -> Iterator[Remark]:
    for run in document["runs"]:
        for invocation in run.get("invocations", ()):
            # The parts of a text that could not be read.
            for one in invocation.get("toolExecutionNotifications", ()):
                yield Remark("error", "not read", one["message"]["text"], *_place(one))
        for one in run["results"]:
            if not one.get("suppressions"):
                level = _LEVELS.get(one.get("level", "warning"), "warning")
                yield Remark(level, one["ruleId"], f"{_where(one)}{one['message']['text']}", *_place(one))


def _place(result: dict[str, Any]) -> tuple[str | None, int | None]:
    """Return the file and the line of the first location, as far as there is one."""
    locations: Sequence[dict[str, Any]] = result.get("locations") or [{}]
    location = locations[0].get("physicalLocation", {})
    return location.get("artifactLocation", {}).get("uri"), location.get("region", {}).get("startLine")


def _where(result: dict[str, Any]) -> str:
    """Return the place in words of the text, such as an algorithm and a step, before a message."""
    names = [
        one["fullyQualifiedName"] for place in result.get("locations", ()) for one in place.get("logicalLocations", ())
    ]
    return f"{names[0]}: " if names else ""


def _of_forms(report: dict[str, Any]) -> Iterator[Remark]:
    for document in report["documents"]:
        for one in (*document["problems"], *(problem for form in document["forms"] for problem in form["problems"])):
            place = one.get("place") or {}
            file = report["source"] if document["url"] is None else None
            message = f"{place.get('element', document['name'])}: {one['message']}. What to do: {one['advice']}"
            yield Remark("warning", one["code"], message, file, place.get("line"))


def _of_tests(report: dict[str, Any]) -> tuple[list[Remark], str]:
    found, sentences = [], []
    for product in report["products"]:
        name = product["product"]
        statuses = [one["status"] for result in product["results"] for one in result["subtests"]]
        for one in product["findings"]:
            file = one["test"].lstrip("/").partition("?")[0]
            subject = f'{one["test"]}: "{one["subtest"]}"' if one["subtest"] is not None else one["test"]
            found.append(Remark("error", name, f"{subject}: {one['finding']}", file if Path(file).is_file() else None))
        version = f" {product['version']}" if product["version"] else ""
        sentences.append(
            f"{name}{version}: {statuses.count('PASS')} of {len(statuses)} subtests pass, {len(product['findings'])} results"
            f" are unexpected, {len(product['known'])} deviations are known."
        )
    return found, " ".join(sentences)


def summary(check: str, found: Sequence[Remark], sentence: str) -> str:
    """Return the summary in Markdown."""
    lines = [f"### {_TITLES[check]}\n", f"{sentence}\n"]
    if found:
        lines += ["| place | about | finding |", "|---|---|---|", *(one.row for one in found[:MOST_LISTED])]
    if len(found) > MOST_LISTED:
        lines.append(f"\n{len(found) - MOST_LISTED} more are in the log of the job.")
    return "\n".join(lines) + "\n\n"


def main(check: str, path: str, code: str) -> int:
    """Show the result in a file, which the command that ended with ``code`` has written."""
    try:
        found, sentence = remarks(check, json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, KeyError):
        # Nothing, or an error as JSON.
        found, sentence = [], f"The check has no result: the command ended with exit code {code}."
        print(Remark("error", _TITLES[check], f"{sentence} The log has its message.").command)
    for one in found[:MOST_ANNOTATED]:
        print(one.command)
    for one in found[MOST_ANNOTATED:]:
        print(f"{one.file or ''}:{one.line or ''}: {one.title}: {one.message}")
    print(sentence)
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(summary(check, found, sentence))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
