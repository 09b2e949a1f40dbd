"""Chromium 156: the deviations of its WebMCP from the current revision."""

from __future__ import annotations

from modelcontext.judging.profiles import chromium_156_behavior as behavior
from modelcontext.judging.profiles.chromium_156_forms import FORM_QUIRKS
from modelcontext.judging.profiles.profile import Profile
from modelcontext.judging.profiles.quirk import Quirk
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.weaving.changes import AroundCall, Before, InsteadOf, Whole

PROFILE = Profile(
    "chromium_156",
    "chromium",
    REVISION,
    (
        Quirk(
            "results-as-strings",
            "imperative-execute-steps 12.a.3",
            [
                InsteadOf(
                    "serialize_a_javascript_value_to_a_json_string", behavior.as_text, ("imperative-execute-steps",)
                )
            ],
            reason="The browser serializes only objects to JSON. It converts any other result with String(): the"
            " empty string becomes a sentence, and a string with a lone surrogate becomes null. A symbol"
            " crashes the renderer. A caller cannot distinguish the number 1 from the text 1, or undefined"
            " from a text: the browser looks wrong.",
            reproducer="programs/results/string",
        ),
        Quirk(
            "callback-first",
            "imperative-execute-steps 7",
            [Whole("imperative-execute-steps", behavior.callback_first)],
            reason="The callback runs before toolactivated is fired, and gets its input in its own realm instead"
            " of the target document's realm. If the input is not an object, the browser fires the event,"
            " too, although no callback runs. A page that prepares itself in a listener is too late: the"
            " browser looks wrong.",
            reproducer="programs/execution/activated-before-callback",
        ),
        Quirk(
            "canceled-results-are-read",
            "imperative-execute-steps 12.a.1",
            [InsteadOf("react", behavior.reads_every_result, ("imperative-execute-steps",))],
            reason="After an execution was canceled, the browser still serializes the result of the callback to"
            " JSON, and then ignores the text. Getters of the page run for no purpose, and a symbol crashes"
            " the renderer: the browser looks wrong.",
            reproducer="programs/cancellation/result-is-not-read",
        ),
        Quirk(
            "promises-as-they-are",
            "imperative-execute-steps 11",
            [InsteadOf("invoke", behavior.promise_as_it_is)],
            reason="The browser waits for the promise that the callback returns. In Web IDL a new promise is"
            " resolved with this promise, which reads the member then of the result again, two microtasks"
            " later. Every callback has this difference, but a page can see it only with a getter: neither"
            " looks wrong, but they differ.",
            reproducer="findings/chromium/promises-as-they-are/program",
            wrong="neither",
        ),
        Quirk(
            "no-callbacks-of-gone-documents",
            "imperative-execute-steps 11",
            [InsteadOf("invoke", behavior.only_while_active)],
            reason="If the document of a callback is gone, the browser does not invoke the callback, and the"
            " execution fails. Web IDL has no such check, so in the text the callback runs. The caller never"
            " gets the result, because no promise job of such a document runs. The browser's behavior is"
            " better for the caller: the text looks wrong.",
            reproducer="findings/chromium/no-callbacks-of-gone-documents/program",
            wrong="spec",
        ),
        Quirk(
            "api-of-one-document",
            "dom-modelcontext-registertool 3",
            [
                Before("dom-modelcontext-registertool 3", behavior.only_for_its_document),
                Before("dom-modelcontext-gettools 3", behavior.only_for_its_document),
                Before("dom-modelcontext-executetool 3", behavior.only_for_its_document),
            ],
            reason="The ModelContext of an initial about:blank document refuses every call after a page of its"
            " origin has taken over the Window. In the text the object still works, but no list includes its"
            " tools. Such a registration has no use: the text looks wrong (Issue 1).",
            reproducer="programs/documents/initial-about-blank-serves-on",
            wrong="spec",
        ),
        Quirk(
            "input-is-any",
            "dom-modelcontext-executetool 10",
            [AroundCall(behavior.input_is_any)],
            reason="The browser refuses an input that is not an object when it serializes the input, after the checks of"
            " the caller and of the origin. It also refuses undefined if options follow it, although in Web IDL such "
            "an input counts as missing. The last published IDL says any instead of object: the browser looks out of"
            " date.",
            reproducer="programs/execution/undefined-input",
        ),
        Quirk(
            "level-by-level",
            "collect-registered-tools 4",
            [InsteadOf("inclusive_descendant_navigables", behavior.level_by_level)],
            reason="The browser visits frames level by level and not in tree order. Therefore tools of one name,"
            " and events, have another order. The rest of the platform uses tree order: the browser looks"
            " wrong.",
            reproducer="programs/listing/depth-first",
        ),
        Quirk(
            "descriptions-lose-surrogates",
            "create-a-registered-tool 2",
            [InsteadOf("RegisteredTool", behavior.description_without_surrogates)],
            reason="A description with a lone surrogate is listed as the empty string, because it does not survive"
            " the way through the browser process. The browser should refuse such a description, or the text should "
            "use USVString: the text allows a useless value, and the browser loses data.",
            reproducer="programs/conversions/lone-surrogates",
        ),
        Quirk(
            "crash-when-taken",
            "dom-modelcontext-registertool 22",
            [Before("dom-modelcontext-registertool 22", behavior.crash_when_taken)],
            reason="A schema whose toJSON registers the same name, or removes the document, crashes the renderer."
            " A page must not be able to crash the renderer: the browser is wrong.",
            reproducer="programs/registration/reentrant",
        ),
        Quirk(
            "crash-when-gone",
            "unregister-a-tool 4",
            [Before("unregister-a-tool 4", behavior.crash_when_gone)],
            reason="Aborting the signal of a tool whose frame was removed crashes the renderer. A page must not be"
            " able to crash the renderer: the browser is wrong.",
            reproducer="programs/documents/abort-after-removal",
        ),
        Quirk(
            "crash-after-failure",
            "imperative-execute-steps 12.b.1",
            [InsteadOf("invoke", behavior.crash_after_failure)],
            reason="If the document of a tool was removed, and the tool's callback, from another document, throws"
            " or rejects, the renderer crashes. A page must not be able to crash the renderer: the browser"
            " is wrong.",
            reproducer="findings/chromium/crash-after-failure/program",
        ),
        Quirk(
            "gone-target-at-once",
            "dom-modelcontext-executetool 19",
            [Before("dom-modelcontext-executetool 19", behavior.target_that_has_gone)],
            reason="If the target is no longer in a frame, the browser notices before anything runs in parallel, and"
            " rejects with InvalidStateError instead of UnknownError. The text has one error for every case of a "
            "missing tool: neither looks wrong, but they differ.",
            reproducer="programs/documents/target-removed-before",
        ),
        Quirk(
            "sandboxed-src",
            "dom-modelcontext-registertool 4",
            [InsteadOf("is_allowed_to_use", behavior.allowed_in_a_sandbox)],
            reason='A sandboxed frame with allow="tools" may use tools. In Permissions Policy its declared origin is a new'
            " opaque origin, which differs from the origin of its document, so only tools * could allow it. The"
            " browser's behavior is more useful, and the same for every feature: Permissions Policy looks wrong.",
            reproducer="findings/chromium/sandboxed-src-2/program",
            wrong="spec",
        ),
        Quirk(
            "file-urls-are-trustworthy",
            "parse-a-list-of-origins 2.3",
            [InsteadOf("url_origin", behavior.origin_of_files_too)],
            reason="All file URLs have one origin, which is trustworthy, so exposedTo may contain a file URL. The URL"
            " Standard does not define the origin of a file URL, and recommends an opaque origin, which is"
            " refused. Neither is wrong, but the text should not depend on the choice.",
            reproducer="findings/chromium/file-urls-are-trustworthy-4/program",
            wrong="spec",
        ),
        Quirk(
            "only-object-schemas-are-listed",
            "collect-registered-tools 4.5",
            [InsteadOf("sorted", behavior.with_object_schemas)],
            reason="If the JSON text of a schema is neither an object nor an array, the browser stores the tool, but"
            " leaves it out of the list. In the text, the member inputSchema then has a value that is not an object, "
            "although its type is object: neither is right.",
            reproducer="programs/schema/to-json-number",
            wrong="spec",
        ),
        Quirk(
            "registrations-arrive-late",
            "dom-modelcontext-registertool 23",
            [
                InsteadOf(
                    "notify_documents_of_a_tool_change",
                    behavior.heard_and_told_apart,
                    ("dom-modelcontext-registertool",),
                ),
                Before("dom-modelcontext-registertool 23", behavior.unheard),
                Before("unregister-a-tool 5", behavior.lingering),
                InsteadOf(
                    "associated_model_context",
                    behavior.context_with_what_was_heard_of,
                    ("collect-registered-tools", "find-a-tool-to-execute"),
                ),
            ],
            reason="The browser process answers a registration at once, and notifies documents separately. The"
            " promise can therefore resolve before toolchange is fired. Another document can miss a tool that was"
            " registered before it asked for the list or for an execution, and can still list a tool that was"
            " unregistered before. A page can rely on the event only with the text's order: the browser looks wrong.",
            reproducer="programs/events/own-change",
        ),
        *FORM_QUIRKS,
    ),
)
