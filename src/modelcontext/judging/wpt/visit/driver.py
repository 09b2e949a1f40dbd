"""The actions of a user that testdriver.js asks for, done by Playwright."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcontext.running.products.target import Target

# Playwright's names for the code points by which WebDriver means keys that are not characters.
KEYS: Mapping[str, str] = {
    "\ue003": "Backspace",
    "\ue004": "Tab",
    "\ue006": "Enter",
    "\ue007": "Enter",
    "\ue00c": "Escape",
    "\ue00d": " ",
    "\ue00e": "PageUp",
    "\ue00f": "PageDown",
    "\ue010": "End",
    "\ue011": "Home",
    "\ue012": "ArrowLeft",
    "\ue013": "ArrowUp",
    "\ue014": "ArrowRight",
    "\ue015": "ArrowDown",
    "\ue016": "Insert",
    "\ue017": "Delete",
}
STATES = ("granted", "denied", "prompt")


class ActionError(Exception):
    """An action cannot be done; in the page its promise rejects with this message."""


class Driver:
    """The user of the pages of one context."""

    def __init__(self, target: Target, context: Any) -> None:
        self._target = target
        self._context = context
        self._session: Any = None

    async def act(self, source: Mapping[str, Any], request: Mapping[str, Any]) -> None:
        """Do the action that a document, in the page and frame of ``source``, requests. Raises :class:`ActionError`."""
        match request:
            case {"action": "click", "x": x, "y": y}:
                left, top = await _offset(source["frame"])
                await source["page"].mouse.click(left + x, top + y)
            case {"action": "send_keys", "keys": keys}:
                await self._send_keys(source["page"].keyboard, keys)
            case {"action": "set_permission", "descriptor": descriptor, "state": state, "origin": origin}:
                await self._set_permission(source["page"], descriptor, state, origin)
            case {"action": "delete_all_cookies"}:
                await self._context.clear_cookies()
            case _:
                raise ActionError(f"the action {request.get('action')} is not known")

    async def _send_keys(self, keyboard: Any, keys: list[str]) -> None:
        unknown = [key for key in keys if "\ue000" <= key <= "\uf8ff" and key not in KEYS]
        if unknown:
            raise ActionError(f"the key U+{ord(unknown[0]):04X} is not known")
        for key in keys:
            if key in KEYS:
                await keyboard.press(KEYS[key])
            else:
                await keyboard.type(key)

    async def _set_permission(self, page: Any, descriptor: Mapping[str, Any], state: str, origin: str) -> None:
        if not self._target.engine.sets_permissions:
            raise ActionError(f"{self._target.name} cannot set_permission")
        if state not in STATES:
            raise ActionError(f'"{state}" is not a state of a permission; the states are {", ".join(STATES)}')
        if self._session is None:
            # Permissions last as long as the session that has set them, which is until the page is closed.
            self._session = await self._context.new_cdp_session(page)
        context = (await self._session.send("Target.getTargetInfo"))["targetInfo"]["browserContextId"]
        setting = {"permission": dict(descriptor), "setting": state, "origin": origin, "browserContextId": context}
        await self._session.send("Browser.setPermission", setting)


async def _offset(frame: Any) -> tuple[float, float]:
    """Return the position of a frame's viewport in that of its page."""
    if frame.parent_frame is None:
        return 0.0, 0.0
    element = await frame.frame_element()
    box = await element.bounding_box()
    if box is None:
        raise ActionError("the frame is not visible, so a test cannot click in it")
    border = await element.evaluate("frame => [frame.clientLeft, frame.clientTop]")
    return box["x"] + border[0], box["y"] + border[1]
