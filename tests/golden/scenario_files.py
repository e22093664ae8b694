"""The files of a scenario's folder. A scenario that differs from another only in its properties names it in `based_on` and
has no statements of its own."""
import json


def description(folder):
    return json.loads((folder / "scenario.json").read_text())


def statements(folder, name):
    """Of setup.sql or steps.sql."""
    path = folder / name
    if not path.exists():
        path = folder.parent / description(folder)["based_on"] / name
    return path.read_text()
