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
            reason="The polyfill does not convert arguments as Web IDL requires. It reads the signal first, then"
            " the members of the tool in another order, and the origins after it has checked the tool."
            " Annotations and options of the wrong type count as absent, and a function is not a tool. A"
            " script can convert as Web IDL requires: the polyfill is wrong.",
            reproducer="programs/conversions/tool-member-order",
        ),
        NamedDeviation(
            "reads-the-request",
            "dom-modelcontext-gettools 1",
            reason="The polyfill does not convert arguments as Web IDL requires. Options of the wrong type count as"
            " absent, and it checks the origins one by one for URLs. The polyfill is wrong.",
            reproducer="programs/conversions/options-values",
        ),
        NamedDeviation(
            "input-is-json-text",
            "dom-modelcontext-executetool 11",
            reason="The input is JSON text, as in an earlier revision. An object is converted to a string, which"
            " is not JSON text, so the promise is rejected with UnknownError before the callback runs. The"
            " polyfill executes only tools of the document itself, reads members in another order, and"
            " checks for an aborted signal before the input. The polyfill follows an older text.",
            reproducer="programs/execution/echo",
        ),
        NamedDeviation(
            "trusts-urls",
            "parse-a-list-of-origins 2.3",
            reason="If the origin of a URL is opaque, the polyfill checks the scheme and the host instead, so it"
            " can trust a file URL. The polyfill is more lenient than the text.",
            reproducer="findings/chromium/file-urls-are-trustworthy-2/program",
        ),
        NamedDeviation(
            "no-exposure",
            "dom-modelcontext-registertool 15.1",
            reason="The polyfill cannot expose tools to other origins: it refuses any list that is not empty with"
            " NotSupportedError. A script cannot reach the tools of other documents, and the polyfill reports this: "
            "the polyfill is incomplete, but not wrong.",
            reproducer="programs/exposure/exposed",
            wrong="neither",
        ),
        NamedDeviation(
            "no-discovery",
            "dom-modelcontext-gettools 6.1",
            reason="The polyfill cannot list tools of other origins: it refuses any list that is not empty with"
            " NotSupportedError. A script cannot reach those tools.",
            reproducer="programs/exposure/from-origins-checks",
            wrong="neither",
        ),
        NamedDeviation(
            "runs-at-once",
            "dom-modelcontext-executetool 21",
            reason="The polyfill calls the callback before executeTool returns. The callback gets no options, so a"
            " callback that reads options.signal throws. No event is fired before the callback. A script"
            " cannot run steps in parallel, but it can queue a task: the polyfill is wrong.",
            reproducer="programs/execution/activated-before-callback",
        ),
        NamedDeviation(
            "results-as-strings",
            "imperative-execute-steps 12.a.3",
            reason="The polyfill serializes only objects to JSON. It converts any other result with String(), and"
            " the empty string becomes a sentence. Chromium has the same behavior, which the polyfill"
            " copies.",
            reproducer="programs/results/string",
        ),
        NamedDeviation(
            "aborts-are-events",
            "dom-modelcontext-registertool 17",
            reason="An abort unregisters the tool that was registered with the signal, and not a newer tool of the"
            " same name. It does not reject the promise. A script cannot add abort steps, so the polyfill"
            " uses a listener. The first difference is better than the text. The second difference exists"
            " because the polyfill reads the signal at another time.",
            reproducer="programs/registration/reentrant-signal",
        ),
        NamedDeviation(
            "tells-from-a-timer",
            "notify-documents-of-a-tool-change 6",
            reason="A timer's script dispatches toolchange in the document of the tool. The event is not trusted,"
            " and other documents get no event. The promise of a registration is settled only after the"
            " event, and is rejected if the signal was aborted before that. A script could do better only"
            " for other documents of its origin.",
            reproducer="programs/events/toolchange",
        ),
        NamedDeviation(
            "lists-its-own",
            "collect-registered-tools 4",
            reason="The polyfill lists only the tools of the document itself, at the time of the call. A timer"
            " settles the promise. The polyfill could also list the tools of frames of the same origin: the"
            " polyfill is wrong.",
            reproducer="programs/listing/of-a-frame",
        ),
        NamedDeviation(
            "only-object-schemas",
            "create-a-registered-tool 3.2",
            reason="The list leaves out a schema whose JSON text is an array, or not an object. In the text, the"
            " member inputSchema then has a value that is not an object, although its type is object: the"
            " text looks wrong.",
            reproducer="programs/schema/array",
            wrong="spec",
        ),
        NamedDeviation(
            "two-hints",
            "create-a-registered-tool 4.2",
            reason="The polyfill stores only the annotations readOnlyHint and untrustedContentHint. The other two"
            " are newer: the polyfill is out of date.",
            reproducer="programs/conversions/annotations-null",
        ),
        NamedDeviation(
            "members-as-written",
            "dom-modelcontext-gettools 10.2.3",
            reason="In Web IDL a dictionary becomes an object whose members are in lexicographical order. The"
            " polyfill has another order. The polyfill is wrong, but this does no harm.",
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
            reason="If an event handler is an object but not a function, the polyfill treats it as null. In Web"
            " IDL the attribute keeps this object. The polyfill is wrong.",
            reproducer="programs/events/handler-values",
        ),
        NamedDeviation(
            "access-by-origin",
            "dom-modelcontext-registertool 4",
            reason='A Chromium without WebMCP has no policy-controlled feature "tools". The polyfill checks only the origin,'
            " and does so before it reads the arguments. It refuses a cross-origin frame even with allow, and accepts any"
            " other document even if the policy forbids tools. A script cannot do better.",
            reproducer="programs/registration/policy-off",
            wrong="neither",
        ),
    ),
)
