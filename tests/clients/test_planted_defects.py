"""Defects planted in the algorithm of this project's own host: the properties find each, with few adversaries."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace

import pytest

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.algorithms import agent_host
from modelcontext.judging.clients.catalogue import CLIENTS, ClientProfile
from modelcontext.judging.clients.checking import check_space

pytestmark = pytest.mark.usefixtures("takes_long")

SOURCE = inspect.getsource(agent_host)
#: The most runs that finding one defect may take.
BUDGET = 120


@dataclass(frozen=True)
class Defect:
    """A defect: the parts of the source that it replaces, and the property and adversary that show it."""

    name: str
    changes: tuple[tuple[str, str], ...]
    property: str
    adversary: str


_RUN = "ending = yield from client.execution_in(document, call, target, limit=True)"
_ASKS = "if asks(client, call, now):"
_BINDING = "page_tool(client, target).binding != page_tool(client, call.tool).binding"
_OWN = "named(client.own(found or [], document), call)"

DEFECTS = (
    Defect("digest not compared", ((_BINDING, "False"),), "runs-what-was-shown", "redescribes"),
    Defect(
        "annotations not in the digest", (("hints=definition.hints,", ""),), "runs-what-was-shown", "becomes-read-only"
    ),
    Defect("schema not in the digest", (("input_schema=schema,", ""),), "runs-what-was-shown", "reschemes"),
    Defect(
        "description not in the digest", (("definition.description,", '"",'),), "runs-what-was-shown", "redescribes"
    ),
    Defect(
        "document not compared",
        (("document is not call.tool.document", "document is None"), (_BINDING, "False")),
        "runs-in-the-document-that-was-shown",
        "frame-comes-home",
    ),
    Defect("approval not asked", ((_ASKS, "if False:"),), "asks-before-a-consequential-tool-runs", "consequential"),
    Defect(
        "approval not asked again",
        (
            ("bool(reasons_to_ask(", 'f"{shown.name}" not in client.ever_consequential and bool(reasons_to_ask('),
            ("# 10. Let document", "client.ever_consequential.add(call.tool.name)\n    # 10. Let document"),
        ),
        "asks-before-a-consequential-tool-runs",
        "swap-after-approval",
    ),
    Defect("denial not heeded", (("if not approves:", "if False:"),), "a-denied-call-never-runs", "consequential"),
    Defect(
        "looked up again by name, in every frame",
        ((_OWN, "named(found or [], call)"), (_BINDING, "False")),
        "runs-in-the-document-that-was-shown",
        "same-origin-twin-stays",
    ),
    Defect(
        "asked about the tool as it is now",
        (("client.approval_of_a_person(call)", "client.approval_of_a_person(call, named(now, call))"),),
        "approval-covers-the-call",
        "consequential-redescribed",
    ),
    Defect(
        "flows not marked",
        (("flows_from(call.tool.origin, client.origins_read)", "[]"),),
        "untrusted-words-reach-other-origins-only-marked",
        "untrusted-words",
    ),
    Defect("no limit of time", ((_RUN, _RUN.replace("True", "False")),), "every-call-is-answered", "never-answers"),
    Defect(
        "a failed call is made again",
        ((_RUN, f'{_RUN}\n    if ending == "failed":\n        {_RUN}'),),
        "runs-at-most-once",
        "fails",
    ),
    Defect(
        "checked in another turn than called",
        ((f"    {_RUN}", f"    yield from client.leave()\n    yield from client.tools_in(document)\n    {_RUN}"),),
        "runs-what-was-shown",
        "redescribes",
    ),
    Defect(
        "told that nothing ran, after it ran",
        ((_RUN, f'{_RUN}\n    client.refuse(call, "tool-gone")'),),
        "a-refused-call-never-runs",
        "quiet",
    ),
    Defect(
        "origin not passed on",
        (("client.make_known(tools,", 'client.make_known(tools, members=("name",),'),),
        "the-origin-is-passed-on",
        "quiet",
    ),
)


def with_defect(defect: Defect) -> ClientProfile:
    """Return the host with a defect."""
    source = SOURCE
    for old, new in defect.changes:
        assert old in source, f"the algorithm has no “{old}” any more"
        source = source.replace(old, new)
    namespace = {**vars(agent_host)}
    exec(compile(source, str(agent_host.__file__), "exec"), namespace)
    return replace(CLIENTS["agent-host"], standpoint=namespace["AgentHost"], turn=namespace["agent_host"])


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_planted_defect_is_found(defect: Defect) -> None:
    space = check_space(with_defect(defect), adversaries()[defect.adversary], [defect.property], bound=BUDGET)
    assert space.findings[defect.property].broken


@pytest.mark.parametrize("adversary", sorted({defect.adversary for defect in DEFECTS}))
def test_host_without_a_defect_breaks_nothing_there(adversary: str) -> None:
    space = check_space(CLIENTS["agent-host"], adversaries()[adversary])
    assert space.complete
    assert {name: finding.smallest for name, finding in space.findings.items() if finding.broken} == {}
