"""The files of a scenario's folder. A scenario plays what another one plays, with other properties or before other steps: it
names it in `based_on`, and the file that it lacks is that of the other."""
import json


def description(folder):
    return json.loads((folder / "scenario.json").read_text())


def statements(folder, name):
    """The text of setup.sql, steps.sql or steps.json."""
    while not (folder / name).exists():
        folder = folder.parent / description(folder)["based_on"]
    return (folder / name).read_text()
