"""The description of the platform's interfaces, from which the process makes them in each realm (realm/interfaces.js)."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

#: Types that need no definition.
_SIMPLE = {
    "DOMString",
    "LegacyString",
    "USVString",
    "boolean",
    "long",
    "unsigned long",
    "unsigned long long",
    "unsigned short",
    "double",
    "any",
    "object",
    "EventHandler",
    "Window",
}


_given: list[dict[str, Any]] | None = None


def use_definitions(given: list[dict[str, Any]]) -> None:
    """Take what :func:`definitions` has returned elsewhere, for a place without the parser."""
    global _given
    _given = given


@cache
def definitions() -> list[dict[str, Any]]:
    """Return the definitions of platform.webidl, as the parser gives them."""
    if _given is not None:
        return _given
    # Imported here, because most commands run no scripts, and the parser takes a third of their start.
    import pywebidl2

    text = files("modelcontext.hosts.scripting").joinpath("platform.webidl").read_text(encoding="utf-8")
    parsed: list[dict[str, Any]] = pywebidl2.parse(text)["definitions"]
    return parsed


@cache
def description() -> dict[str, Any]:
    """Return the interfaces and dictionaries of platform.webidl, as data."""
    found = definitions()
    dictionaries = {one["name"]: one for one in found if one["type"] == "dictionary"}
    return {
        "interfaces": [_interface(one, dictionaries) for one in found if one["type"] == "interface"],
        "dictionaries": {name: _members(name, dictionaries) for name in dictionaries},
        "aliases": {},
    }


def unimplemented() -> dict[str, list[str]]:
    """Return the members that are not there, by interface."""
    text = files("modelcontext.hosts.scripting").joinpath("unimplemented.json").read_text(encoding="utf-8")
    members: dict[str, list[str]] = json.loads(text)["members"]
    return members


def _interface(data: dict[str, Any], dictionaries: dict[str, Any]) -> dict[str, Any]:
    members = data["members"]
    make = next((member for member in members if member["type"] == "constructor"), None)
    is_event_data = data["inheritance"] is not None and f"{data['name']}Init" in dictionaries
    defaults = {
        member["name"]: _default(member)
        for member in dictionaries.get(f"{data['name']}Init", {"members": []})["members"]
    }
    return {
        "name": data["name"],
        "inherits": data["inheritance"],
        "exposed": True,
        "constructor_": None if make is None else _parameters(make, dictionaries),
        "isEventData": defaults if is_event_data and data["name"] != "ShadowRoot" else None,
        "constants": {member["name"]: int(member["value"]["value"]) for member in members if member["type"] == "const"},
        "attributes": [
            {
                "name": member["name"],
                "type": _type(member["idl_type"], dictionaries),
                "readonly": member["readonly"],
                "constant": "Constant" in (attributes := _extended(member)),
                "replaceable": "Replaceable" in attributes,
                "forwards": attributes.get("PutForwards"),
            }
            for member in members
            if member["type"] == "attribute"
        ],
        "operations": [
            {
                "name": member["name"].removeprefix("_"),
                "parameters": _parameters(member, dictionaries),
                "isVoid": member["idl_type"]["idl_type"] == "undefined",
                "promises": member["idl_type"]["generic"] == "Promise",
                "isStatic": member["special"] == "static",
            }
            for member in members
            if member["type"] == "operation" and member["name"]
        ],
        "stringifies": any(
            member["type"] == "operation" and member.get("special") == "stringifier" for member in members
        ),
    }


@cache
def interfaces_by_tag() -> dict[str, str]:
    """Return the interfaces of HTML elements that have no class in Python, by local name."""
    found: dict[str, str] = {}
    for interface in definitions():
        lists = [one["rhs"]["value"] for one in interface["ext_attrs"] if one["name"] == "Tags"]
        found |= {tag["value"]: interface["name"] for tags in lists for tag in tags}
    return found


def reflected() -> dict[str, tuple[str, str]]:
    """Return the content attribute that each reflecting attribute stands for and its type, by interface and attribute."""
    found = {}
    for interface in definitions():
        for member in interface["members"]:
            extended = _extended(member)
            if "Reflect" in extended:
                name = extended["Reflect"] or member["name"].lower()
                found[f"{interface['name']}.{member['name']}"] = (name, member["idl_type"]["idl_type"])
    return found


def _extended(member: dict[str, Any]) -> dict[str, str | None]:
    return {one["name"]: one["rhs"]["value"] if one.get("rhs") else None for one in member["ext_attrs"]}


def _parameters(member: dict[str, Any], dictionaries: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": argument["name"],
            "type": _type(argument["idl_type"], dictionaries),
            "optional": argument["optional"],
            "variadic": argument["variadic"],
        }
        for argument in member["arguments"]
    ]


def _type(data: dict[str, Any], dictionaries: dict[str, Any]) -> Any:
    if data["generic"]:
        return [data["generic"], _type(data["idl_type"][0], dictionaries)]
    name = data["idl_type"]
    if name == "NodeOrString":
        return ["node or string", None]
    if name == "MutationCallback":
        return "callback"
    if name in _SIMPLE:
        plain: Any = name
    elif name in dictionaries:
        plain = ["dictionary", name]
    else:
        plain = ["interface", name]
    return ["nullable", plain] if data["nullable"] else plain


def _default(member: dict[str, Any]) -> Any:
    default = member["default"]
    if default is None or default["type"] == "null":
        return None
    if default["type"] == "number":
        return int(default["value"])
    return default["value"]


def _members(name: str, dictionaries: dict[str, Any]) -> list[dict[str, Any]]:
    data = dictionaries[name]
    inherited = [] if data["inheritance"] is None else _members(data["inheritance"], dictionaries)
    own = [
        {"name": member["name"], "type": _type(member["idl_type"], dictionaries), "required": member["required"]}
        | ({"default": _default(member)} if member["default"] is not None else {})
        for member in sorted(data["members"], key=lambda member: member["name"])
    ]
    return [*inherited, *own]
