"""Generated interactions with forms: the order of events, and what controls have then, held against Chromium."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.hosts.world import World
from modelcontext.platform.dom.elements import remove_an_attribute, set_an_attribute_value
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.mutations import append, remove
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLOutputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.input_types import ValueMode, value_mode
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.select import HTMLOptionElement, HTMLSelectElement, select_alone
from modelcontext.platform.html.forms.submission import submit
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_html
from tests.html.forms.generated_interactions import EVENTS, Interaction, interaction

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from modelcontext.platform.html.document import Document

INTERACTIONS = 1_000

# Elements that an earlier action has taken out of the document stay known by their IDs.
PLAY = """([interactions, types]) => interactions.map(([html, cancels, actions]) => {
    document.body.innerHTML = html;
    const elements = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
    const facts = (element) => [element.id, element.value ?? null, element.checked ?? null, element.selected ?? null];
    const log = [];
    for (const element of Object.values(elements)) {
        for (const type of types) {
            element.addEventListener(type, (event) => {
                if (event.target !== element) return;
                log.push([type, ...facts(element), event.submitter?.id ?? null, event.isTrusted]);
                if (cancels.some(([canceled, id]) => canceled === type && id === element.id)) event.preventDefault();
            });
        }
    }
    const play = {
        click: (element) => element.click(),
        value: (element, value) => { element.value = value; },
        checked: (element, value) => { element.checked = value; },
        choose: (element, value) => { element.value = value; },
        reset: (element) => element.reset(),
        requestSubmit: (element) => element.requestSubmit(),
        attribute: (element, name, value) => element[value === null ? "removeAttribute" : "setAttribute"](name, value),
        append: (element, id) => elements[id].append(element),
        remove: (element) => element.remove(),
    };
    for (const [action, id, ...more] of actions) play[action](elements[id], ...more);
    const owner = (element) => element.localName === "option" ? null : element.form?.id ?? null;
    return [log, Object.values(elements).map((element) => [...facts(element), owner(element)])];
})"""


class Player:
    """A document of the model with a generated form."""

    def __init__(self, document: Document, interaction: Interaction) -> None:
        parse_html(document, f"<!doctype html><body>{interaction.html}")
        self.cancels = interaction.cancels
        self.actions = interaction.actions
        self.log: list[list[Any]] = []
        #: Chromium fires neither input nor change then. HTML does not ask what a radio button was before.
        self.clicked_checked_radio_buttons = 0
        nodes = [node for node in document.descendants if isinstance(node, HTMLElement)]
        self.elements = {node.attributes["id"]: node for node in nodes if node.has_attribute("id")}
        for element in self.elements.values():
            for type_ in EVENTS:
                self._listen(element, type_)

    def _listen(self, element: HTMLElement, type_: str) -> None:
        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            (event,) = arguments
            assert isinstance(event, Event)
            if event.target is element:
                submitter = event.attributes.get("submitter")
                id_ = submitter.attributes["id"] if isinstance(submitter, HTMLElement) else None
                self.log.append([type_, *facts(element), id_, event.is_trusted])
                if [type_, element.attributes["id"]] in self.cancels:
                    event.set_the_canceled_flag()
            return UNDEFINED

        element.add_event_listener(type_, JSFunction(element.realm, behavior))

    def play_all(self) -> None:
        for action in self.actions:
            self.play(*action)

    def play(self, action: str, id_: str, *more: Any) -> None:
        element = self.elements[id_]
        match action, element, more:
            case "click", _, ():
                is_checked_radio = isinstance(element, HTMLInputElement) and (element.type_state, element.checkedness)
                before = len(self.log)
                click(element)
                if is_checked_radio == ("radio", True) and self.log[before + 1 :]:
                    self.clicked_checked_radio_buttons += 1
                    del self.log[before + 1 :]
            case "value", HTMLInputElement(), (value,) if value_mode(element.type_state) is ValueMode.VALUE:
                element.set_value(value)
                element.dirty_value_flag = True
            case "value", HTMLInputElement(), (value,):
                set_an_attribute_value(element, "value", value)
            case "value", HTMLTextAreaElement(), (value,):
                element.raw_value = value
                element.dirty_value_flag = True
            case "value", HTMLOutputElement(), (value,):
                element.set_value(value)
            case "checked", HTMLInputElement(), (value,):
                element.dirty_checkedness_flag = True
                element.set_checkedness(value)
            case "choose", HTMLSelectElement(), (value,):
                choose(element, value)
            case "reset", HTMLFormElement(), ():
                reset(element)
            case "requestSubmit", HTMLFormElement(), (None,):
                submit(element)
            case "attribute", _, (name, None):
                remove_an_attribute(element, name)
            case "attribute", _, (name, value):
                set_an_attribute_value(element, name, value)
            case "append", _, (parent,):
                append(element, self.elements[parent])
            case "remove", _, () if element.parent is not None:
                remove(element)

    @property
    def found(self) -> list[Any]:
        """What the script of Chromium returns."""
        return [self.log, [[*facts(element), owner(element)] for element in self.elements.values()]]


def choose(select: HTMLSelectElement, value: str) -> None:
    """Set the value of a select element, as a script does."""
    found = next((option for option in select.list_of_options if option.value == value), None)
    for option in list(select.selected):
        option.set_selectedness(False)
    if found is not None:
        select_alone(select, found)
        found.dirtiness = True


def facts(element: HTMLElement) -> list[Any]:
    value: str | None = None
    if isinstance(element, HTMLInputElement):
        value = element.value
        if value_mode(element.type_state) is not ValueMode.VALUE:
            default = "on" if element.type_state in ("checkbox", "radio") else ""
            value = element.attributes.get("value", default)
    elif isinstance(element, HTMLTextAreaElement):
        value = element.raw_value
    elif isinstance(element, HTMLOutputElement | HTMLOptionElement):
        value = element.value
    elif isinstance(element, HTMLSelectElement):
        selected = (option.value for option in element.list_of_options if option.selectedness)
        value = next(selected, "")
    elif element.local_name == "button":
        value = element.attributes.get("value", "")
    checked = element.checkedness if isinstance(element, HTMLInputElement) else None
    selected_ = element.selectedness if isinstance(element, HTMLOptionElement) else None
    return [element.attributes["id"], value, checked, selected_]


def owner(element: HTMLElement) -> str | None:
    form = element.form_owner if isinstance(element, FormAssociatedElement) else None
    return None if form is None else form.attributes["id"]


@pytest.fixture(scope="module")
def observed(chromium: Browser) -> list[Any]:
    """Play all interactions in Chromium."""
    page = chromium.new_page()
    observed: list[Any] = page.evaluate(PLAY, [[interaction(seed) for seed in range(INTERACTIONS)], list(EVENTS)])
    return observed


@pytest.fixture(scope="module")
def players(takes_long: None) -> list[Player]:
    """Play all interactions in the model."""
    world = World()
    world.enter()
    return [play(world, interaction(seed)) for seed in range(INTERACTIONS)]


def play(world: World, interaction: Interaction) -> Player:
    """Play one interaction in the model."""
    document = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    player = Player(document, interaction)
    world.user_agent.run_script_now(document, player.play_all)
    return player


def test_interactions_have_the_same_events_and_values_in_chromium(players: list[Player], observed: list[Any]) -> None:
    differences = [
        (interaction(seed), found, of_chromium)
        for seed, (player, of_chromium) in enumerate(zip(players, observed, strict=True))
        if (found := player.found) != of_chromium
    ]
    assert differences == []


def test_some_checked_radio_button_was_clicked(players: list[Player]) -> None:
    assert sum(player.clicked_checked_radio_buttons for player in players) > 3


def test_every_event_is_fired_often(observed: list[Any]) -> None:
    events = Counter(entry[0] for log, _ in observed for entry in log)
    assert {event for event in EVENTS if events[event] < 20} == set()
