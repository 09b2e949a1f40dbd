"""The revisions of the specification, each complete in its own folder."""


def name_of(package: str) -> str:
    """Return the name of the revision in a Python package: a name that begins with a digit has an ``r`` before it."""
    name = package.rpartition(".")[2].replace("_", "-")
    return name[1:] if name[0] == "r" and name[1:2].isdigit() else name
