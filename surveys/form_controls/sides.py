"""What the model and products make of the controls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from modelcontext.hosts.world import World
from modelcontext.platform.dom.nodes import DocumentNode
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_html
from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.registry import make_target
from modelcontext.running.serving.http import Server
from modelcontext.spec.revisions.current.form_input import perform_an_assignment, validate_the_input_of_a_form
from modelcontext.spec.revisions.current.schema_synthesis import synthesize_a_declarative_json_schema_object
from modelcontext.spec.verbs.form_verbs import value_of

if TYPE_CHECKING:
    from surveys.form_controls.controls import Control

REFUSED = "refused"

CUSTOM_ELEMENT = """<script>
    customElements.define("form-associated", class extends HTMLElement { static formAssociated = true; });
</script>"""

# A parser may pause in the middle of a form, and Chromium then keeps a schema without the later options (form-stale-schemas).
# So all forms come at once.
PAGE = """<!DOCTYPE html><title>controls</title>{custom_element}<body><template>{forms}</template>
<script>document.body.append(document.querySelector("template").content);</script>"""

# A call gives what the controls have when the form is submitted.
OBSERVE = """async ([cases, asText]) => {
    const { modelContext } = document;
    const listed = async () => new Map((await modelContext.getTools()).map((tool) => [tool.name, tool]));
    let tools = await listed();
    while (tools.size < cases.length) {
        await new Promise((resolve) => modelContext.addEventListener("toolchange", resolve, { once: true }));
        tools = await listed();
    }
    const state = (control) => {
        if (control.localName === "select") return [...control.selectedOptions].map((option) => option.value);
        return control.type === "checkbox" || control.type === "radio" ? control.checked : control.value;
    };
    document.addEventListener("submit", (event) => {
        const controls = [...event.target.elements].filter((control) => control.matches("input, select, textarea"));
        event.preventDefault();
        event.respondWith(Promise.resolve(JSON.stringify(controls.map(state))));
    });
    const found = [];
    for (const [name, input] of cases) {
        const tool = tools.get(name);
        const schema = typeof tool.inputSchema === "string" ? tool.inputSchema : JSON.stringify(tool.inputSchema);
        const call = input === null ? null : modelContext.executeTool(tool, asText ? input : JSON.parse(input));
        found.push([schema, call && await call.catch(() => "refused")]);
    }
    return found;
}"""


class Found(NamedTuple):
    """What a side makes of a control: its schema, and what the controls have after each value, or ``refused``."""

    schema: dict[str, Any]
    states: Sequence[Any]


def of_the_model(controls: Sequence[Control]) -> list[Found]:
    """Return what the model makes of the controls."""
    world = World()
    world.enter()
    page = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))

    def form_of(control: Control) -> HTMLFormElement:
        document = DocumentNode(page.realm)
        parse_html(document, _form(control, "f"), form_associated={"form-associated"})
        return next(node for node in document.descendants if isinstance(node, HTMLFormElement))

    def script() -> list[Found]:
        return [
            Found(
                json.loads(json.dumps(synthesize_a_declarative_json_schema_object(form_of(control)))),
                [_state_after(form_of(control), value) for value in control.values],
            )
            for control in controls
        ]

    return world.user_agent.run_script_now(page, script)


def _state_after(form: HTMLFormElement, value: Any) -> Any:
    assignments = validate_the_input_of_a_form(form, json.dumps({"a": value}))
    if assignments is None:
        return REFUSED
    for assignment in assignments:
        perform_an_assignment(form, assignment)
    return [
        _state(control)
        for control in form.elements
        if isinstance(control, HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement)
    ]


def _state(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement) -> Any:
    if isinstance(control, HTMLSelectElement):
        return [option.value for option in control.list_of_options if option.selectedness]
    if isinstance(control, HTMLInputElement) and control.type_state in ("checkbox", "radio"):
        return control.checkedness
    return value_of(control)


def _form(control: Control, name: str) -> str:
    # IDs are those of one form only.
    html = control.html.replace("id=", f"id={name}").replace("for=", f"for={name}").replace("list=", f"list={name}")
    return f"<form toolname={name} tooldescription=d toolautosubmit novalidate>{html}</form>"


async def of_a_product(name: str, controls: Sequence[Control]) -> list[Found]:
    """Return what a product makes of the controls: one page has a form for each control and for each value."""
    target = make_target(name)
    cases = [(index, value) for index, control in enumerate(controls) for value in (..., *control.values)]
    forms = [_form(controls[index], f"f{number}") for number, (index, _) in enumerate(cases)]
    inputs = [
        [f"f{number}", None if value is ... else json.dumps({"a": value})] for number, (_, value) in enumerate(cases)
    ]
    with Server(folders=target.folders()) as server:
        html = PAGE.format(custom_element=CUSTOM_ELEMENT, forms="".join(forms))
        server.serve("/controls", HttpResponse(html, {}))
        playwright = await start_playwright()
        browser = None
        try:
            browser = await target.engine.launch(playwright, target.find_binary(), [])
            context = await browser.new_context()
            for script in target.scripts():
                await context.add_init_script(script)
            url = server.origins["A"] + "/controls"
            page = await target.open_page(context, url, _fail)
            await page.goto(url)
            observed = await asyncio.wait_for(page.evaluate(OBSERVE, [inputs, name == "polyfill"]), 60)
        finally:
            if browser is not None:
                await browser.close()
            await playwright.stop()
    found: list[Found] = []
    for (_, value), (schema, state) in zip(cases, observed, strict=True):
        if value is ...:
            found.append(Found(json.loads(schema), []))
        else:
            found[-1] = Found(found[-1].schema, [*found[-1].states, REFUSED if state == REFUSED else json.loads(state)])
    return found


def _fail(message: str) -> None:
    raise RuntimeError(message)
