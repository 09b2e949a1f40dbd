"""Phrases of HTML but for forms, and those of URL, Permissions Policy, Secure Contexts and Console."""

from __future__ import annotations

from speclint.prose.phrasebook.phrase import Phrase, in_standard

_OF_DOCUMENTS = "documents and navigables"

PHRASES: tuple[Phrase, ...] = (
    *in_standard(
        "HTML",
        Phrase("{object:object}'s [relevant global object]", "relevant_global_object(object)", "property", result="Window"),
        Phrase("{object:object}'s [relevant realm]", "relevant_realm(object)", "property", result="realm"),
        Phrase("{realm:realm}'s [realm/global object]", "global_object(realm)", "property", result="Window"),
        Phrase("{object:object}'s [relevant agent]", "relevant_agent(object)", "property", result="agent"),
        Phrase("{agent:agent}'s [agent/event loop]", "event_loop(agent)", "property", result="event loop"),
        Phrase("{global:Window}'s [associated Document]", "associated_document(global)", "property", result="Document"),
        Phrase("{document:Document}'s [node navigable]", "node_navigable(document)", "property",
               result="navigable", touches=_OF_DOCUMENTS, may_be_null=True),
        Phrase("{navigable:navigable}'s [navigable/top-level traversable]", "top_level_traversable(navigable)", "property",
               result="navigable"),
        Phrase("{navigable:navigable}'s [navigable/traversable navigable]", "top_level_traversable(navigable)", "property",
               result="navigable"),
        Phrase("{navigable:navigable}'s [navigable/active document]", "active_document(navigable)", "property",
               result="Document", touches=_OF_DOCUMENTS, may_be_null=True),
        Phrase("{document:Document}'s [Document/inclusive descendant navigables]",
               "inclusive_descendant_navigables(document)", "property", result="list of navigable", touches=_OF_DOCUMENTS),
        Phrase("{document:Document}'s [Document/descendant navigables]", "descendant_navigables(document)", "property",
               result="list of navigable", touches=_OF_DOCUMENTS),
        Phrase("{object:object}'s [relevant settings object]", "relevant_settings_object(object)", "property",
               result="environment settings object"),
        Phrase("{settings:environment settings object}'s [environment settings object/origin]",
               "origin_of_settings(settings)", "property", result="origin"),
        Phrase("{origin:origin}'s [origin/scheme]", "scheme_of_origin(origin)", "property", result="string"),
        Phrase("{object:object}'s [surrounding agent]", "surrounding_agent(object)", "property", result="agent"),
        Phrase("{agent:agent}'s [agent cluster]", "agent_cluster(agent)", "property", result="agent cluster"),
        Phrase("{cluster:agent cluster}'s [is origin-keyed]", "is_origin_keyed(cluster)", "property", result="boolean"),
        Phrase("{global:Window}'s [associated Navigator]", "associated_navigator(global)", "property", result="Navigator"),
        Phrase("{document:Document}'s [Document/origin]", "origin_of(document)", "property", result="origin"),
        Phrase("{document:Document} is [Document/fully active]", "is_fully_active(document)", "test", touches=_OF_DOCUMENTS),
        Phrase("a new [unique internal value]", "a_new_unique_internal_value()", "value", result="unique internal value"),
        Phrase("[queue a global task] on the {source:task source} given {global:Window} to {steps:steps}",
               "queue_a_global_task(source, global, steps)", "act", touches="task queues"),
        Phrase("{origin:origin} is [same origin] with {other:origin}", "same_origin(origin, other)", "test"),
        Phrase("{origin:origin} is an [opaque origin]", "is_opaque(origin)", "test"),
        Phrase("the [serialization of an origin|serialization] of {origin:origin}", "serialization(origin)", "value",
               result="string"),
        Phrase("{origin:origin}, [serialization of an origin|serialized]", "serialization(origin)", "property",
               result="string"),
    ),
    *in_standard(
        "URL",
        Phrase("the result of running the [URL parser] on {string:string}", "url_parser(string)", "value", result="URL"),
        Phrase("the result of [URL parser|parsing] {string:string}", "url_parser(string)", "value", result="URL"),
        Phrase("{url:URL}'s [url/origin]", "url_origin(url)", "property", result="origin"),
        Phrase("{url:URL}'s [url/scheme]", "url_scheme(url)", "property", result="string"),
    ),
    *in_standard(
        "Web Cryptography API",
        Phrase("the result of [generate a random UUID|generating a random UUID]", "generate_a_random_uuid()", "value",
               result="string"),
    ),
    *in_standard(
        "Permissions Policy",
        Phrase("{document:Document} is [allowed to use] the {feature:feature} feature",
               "is_allowed_to_use(document, feature)", "test", touches=_OF_DOCUMENTS),
    ),
    *in_standard(
        "Secure Contexts",
        Phrase('the result of running [is origin potentially trustworthy?] on {origin:origin} is "Not Trustworthy"',
               "is_origin_potentially_trustworthy(origin)", "test", is_negated=True),
        Phrase('the result of running [is origin potentially trustworthy?] on {origin:origin} is "Potentially Trustworthy"',
               "is_origin_potentially_trustworthy(origin)", "test"),
        Phrase("{origin:origin} is [is origin potentially trustworthy?|potentially trustworthy]",
               "is_origin_potentially_trustworthy(origin)", "test"),
    ),
    *in_standard(
        "Console",
        Phrase("[report a warning to the console] that describes {reason}", "report_a_warning_to_the_console(reason)", "act"),
        Phrase("[report a warning to the console] indicating that {words:text}",
               "report_a_warning_to_the_console_that_says(words)", "act"),
        Phrase("[report a warning to the console] describing {reason}", "report_a_warning_to_the_console(reason)", "act"),
    ),
)  # fmt: skip
