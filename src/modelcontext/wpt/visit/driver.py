"""What testdriver.js asks for: the actions of a user, done by Playwright."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from modelcontext.products.engine import Capability

if TYPE_CHECKING:
    from modelcontext.products.target import Target

# Playwright's names for the code points by which WebDriver means keys that are no characters.
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
    """Acts in the pages of one context."""

    def __init__(self, target: Target, context: Any) -> None:
        self._target = target
        self._context = context
        self._session: Any = None

    async def act(self, source: Mapping[str, Any], request: Mapping[str, Any]) -> None:
        """Do what a document asks for. ``source`` says which one that is. Raises :class:`ActionError`."""
        match request:
            case {"action": "click", "x": x, "y": y}:
                self._need(Capability.CLICK)
                left, top = await _place(source["frame"])
                await source["page"].mouse.click(left + x, top + y)
            case {"action": "send_keys", "keys": keys}:
                self._need(Capability.SEND_KEYS)
                await self._send_keys(source["page"].keyboard, keys)
            case {"action": "set_permission", "descriptor": descriptor, "state": state, "origin": origin}:
                self._need(Capability.SET_PERMISSION)
                await self._set_permission(source["page"], descriptor, state, origin)
            case {"action": "delete_all_cookies"}:
                await self._context.clear_cookies()
            case _:
                raise ActionError(f"there is no action {request.get('action')}")

    def _need(self, capability: Capability) -> None:
        if capability not in self._target.capabilities:
            raise ActionError(f"{self._target.name} cannot {capability}")

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
        if state not in STATES:
            raise ActionError(f'"{state}" is no state of a permission; those are {", ".join(STATES)}')
        if self._session is None:
            # What it has set holds for as long as it is there, which is until the page is closed.
            self._session = await self._context.new_cdp_session(page)
        info = (await self._session.send("Target.getTargetInfo"))["targetInfo"]
        await self._session.send(
            "Browser.setPermission",
            {
                "permission": dict(descriptor),
                "setting": state,
                "origin": origin,
                "browserContextId": info["browserContextId"],
            },
        )


async def _place(frame: Any) -> tuple[float, float]:
    """Where the viewport of a frame begins in that of its page."""
    if frame.parent_frame is None:
        return 0.0, 0.0
    element = await frame.frame_element()
    box = await element.bounding_box()
    if box is None:
        raise ActionError("the frame cannot be seen, and so nothing in it be clicked")
    border = await element.evaluate("frame => [frame.clientLeft, frame.clientTop]")
    return box["x"] + border[0], box["y"] + border[1]
