"""Chromium 156: the deviations of its declarative tools from the current revision."""

from __future__ import annotations

from modelcontext.judging.profiles import chromium_156_form_behavior as behavior
from modelcontext.judging.profiles import chromium_156_form_schemas as schemas
from modelcontext.judging.profiles.quirk import Quirk
from modelcontext.spec.weaving.changes import Before, InsteadOf, Whole

# The algorithms that ask for the schema of a parameter.
_ASKING = ("synthesize-a-declarative-json-schema-object", "convert-an-argument")

FORM_QUIRKS = (
    Quirk(
        "form-runs-in-one-go",
        "declarative-execute-steps 14",
        [Whole("declarative-execute-steps", behavior.execute_and_then_tell)],
        reason="The browser fires toolactivated when the form has been submitted or its button has the focus, and"
        " also for a call that has already failed. It does not notice the actions of listeners while it fills in the"
        " form, so a form that they reset or remove keeps waiting. A second call replaces the first, which never"
        " settles. A form that a sandbox keeps from being submitted waits forever. A page that prepares itself in a"
        " listener comes too late, and a caller cannot tell a slow call from a lost one: the browser looks wrong.",
        reproducer="programs/declarative/form-in-a-frame",
    ),
    Quirk(
        "form-responses-as-strings",
        "serialize-a-response 1",
        [Whole("serialize-a-response", behavior.response_as_text)],
        reason="Only objects become JSON. String() converts any other response, even undefined, and a string with a"
        " lone surrogate becomes null. Imperative tools have the same conversion, with the same fault. A caller cannot"
        " tell undefined from a text: the browser looks wrong.",
        reproducer="programs/declarative/answers-as-text",
    ),
    Quirk(
        "form-events-of-values",
        "perform-an-assignment 10",
        [Whole("perform-an-assignment", behavior.assign)],
        reason="A checkbox or radio button that already has its value gets a change event. An empty field that is set"
        " to the empty string for the first time gets an input event, and a hidden field gets no event. A disabled"
        " option is selected. A control that leaves its form while another control is filled in is filled in"
        " anyway. Listeners that count changes count wrongly: the browser looks wrong.",
        reproducer="programs/declarative/filled-in-already",
    ),
    Quirk(
        "form-takes-what-is-left",
        "take-a-string 1",
        [Whole("take-a-string", behavior.takes_what_sanitization_leaves)],
        reason="The browser takes a value if its sanitization leaves something. An invalid color becomes black, and"
        " an invalid number becomes the middle of a range. The caller never learns of the change: the browser looks"
        " wrong.",
        reproducer="programs/declarative/input-that-does-not-fit",
    ),
    Quirk(
        "form-groups-with-others",
        "determine-the-parameter-kind 5",
        [
            Whole("determine-the-parameter-kind", schemas.kind_with_others),
            InsteadOf("synthesize_a_parameter_schema", schemas.no_schema_of_others, _ASKING),
        ],
        reason="Buttons, outputs, fieldsets and file fields count when the browser groups controls by their names, so"
        " a field without a name is lost beside a button without a name. A hidden field named _charset_ can be filled"
        " in. Neither helps anybody: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-texts",
    ),
    Quirk(
        "form-required-anywhere",
        "synthesize-a-declarative-json-schema-object 4.6",
        [InsteadOf("attribute_applies", schemas.required_anywhere, ("synthesize-a-declarative-json-schema-object",))],
        reason="The attribute required makes a range, a color or a hidden field required, although the attribute does"
        " not apply to them. The schema asks for values that the form does not need: the browser looks wrong.",
        reproducer="findings/chromium/form-required-anywhere/program",
    ),
    Quirk(
        "form-every-choice",
        "collect-the-choices 2.1.1",
        [
            Whole("collect-the-choices", schemas.every_choice),
            Whole("synthesize-a-schema-of-choices", schemas.schema_of_every_choice),
        ],
        reason="The browser lists disabled and repeated options. It takes the text of an option from the"
        " markup, and ignores the label. A control without options takes part with an empty list, which JSON Schema"
        " does not allow: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-choices",
    ),
    Quirk(
        "form-empty-labels",
        "collect-the-label-text 2.3",
        [Whole("collect-the-label-text", schemas.label_text)],
        reason="An empty label counts as a text, so that a description begins with a semicolon: the browser looks wrong.",
        reproducer="programs/declarative/descriptions-of-parameters",
    ),
    Quirk(
        "form-bare-patterns",
        "determine-the-value-pattern 9",
        [
            InsteadOf("determine_the_value_pattern", schemas.pattern_as_it_is, ("synthesize-a-parameter-schema",)),
            InsteadOf("synthesize_a_numeric_schema", schemas.number_with_pattern),
        ],
        reason="The browser copies a pattern as it is, but HTML compares a pattern with the whole value, and JSON"
        " Schema searches the value. It also copies the pattern of numbers and of several addresses, to which patterns"
        " do not apply. A range with any step gets a step of 1. The schema allows values that the form refuses: the"
        " browser looks wrong.",
        reproducer="programs/declarative/schema-of-texts",
    ),
    Quirk(
        "form-expressions-in-format",
        "determine-the-value-pattern 1",
        [InsteadOf("synthesize_a_parameter_schema", schemas.expressions_in_format, _ASKING)],
        reason="The browser puts the expressions of months, weeks, times and colors into format, where JSON Schema has"
        " names. They have four digits for a year, and letters up to Z in a color. No validator looks at them: the browser"
        " looks wrong.",
        reproducer="programs/declarative/schema-of-times",
    ),
    Quirk(
        "form-precision-of-the-step",
        "determine-the-time-precision 2",
        [Whole("determine-the-time-precision", schemas.precision_of_the_step)],
        reason="Only the step decides the precision of a time. With step=any the precision is a minute, although any"
        " time is allowed then: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-times",
    ),
    Quirk(
        "form-bases-of-whole-numbers",
        "synthesize-a-numeric-schema 8",
        [InsteadOf("step_base", schemas.base_that_is_a_number, ("synthesize-a-numeric-schema",))],
        reason="A min or value attribute is the base of a step only if the whole attribute is a number. HTML's rules"
        " for parsing numbers take the digits at its beginning. The schema allows values that the form refuses: the"
        " browser looks wrong.",
        reproducer="findings/chromium/form-bases-of-whole-numbers/program",
    ),
    Quirk(
        "form-bare-date-note",
        "describe-a-parameter 6.2",
        [InsteadOf("describe_a_parameter", schemas.bare_date_note)],
        reason="The note about dates has no parentheses if it is alone. Nobody is hurt by either: neither looks wrong.",
        reproducer="programs/declarative/schema-of-times",
        wrong="neither",
    ),
    Quirk(
        "form-responses-interrupted",
        "interrupt-the-execution-of-a-form 2",
        [
            Whole("interrupt-the-execution-of-a-form", behavior.interrupt_whatever_the_state),
            InsteadOf(
                "interrupt_the_execution_of_a_form", behavior.unless_submitting, ("withdraw-the-tool-of-a-form",)
            ),
        ],
        reason="A reset, a removal or a change of the form also ends a call whose response is awaited. A reset also"
        " ends a call whose submit event is being dispatched. The page has taken the call over by then, and often"
        " resets or removes the form because of it: the browser looks wrong.",
        reproducer="findings/chromium/form-responses-interrupted-2/program",
    ),
    Quirk(
        "form-submitted-again",
        "begin-the-submission-of-an-agent 2",
        [Whole("begin-the-submission-of-an-agent", behavior.begin_another_submission)],
        reason="While the response to an agent's submission is awaited, a submission by the user counts as the"
        " agent's, too. The first response to either submission ends the call. The page takes the user's submission"
        " for the agent's: the browser looks wrong.",
        reproducer="findings/chromium/form-submitted-again/program",
    ),
    Quirk(
        "form-answers-another-call",
        "process-a-submit-event 4.2.a.1",
        [InsteadOf("react", behavior.answers_whatever_call_runs, ("process-a-submit-event",))],
        reason="A response ends whatever call the form has when its promise settles. If the call that it answers was"
        " aborted, reset or replaced, then the next call gets its answer, or is rejected. One caller gets the answer"
        " for another one: the browser is wrong.",
        reproducer="programs/declarative/answered-during-the-next-call",
    ),
    Quirk(
        "form-submitted-without-navigation",
        "process-a-submit-event 5",
        [InsteadOf("cannot_navigate", behavior.navigates, ("process-a-submit-event",))],
        reason="A submission that leads nowhere, because a listener has removed the form, fulfills the call. Nothing was sent:"
        " the browser looks wrong.",
        reproducer="programs/declarative/removed-by-its-listener",
    ),
    Quirk(
        "form-stale-schemas",
        "schedule-a-tool-update 3",
        [
            Before("schedule-a-tool-update 3", behavior.unchanged_in_what_is_watched),
            Before("update-the-tool-of-a-form 4", behavior.remember_what_is_watched),
        ],
        reason="The browser does not update a tool after changes of options, of the text of labels, and of values"
        " that are the base of a step. The listed schema then differs from the form, but calls are compared with the"
        " form: the browser looks wrong.",
        reproducer="findings/chromium/form-stale-schemas/program",
    ),
    Quirk(
        "form-invalid-names-later",
        "schedule-a-tool-update 1",
        [
            InsteadOf("offers_a_tool", behavior.offers_whatever_the_name, ("schedule-a-tool-update",)),
            Before("update-the-tool-of-a-form 3", behavior.withdraw_for_an_invalid_name),
        ],
        reason="If the toolname of a form becomes invalid, the browser withdraws the tool with the next update. If"
        " the form loses the attribute, the browser withdraws the tool at once. A page cannot tell the two apart, and"
        " nobody is hurt: neither looks wrong.",
        reproducer="findings/chromium/form-expressions-in-format-and-form-invalid-names-later/program",
        wrong="neither",
    ),
    Quirk(
        "form-withdraws-by-name",
        "withdraw-the-tool-of-a-form 7",
        [
            Before("update-the-tool-of-a-form 10", behavior.loser_keeps_its_tool),
            Whole("withdraw-the-tool-of-a-form", behavior.withdraw_whatever_has_the_name),
        ],
        reason="If another tool has the name of a form, the form is not a tool. Removing this form also removes the"
        " other tool, and changing the form puts it in the place of the other tool. Markup that a page inserts can"
        " thus take over a tool of its scripts: the browser is wrong.",
        reproducer="programs/declarative/two-forms-of-one-name",
    ),
)
