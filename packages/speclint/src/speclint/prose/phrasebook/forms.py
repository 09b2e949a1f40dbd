"""Phrases of the sections on forms in HTML: controls, their values and attributes, submission; and focus, and scripting."""

from __future__ import annotations

from speclint.prose.phrasebook.phrase import Phrase, in_standard

PHRASES: tuple[Phrase, ...] = in_standard(
    "HTML, forms",
    # Elements and attributes.
    Phrase("{node:element} is a {name:tag} element", "is_element(node, name)", "test"),
    Phrase("{node:element} has a {attribute:attribute} attribute", "has_attribute(node, attribute)", "test",
           its_value="attribute_value(node, attribute)"),
    Phrase("{node:element} has a {attribute:attribute} attribute that [apply] to it",
           "attribute_applies(node, attribute)", "test"),
    Phrase("{node:element}'s {attribute:attribute} attribute's value", "attribute_value(node, attribute)", "property",
           result="string", exists="has_attribute(node, attribute)"),
    Phrase("the keyword of the state of {node:element}'s {attribute:attribute} attribute", "type_state(node)", "value",
           result="string"),
    Phrase("[scripting is disabled for a node|scripting is disabled] for {node:element}",
           "is_scripting_disabled(node)", "test"),
    Phrase("the nearest {name:tag} element that is an [tree/ancestor] of every [list/item] of {nodes:list}, or null",
           "nearest_fieldset(nodes)", "value", result="element", may_be_null=True),
    # Forms.
    Phrase("the [listed elements] whose [form owner] is {form:form element}, in [tree order]", "listed_elements(form)",
           "value", result="list of element"),
    Phrase("{node:element}'s [form owner]", "form_owner(node)", "property", result="form element", may_be_null=True),
    Phrase("the first [submit button] that is not [disabled form control] among the [listed elements] and the "
           "[image button] whose [form owner] is {form:form element}, in [tree order], or null",
           "default_button(form)", "value", result="element", may_be_null=True),
    Phrase("{form:form element} [cannot navigate]", "cannot_navigate(form)", "test"),
    Phrase("[form/submit] {form:form element} from {submitter:element}, or, without a button, from {other:form element}",
           "submit(form, submitter)", "act", strand="event loop"),
    Phrase("run the [focusing steps] for {node:element}", "focusing_steps(node)", "act", strand="event loop"),
    # Controls.
    Phrase("{node:element} is [disabled form control]", "is_disabled(node)", "test"),
    Phrase("{node:element}'s [input minimum]", "minimum(node)", "property", result="number", may_be_null=True),
    Phrase("{node:element}'s [input maximum]", "maximum(node)", "property", result="number", may_be_null=True),
    Phrase("{node:element}'s [allowed value step]", "allowed_value_step(node)", "property", result="number",
           may_be_null=True),
    Phrase("{node:element}'s [step base]", "step_base(node)", "property", result="number"),
    Phrase("{node:element} has a [compiled pattern regular expression]", "has_a_compiled_pattern_regular_expression(node)",
           "test"),
    Phrase("{string:string} is a [valid simple color]", "is_a_valid_simple_color(string)", "test"),
    Phrase("{string:string} is a [valid floating-point number]", "is_a_valid_floating_point_number(string)", "test"),
    Phrase("the result of applying the [rules for parsing floating-point number values] to {string:string}",
           "rules_for_parsing_floating_point_number_values(string)", "value", result="number", may_be_null=True),
    Phrase("the result of running {node:element}'s [value sanitization algorithm] on {value:string}",
           "sanitized_value(node, value)", "value", result="string"),
    Phrase("{node:element}'s [control value]", "value_of(node)", "property", result="string"),
    Phrase("set {node:element}'s [control value] to {value:string}, run its [value sanitization algorithm], and set its "
           "[dirty value flag] to true", "set_value(node, value)", "act"),
    Phrase("{node:element}'s [dirty value flag]", "dirty_value_flag(node)", "property", result="boolean"),
    Phrase("{node:element}'s [checkedness]", "checkedness_of(node)", "property", result="boolean"),
    Phrase("set {node:element}'s [checkedness] to {value:boolean}, and its [dirty checkedness flag] to true",
           "set_checkedness(node, value)", "act"),
    # Labels.
    Phrase("the {name:tag} elements whose [labeled control] is {node:element}, in [tree order]", "labels_of(node)",
           "value", result="list of element"),
    Phrase("{label:element}'s [descendant text content] without that of the [labelable elements] among its "
           "[tree/descendants]", "text_without_labelable_elements(label)", "property", result="string"),
    # Selects.
    Phrase("{node:element}'s [list of options]", "list_of_options(node)", "property", result="list of option element"),
    Phrase("{option:option element} is [disabled option]", "option_is_disabled(option)", "test"),
    Phrase("{option:option element}'s [option value]", "option_value(option)", "property", result="string"),
    Phrase("{option:option element}'s [option label]", "option_label(option)", "property", result="string"),
    Phrase("{option:option element}'s [descendant text content]", "option_text(option)", "property", result="string"),
    Phrase("{option:option element}'s [selectedness]", "option_selectedness(option)", "property", result="boolean"),
    Phrase("set {option:option element}'s [selectedness] to {value:boolean}, and its [dirtiness] to true",
           "set_selectedness(option, value)", "act"),
    Phrase("set {option:option element}'s [selectedness] and [dirtiness] to true, and the [selectedness] of the other options "
           "to false", "select_alone(option)", "act"),
    # Tasks.
    Phrase("[DOM manipulation task source]", "DOM_MANIPULATION_TASK_SOURCE", "value", result="task source"),
)  # fmt: skip
