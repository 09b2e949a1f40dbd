"""The named deviations of the polyfill @mcp-b/webmcp-polyfill 5 from the current revision, in a browser without WebMCP.

No changes of the revision stand for them: the script itself runs in the simulated browser, and tests hold what is known of it
against those runs.
"""

from __future__ import annotations

from modelcontext.judging.profiles.quirk import NamedDeviation, NamedDeviations
from modelcontext.spec.revisions.current import REVISION

DEVIATIONS = NamedDeviations(
    "polyfill_5",
    "polyfill",
    REVISION,
    (
        NamedDeviation(
            "reads-the-registration",
            "dom-modelcontext-registertool 1",
            reason="Nothing is converted by Web IDL. The signal is read first, then the tool in an order of the polyfill's"
            " own, and the origins after the tool was checked; annotations and options of the wrong type count as absent, a"
            " function is no tool. A script can do all that as Web IDL says: the polyfill is wrong.",
            reproducer="programs/conversions/tool-member-order",
        ),
        NamedDeviation(
            "reads-the-request",
            "dom-modelcontext-gettools 1",
            reason="Nothing is converted by Web IDL: options of the wrong type count as absent, and origins that are no URLs"
            " are found out one by one. The polyfill is wrong.",
            reproducer="programs/conversions/options-values",
        ),
        NamedDeviation(
            "input-is-json-text",
            "dom-modelcontext-executetool 11",
            reason="The input is JSON text, as in an earlier revision; an object becomes its string, which is no JSON text,"
            " and so the promise is rejected with UnknownError before the callback is looked at. Only tools of the document"
            " itself can be executed, members are read in another order, and an aborted signal comes before the input. The"
            " polyfill follows an older text.",
            reproducer="programs/execution/echo",
        ),
        NamedDeviation(
            "trusts-urls",
            "parse-a-list-of-origins 2.3",
            reason="Where the origin of a URL is opaque its scheme and host are asked instead, so that a file URL can be"
            " trusted. The polyfill is more lenient than the text.",
            reproducer="findings/chromium/file-urls-are-trustworthy-2/program",
        ),
        NamedDeviation(
            "no-exposure",
            "dom-modelcontext-registertool 15.1",
            reason="Tools cannot be exposed to other origins: any list that is not empty is refused with NotSupportedError. A"
            " script has no way to reach other documents' tools, and says so: what it lacks is not done wrong.",
            reproducer="programs/exposure/exposed",
            wrong="neither",
        ),
        NamedDeviation(
            "no-discovery",
            "dom-modelcontext-gettools 6.1",
            reason="Tools of other origins cannot be listed: any list that is not empty is refused with NotSupportedError, for"
            " the same reason.",
            reproducer="programs/exposure/from-origins-checks",
            wrong="neither",
        ),
        NamedDeviation(
            "runs-at-once",
            "dom-modelcontext-executetool 21",
            reason="The callback is called before executeTool returns. It gets no options, so that one that looks at their"
            " signal throws, and no event is fired before it. Nothing runs in parallel in a script, but a task could be"
            " queued: the polyfill is wrong.",
            reproducer="programs/execution/activated-before-callback",
        ),
        NamedDeviation(
            "results-as-strings",
            "imperative-execute-steps 12.a.3",
            reason="Only objects become JSON, any other result is passed on as String() makes it, and the empty string as a"
            " sentence. This is what Chromium does, which the polyfill copies.",
            reproducer="programs/results/string",
        ),
        NamedDeviation(
            "aborts-are-events",
            "dom-modelcontext-registertool 17",
            reason="Aborting takes back the tool that was registered with the signal, not whichever has the name by now, and"
            " the promise is not rejected by it. A listener stands in for the abort steps, which a script cannot add. The"
            " first is better than the text; the second follows from where the polyfill looks at the signal.",
            reproducer="programs/registration/reentrant-signal",
        ),
        NamedDeviation(
            "tells-from-a-timer",
            "notify-documents-of-a-tool-change 6",
            reason="toolchange is an event that a timer's script dispatches in the document of the tool: it is not trusted, no"
            " other document hears of a change, and only after it the promise of a registration is settled, by whether the"
            " signal is aborted by then. A script cannot do better but for other documents of its origin.",
            reproducer="programs/events/toolchange",
        ),
        NamedDeviation(
            "lists-its-own",
            "collect-registered-tools 4",
            reason="Only the tools of the document itself are listed, as they are when it asks; a timer settles the promise."
            " Frames of the same origin could be asked, too: the polyfill is wrong.",
            reproducer="programs/listing/of-a-frame",
        ),
        NamedDeviation(
            "only-object-schemas",
            "create-a-registered-tool 3.2",
            reason="A schema whose JSON text is that of no object, or of an array, is left out of the list. The text gives the"
            " member inputSchema, whose type is object, another value: the text is asking for trouble.",
            reproducer="programs/schema/array",
            wrong="spec",
        ),
        NamedDeviation(
            "two-hints",
            "create-a-registered-tool 4.2",
            reason="Of the annotations only readOnlyHint and untrustedContentHint are kept. The other two came with a later"
            " revision: the polyfill is out of date.",
            reproducer="programs/conversions/annotations-null",
        ),
        NamedDeviation(
            "members-as-written",
            "dom-modelcontext-gettools 10.2.3",
            reason="A dictionary becomes an object whose members come in lexicographical order; those of the polyfill come in"
            " the order in which it writes them. The polyfill is wrong, and nobody should mind.",
            reproducer="programs/listing/sorted",
        ),
        NamedDeviation(
            "only-toolchange",
            "imperative-execute-steps 7",
            reason="There is no ToolActivatedEvent and no ToolCancelEvent, and no event handler for them; what is assigned to"
            " their names is a property as any other. The polyfill is incomplete.",
            reproducer="programs/events/construct",
        ),
        NamedDeviation(
            "handlers-are-functions",
            "notify-documents-of-a-tool-change 6.6",
            reason="An event handler that is an object and no function counts as null, where Web IDL keeps it, although it"
            " does nothing. The polyfill is wrong.",
            reproducer="programs/events/handler-values",
        ),
        NamedDeviation(
            "access-by-origin",
            "dom-modelcontext-registertool 4",
            reason='A Chromium without WebMCP has no feature "tools" whose policy could be asked. The polyfill goes by the'
            " origin, before it looks at what was given: a frame of another origin than what holds it is refused, whatever"
            " allow says, and any other document is let through, whatever the policy says. A script cannot do better.",
            reproducer="programs/registration/policy-off",
            wrong="neither",
        ),
    ),
)
