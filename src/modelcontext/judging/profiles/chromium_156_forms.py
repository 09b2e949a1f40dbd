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
        reason="toolactivated is fired when the form has been submitted or its button has the focus, and also for a call that"
        " has failed already; what listeners do while the form is filled in is not noticed, so that a form that they reset or"
        " remove waits on; a second call takes the place of the first, which never settles; and a form that a sandbox keeps"
        " from being submitted waits for ever. A page that prepares itself in a listener comes too late, and a caller cannot"
        " tell a slow call from a lost one: the browser looks wrong.",
        reproducer="programs/declarative/form-in-a-frame",
    ),
    Quirk(
        "form-responses-as-strings",
        "serialize-a-response 1",
        [Whole("serialize-a-response", behavior.response_as_text)],
        reason="Only objects become JSON; any other response is passed on as String() makes it, undefined too, and one with a"
        " lone surrogate as null. Imperative tools have the same conversion, with the same fault: a caller cannot tell"
        " undefined from a text, so the browser looks wrong.",
        reproducer="programs/declarative/answers-as-text",
    ),
    Quirk(
        "form-events-of-values",
        "perform-an-assignment 10",
        [Whole("perform-an-assignment", behavior.assign)],
        reason="A checkbox or radio button that has its value already gets a change event, an empty field that is set to the"
        " empty string for the first time an input event, and a hidden field none; a disabled option is selected; and a"
        " control that has left its form while another one was filled in is filled in all the same. Listeners that count"
        " changes count wrongly: the browser looks wrong.",
        reproducer="programs/declarative/filled-in-already",
    ),
    Quirk(
        "form-takes-what-is-left",
        "take-a-string 1",
        [Whole("take-a-string", behavior.takes_what_sanitization_leaves)],
        reason="A value is taken if its sanitization leaves something, so that a color that is none becomes black and a number"
        " that is none the middle of a range. The caller never learns of it: the browser looks wrong.",
        reproducer="programs/declarative/input-that-does-not-fit",
    ),
    Quirk(
        "form-groups-with-others",
        "determine-the-parameter-kind 5",
        [
            Whole("determine-the-parameter-kind", schemas.kind_with_others),
            InsteadOf("synthesize_a_parameter_schema", schemas.no_schema_of_others, _ASKING),
        ],
        reason="Buttons, outputs, fieldsets and file fields count where controls are grouped by their name, so that a field"
        " without a name is lost beside a button without one; and a hidden field named _charset_ can be filled in. Neither"
        " helps anybody: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-texts",
    ),
    Quirk(
        "form-required-anywhere",
        "synthesize-a-declarative-json-schema-object 4.6",
        [InsteadOf("attribute_applies", schemas.required_anywhere, ("synthesize-a-declarative-json-schema-object",))],
        reason="The attribute required makes a range, a color or a hidden field required, to which it does not apply. The"
        " schema asks for what the form does not need: the browser looks wrong.",
        reproducer="findings/chromium/form-required-anywhere/program",
    ),
    Quirk(
        "form-every-choice",
        "collect-the-choices 2.1.1",
        [
            Whole("collect-the-choices", schemas.every_choice),
            Whole("synthesize-a-schema-of-choices", schemas.schema_of_every_choice),
        ],
        reason="Disabled and repeated options are listed, with the text as it stands in the markup and no heed of the label,"
        " and a control without any takes part with an empty list, which JSON Schema does not allow: the browser looks wrong.",
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
        reason="A pattern is copied as it is, while HTML compares it with the whole value and JSON Schema searches it; it is"
        " also copied for numbers and for several addresses, to which it does not apply; and a range with any step gets a"
        " step of 1. The schema allows what the form does not: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-texts",
    ),
    Quirk(
        "form-expressions-in-format",
        "determine-the-value-pattern 1",
        [InsteadOf("synthesize_a_parameter_schema", schemas.expressions_in_format, _ASKING)],
        reason="The expressions of months, weeks, times and colors stand in format, which JSON Schema has for names, with four"
        " digits for a year and letters up to Z in a color. No validator looks at them: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-times",
    ),
    Quirk(
        "form-precision-of-the-step",
        "determine-the-time-precision 2",
        [Whole("determine-the-time-precision", schemas.precision_of_the_step)],
        reason="The precision of a time is that of its step alone, and step=any is that of minutes, although any time is"
        " allowed then: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-times",
    ),
    Quirk(
        "form-bases-of-whole-numbers",
        "synthesize-a-numeric-schema 8",
        [InsteadOf("step_base", schemas.base_that_is_a_number, ("synthesize-a-numeric-schema",))],
        reason="A min or value attribute is the base of a step only if the whole of it is a number, while HTML's rules for"
        " parsing numbers take the digits that it begins with. The schema allows what the form does not: the browser looks"
        " wrong.",
        reproducer="findings/chromium/form-bases-of-whole-numbers/program",
    ),
    Quirk(
        "form-bare-date-note",
        "describe-a-parameter 6.2",
        [InsteadOf("describe_a_parameter", schemas.bare_date_note)],
        reason="The note about dates has no parentheses if it stands alone. Nobody is hurt by either: neither looks wrong.",
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
        reason="A reset, a removal or a change of the form also ends a call whose response is awaited, and a reset one whose"
        " submit event is being dispatched. The page has taken the call over by then, and often resets or removes the form"
        " because of it: the browser looks wrong.",
        reproducer="findings/chromium/form-responses-interrupted-2/program",
    ),
    Quirk(
        "form-submitted-again",
        "begin-the-submission-of-an-agent 2",
        [Whole("begin-the-submission-of-an-agent", behavior.begin_another_submission)],
        reason="While the response to a submission of an agent is awaited, one by the user counts as the agent's too, and the"
        " first response of either ends the call. The page takes the user's submission for the agent's: the browser looks"
        " wrong.",
        reproducer="findings/chromium/form-submitted-again/program",
    ),
    Quirk(
        "form-submitted-without-navigation",
        "process-a-submit-event 5",
        [InsteadOf("cannot_navigate", behavior.navigates, ("process-a-submit-event",))],
        reason="A submission that leads nowhere, because a listener has removed the form, fulfils the call. Nothing was sent:"
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
        reason="Some changes update no tool: of options, of the text of labels, and of values that are the base of a step. The"
        " schema that is listed is not that of the form, while a call is compared with the form: the browser looks wrong.",
        reproducer="findings/chromium/form-stale-schemas/program",
    ),
    Quirk(
        "form-invalid-names-later",
        "schedule-a-tool-update 1",
        [
            InsteadOf("offers_a_tool", behavior.offers_whatever_the_name, ("schedule-a-tool-update",)),
            Before("update-the-tool-of-a-form 3", behavior.withdraw_for_an_invalid_name),
        ],
        reason="A tool whose toolname becomes invalid is withdrawn with the next update, and not at once as one that loses the"
        " attribute. A page cannot tell the two apart, and nobody is hurt: neither looks wrong.",
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
        reason="A form that is no tool, because another tool has its name, takes that tool with it when it is removed, and its"
        " place when it is changed. Markup that a page inserts can so take over a tool of its scripts: the browser is wrong.",
        reproducer="programs/declarative/two-forms-of-one-name",
    ),
)
