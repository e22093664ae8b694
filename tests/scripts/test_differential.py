"""What the differential test tolerates is told to the users."""
import re

from differential import limits
from support.paths import ROOT

ROWS = (ROOT / "docs" / "differences.md").read_text().splitlines()


def first_cells():
    """Of every row of a table, header rows aside."""
    return {row.split(" | ")[0].removeprefix("| ") for row in ROWS if row.startswith("| ")} - {"what"}


def limited():
    return [*limits.NOT_MADE, *limits.NO_VALUE, *limits.KNOWN, *limits.KNOWN_ELSEWHERE, *limits.NOT_WITH]


def told():
    return [one.told for one in limited()] + [*limits.TOLD_ELSEWHERE]


def test_every_limit_has_its_row_in_the_documentation():
    assert len(limited()) > 15
    assert [text for text in told() if text not in first_cells()] == []


def test_a_limit_without_a_row_is_found():
    assert "a difference that nobody wrote down" not in first_cells()
    assert len(first_cells()) > 50 and "date `infinity`, `-infinity`" in first_cells()


def test_nothing_is_tolerated_beside_the_lists():
    """The comparison counts what it tolerates under the text that is told."""
    source = (ROOT / "tests" / "differential" / "compare.py").read_text()
    assert re.findall(r"tolerated\[(\w+|.[^]]*)\]", source) == ["BYTES_IN_TEXT", "reason", "DATE", "BYTES_IN_TEXT"]
