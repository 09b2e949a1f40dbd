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
            reason="The polyfill does not convert arguments as Web IDL says. It reads the signal first, then the tool"
            " in an order of its own, and the origins after it has checked the tool. Annotations and options of the"
            " wrong type count as absent, and a function is not a tool. A script can convert as Web IDL says: the"
            " polyfill is wrong.",
            reproducer="programs/conversions/tool-member-order",
        ),
        NamedDeviation(
            "reads-the-request",
            "dom-modelcontext-gettools 1",
            reason="The polyfill does not convert arguments as Web IDL says. Options of the wrong type count as"
            " absent, and it checks the origins one by one for URLs. The polyfill is wrong.",
            reproducer="programs/conversions/options-values",
        ),
        NamedDeviation(
            "input-is-json-text",
            "dom-modelcontext-executetool 11",
            reason="The input is JSON text, as in an earlier revision. An object becomes its string, which is not JSON"
            " text, so the promise is rejected with UnknownError before the polyfill looks at the callback. It"
            " executes only tools of the document itself, reads members in another order, and checks for an aborted"
            " signal before the input. The polyfill follows an older text.",
            reproducer="programs/execution/echo",
        ),
        NamedDeviation(
            "trusts-urls",
            "parse-a-list-of-origins 2.3",
            reason="If the origin of a URL is opaque, the polyfill looks at the scheme and the host instead, so it"
            " can trust a file URL. The polyfill is more lenient than the text.",
            reproducer="findings/chromium/file-urls-are-trustworthy-2/program",
        ),
        NamedDeviation(
            "no-exposure",
            "dom-modelcontext-registertool 15.1",
            reason="The polyfill cannot expose tools to other origins: it refuses any list that is not empty with"
            " NotSupportedError. A script cannot reach the tools of other documents, and the polyfill says so: a"
            " missing part is not a wrong part.",
            reproducer="programs/exposure/exposed",
            wrong="neither",
        ),
        NamedDeviation(
            "no-discovery",
            "dom-modelcontext-gettools 6.1",
            reason="The polyfill cannot list tools of other origins: it refuses any list that is not empty with"
            " NotSupportedError, for the same reason.",
            reproducer="programs/exposure/from-origins-checks",
            wrong="neither",
        ),
        NamedDeviation(
            "runs-at-once",
            "dom-modelcontext-executetool 21",
            reason="The polyfill calls the callback before executeTool returns. The callback gets no options, so a"
            " callback that looks at their signal throws. No event is fired before it. Nothing runs in parallel in a"
            " script, but a script could queue a task: the polyfill is wrong.",
            reproducer="programs/execution/activated-before-callback",
        ),
        NamedDeviation(
            "results-as-strings",
            "imperative-execute-steps 12.a.3",
            reason="Only objects become JSON. String() converts any other result, and the empty string becomes a"
            " sentence. This is what Chromium does, which the polyfill copies.",
            reproducer="programs/results/string",
        ),
        NamedDeviation(
            "aborts-are-events",
            "dom-modelcontext-registertool 17",
            reason="Aborting takes back the tool that was registered with the signal, and not the tool that has the"
            " name by now. It does not reject the promise. A listener replaces the abort steps, which a script cannot"
            " add. The first difference is better than the text. The second follows from the moment at which the"
            " polyfill looks at the signal.",
            reproducer="programs/registration/reentrant-signal",
        ),
        NamedDeviation(
            "tells-from-a-timer",
            "notify-documents-of-a-tool-change 6",
            reason="A timer's script dispatches toolchange in the document of the tool. The event is not trusted, and"
            " no other document hears of a change. The promise of a registration is settled only after the event, and"
            " is rejected if the signal is aborted by then. A script cannot do better except for other documents of"
            " its origin.",
            reproducer="programs/events/toolchange",
        ),
        NamedDeviation(
            "lists-its-own",
            "collect-registered-tools 4",
            reason="The polyfill lists only the tools of the document itself, as they are when the document asks. A"
            " timer settles the promise. The polyfill could ask frames of the same origin, too: the polyfill is wrong.",
            reproducer="programs/listing/of-a-frame",
        ),
        NamedDeviation(
            "only-object-schemas",
            "create-a-registered-tool 3.2",
            reason="The list leaves out a schema whose JSON text is an array, or not an object. The text gives the member"
            " inputSchema, whose type is object, another value: the text is asking for trouble.",
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
            reason="By Web IDL a dictionary becomes an object whose members come in lexicographical order. The"
            " polyfill's members come in the order in which it writes them. The polyfill is wrong, and nobody should"
            " mind.",
            reproducer="programs/listing/sorted",
        ),
        NamedDeviation(
            "only-toolchange",
            "imperative-execute-steps 7",
            reason="The polyfill has no ToolActivatedEvent, no ToolCancelEvent, and no event handlers for them. A"
            " value that is assigned to such a handler is an ordinary property. The polyfill is incomplete.",
            reproducer="programs/events/construct",
        ),
        NamedDeviation(
            "handlers-are-functions",
            "notify-documents-of-a-tool-change 6.6",
            reason="The polyfill treats an event handler that is an object and no function as null. Web IDL keeps it,"
            " although it does nothing. The polyfill is wrong.",
            reproducer="programs/events/handler-values",
        ),
        NamedDeviation(
            "access-by-origin",
            "dom-modelcontext-registertool 4",
            reason='A Chromium without WebMCP has no feature "tools" with a policy. The polyfill looks only at the origin,'
            " and does so before it looks at the arguments. It refuses a frame of another origin than its container even"
            " with allow, and accepts any other document even if the policy forbids tools. A script cannot do better.",
            reproducer="programs/registration/policy-off",
            wrong="neither",
        ),
    ),
)
