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
        " also for a call that has already failed. If a listener resets or removes the form while it is being filled "
        "in, the browser does not notice this, and the form keeps waiting. A second call replaces the first, which "
        "never"
        " settles. A form that a sandbox keeps from being submitted waits forever. A page that prepares itself in a "
        "listener is too late, and a caller cannot distinguish a slow call from a lost one: the browser looks wrong.",
        reproducer="programs/declarative/form-in-a-frame",
    ),
    Quirk(
        "form-responses-as-strings",
        "serialize-a-response 1",
        [Whole("serialize-a-response", behavior.response_as_text)],
        reason="The browser serializes only objects to JSON. It converts any other response, even undefined, with"
        " String(), and a string with a lone surrogate becomes null. The results of imperative tools have"
        " the same problem. A caller cannot distinguish undefined from a text: the browser looks wrong.",
        reproducer="programs/declarative/answers-as-text",
    ),
    Quirk(
        "form-events-of-values",
        "perform-an-assignment 10",
        [Whole("perform-an-assignment", behavior.assign)],
        reason="A checkbox or radio button that already has its value gets a change event. An empty field that is set"
        " to the empty string for the first time gets an input event, and a hidden field gets no event. A disabled"
        " option is selected. If a control leaves the form while another control is being filled in, the browser "
        "still fills it in. Listeners get wrong numbers of events: the browser looks wrong.",
        reproducer="programs/declarative/filled-in-already",
    ),
    Quirk(
        "form-takes-what-is-left",
        "take-a-string 1",
        [Whole("take-a-string", behavior.takes_what_sanitization_leaves)],
        reason="The browser accepts a value if the sanitized value is not empty. An invalid color becomes black, and"
        " an invalid number becomes the middle of a range. The caller does not see this change: the browser looks "
        "wrong.",
        reproducer="programs/declarative/input-that-does-not-fit",
    ),
    Quirk(
        "form-groups-with-others",
        "determine-the-parameter-kind 5",
        [
            Whole("determine-the-parameter-kind", schemas.kind_with_others),
            InsteadOf("synthesize_a_parameter_schema", schemas.no_schema_of_others, _ASKING),
        ],
        reason="Buttons, outputs, fieldsets and file fields count when the browser groups controls by their names."
        " Therefore a field without a name is not a parameter if there is a button without a name. A hidden"
        " field named _charset_ can be filled in. Neither behavior has a use: the browser looks wrong.",
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
        " markup, and ignores the label. For a control without options it gives an empty list, which JSON Schema does "
        "not allow: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-choices",
    ),
    Quirk(
        "form-empty-labels",
        "collect-the-label-text 2.3",
        [Whole("collect-the-label-text", schemas.label_text)],
        reason="An empty label counts as a text, so the description begins with a semicolon: the browser looks wrong.",
        reproducer="programs/declarative/descriptions-of-parameters",
    ),
    Quirk(
        "form-bare-patterns",
        "determine-the-value-pattern 9",
        [
            InsteadOf("determine_the_value_pattern", schemas.pattern_as_it_is, ("synthesize-a-parameter-schema",)),
            InsteadOf("synthesize_a_numeric_schema", schemas.number_with_pattern),
        ],
        reason="The browser copies a pattern without changes, although HTML compares a pattern with the whole value,"
        " and JSON Schema searches the value. It also copies the pattern of numbers and of several addresses,"
        " to which patterns do not apply. A range with any step gets a step of 1. The schema allows values"
        " that the form refuses: the browser looks wrong.",
        reproducer="programs/declarative/schema-of-texts",
    ),
    Quirk(
        "form-expressions-in-format",
        "determine-the-value-pattern 1",
        [InsteadOf("synthesize_a_parameter_schema", schemas.expressions_in_format, _ASKING)],
        reason="The browser puts the expressions of months, weeks, times and colors into format, where JSON Schema"
        " expects names. The expressions allow only years of four digits, and letters up to Z in a color. No"
        " validator reads them: the browser looks wrong.",
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
        reason="The note about dates has no parentheses if it is the whole description. This does no harm: neither"
        " looks wrong.",
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
        " ends a call whose submit event is being dispatched. At that time the page controls the call, and often "
        "resets or removes the form because of the call: the browser looks wrong.",
        reproducer="findings/chromium/form-responses-interrupted-2/program",
    ),
    Quirk(
        "form-submitted-again",
        "begin-the-submission-of-an-agent 2",
        [Whole("begin-the-submission-of-an-agent", behavior.begin_another_submission)],
        reason="While the browser waits for the response to an agent's submission, a submission by the user counts"
        " as the agent's submission, too. The first response to either submission ends the call. The page"
        " cannot see that the user has submitted the form: the browser looks wrong.",
        reproducer="findings/chromium/form-submitted-again/program",
    ),
    Quirk(
        "form-answers-another-call",
        "process-a-submit-event 4.2.a.1",
        [InsteadOf("react", behavior.answers_whatever_call_runs, ("process-a-submit-event",))],
        reason="When the promise of a response settles, the browser ends the current call of the form. If the"
        " answered call was aborted, reset or replaced, then the next call gets its answer, or is rejected."
        " A caller gets the answer for another caller: the browser is wrong.",
        reproducer="programs/declarative/answered-during-the-next-call",
    ),
    Quirk(
        "form-submitted-without-navigation",
        "process-a-submit-event 5",
        [InsteadOf("cannot_navigate", behavior.navigates, ("process-a-submit-event",))],
        reason="If a listener removes the form and the submission therefore does nothing, the browser fulfills the"
        " call. Nothing was sent: the browser looks wrong.",
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
        " that are the base of a step. The listed schema then differs from the form, but the browser"
        " compares calls with the form: the browser looks wrong.",
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
        " the form loses the attribute, the browser withdraws the tool at once. A page cannot see the difference, and "
        "it does no harm: neither looks wrong.",
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
        " other tool, and changing the form replaces the other tool. Therefore markup that a page inserts can replace "
        "a tool of the page's scripts: the browser is wrong.",
        reproducer="programs/declarative/two-forms-of-one-name",
    ),
)
