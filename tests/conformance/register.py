#!/usr/bin/env python3
"""The register of conformance scenarios: scenarios.tsv says which test proves which.

  tests/conformance/register.py            prints what is wrong and, by area, how many scenarios are without a test
  tests/conformance/register.py --open     names the scenarios without a test as well
  tests/conformance/register.py --fix      sorts the rows and drops "-" where a test has come (after a merge, for instance)

A row is ID<TAB>TEST. TEST is gtest:Suite.Name, pytest:tests/…/file.py::test_name (with or without [parameters]),
golden:SCENARIO, later:WHAT when it is about something that walduct does not do yet, why:REASON where no test can or need show
it, or "-" while there is none; an id may have several rows. Edge cases from the field (E-01 to E-80) have a row each, whose
test may be one of another id's. Exit status: 0 register in order, 1 not.
"""
import ast
import fnmatch
import functools
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

REGISTER = HERE / "scenarios.tsv"
HEADER, NONE, LATER, WHY = "id\ttest", "-", "later:", "why:"
EDGES = {f"E-{n:02}" for n in range(1, 81)}

# How many scenarios each area has: none gets lost, none is invented.
AREAS = {
    "BLK": 1, "CON": 4, "ENC": 7, "ENV": 13, "FAIL": 19, "FLT": 6, "GEN": 2, "HBT": 3, "INC": 12, "KEY": 13, "LRG": 1, "MSG": 3,
    "OBX": 16, "PRM": 5, "PRT": 10, "PUB": 15, "RID": 8, "RST": 23, "SCH": 19, "SEC": 7, "SIG": 4, "SLT": 18, "SMT": 6, "SNK": 7,
    "SNP": 29, "STR": 9, "TPC": 3, "TPN": 2, "TRC": 7, "TST": 14, "TXN": 8, "TYP": 49,
}

_ID = re.compile(r"([A-Z]{3,4})-\d\d")
_EDGE = re.compile(r"E-(?:0[1-9]|[1-7]\d|80)")
_TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")


def rows(text):
    """[(id, test), …] of the register's lines after the header."""
    return [tuple(line.partition("\t")[::2]) for line in text.splitlines()[1:]]


@functools.lru_cache
def gtests():
    return {f"{suite}.{name}" for path in (ROOT / "tests").rglob("*.cc") for suite, name in _TEST.findall(path.read_text())}


@functools.lru_cache
def pytests(path):
    """The names of the test functions of a file, "Class::name" for methods."""
    file = ROOT / path
    if not file.is_file():
        return set()
    found = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


@functools.lru_cache
def kept_scenarios():
    """Recorded scenarios that have to stay equal."""
    from golden import run
    return set(run.scenario_names(run.MUST + run.ALSO))


def names_id(identifier, name):
    """RST-22 is in test_rst22_…, Rst22…, and in test_RST_01_03_22_…, which is one of several."""
    area, number = identifier.lower().split("-")
    if area + number in name.replace("_", "").lower():
        return True
    return any(number in re.findall(r"\d\d", several) for several in re.findall(area + r"_?((?:\d\d_?)+)", name.lower()))


def problem_of_test(identifier, test):
    """What is wrong with a row's test; None when it exists."""
    kind, _, name = test.partition(":")
    if kind == "golden":
        return None if name in kept_scenarios() else f"{name} is no scenario that tests/golden/run.py keeps equal"
    if kind == "gtest":
        exists = name in gtests()
    elif kind == "pytest":
        path, _, function = name.partition("::")
        exists = function.partition("[")[0] in pytests(path)
    else:
        return f"'{test}' is none of gtest:, pytest:, golden:, -"
    if not exists:
        return f"{name} does not exist"
    if _EDGE.fullmatch(identifier):
        return None
    return None if names_id(identifier, name.rpartition("::")[2]) else f"{name} does not carry the id in its name"


def problems(text):
    """Everything that is wrong with the register, a line each."""
    found = [] if text.startswith(HEADER + "\n") else [f"the first line is not '{HEADER}'"]
    entries = rows(text)
    if entries != sorted(set(entries)):
        found.append("the rows are not sorted, or one is there twice; register.py --fix")
    counts = Counter(_ID.fullmatch(i).group(1) for i in {i for i, _ in entries} if _ID.fullmatch(i))
    found += [f"area {area}: {counts[area]} scenarios instead of {AREAS.get(area, 0)}"
              for area in sorted(set(counts) | set(AREAS)) if counts[area] != AREAS.get(area, 0)]
    found += [f"{identifier}: an edge case without a row" for identifier in sorted(EDGES - {i for i, _ in entries})]
    tested = {i for i, test in entries if test != NONE}
    for identifier, test in entries:
        if test.startswith((LATER, WHY)) and test not in (LATER, WHY):
            if [i for i, _ in entries].count(identifier) > 1:
                found.append(f"{identifier}: has a test and a row that says it comes later, or why there is none")
        elif _EDGE.fullmatch(identifier) and test == NONE:
            found.append(f"{identifier}: an edge case without a test has no row")
        elif not _ID.fullmatch(identifier) and not _EDGE.fullmatch(identifier):
            found.append(f"'{identifier}' is no id")
        elif test == NONE and identifier in tested:
            found.append(f"{identifier}: has a test and a row that says it has none; register.py --fix")
        elif test != NONE and (problem := problem_of_test(identifier, test)):
            found.append(f"{identifier}: {problem}")
    return found


def without_test(text):
    """{area: [id, …]} for which no test is registered."""
    entries = rows(text)
    open_ids = {i for i, _ in entries} - {i for i, test in entries if test != NONE and not test.startswith((LATER, WHY))}
    return {area: sorted(i for i in open_ids if i.startswith(area + "-")) for area in sorted(AREAS)}


def fixed(text):
    entries = {row for row in rows(text) if all(row)}
    tested = {i for i, test in entries if test != NONE}
    kept = sorted(row for row in entries if row[1] != NONE or row[0] not in tested)
    return "".join(line + "\n" for line in [HEADER, *("\t".join(row) for row in kept)])


def summary(text, with_names=False):
    lines, later = [], {i for i, test in rows(text) if test.startswith(LATER)}
    for area, ids in without_test(text).items():
        names = "".join(f" {i}{' (later)' if i in later else ''}" for i in ids) if with_names else ""
        lines.append(f"{area}: {len(ids)} of {AREAS[area]} without a test{names}")
    total = sum(len(ids) for ids in without_test(text).values())
    edges = len({i for i, test in rows(text) if _EDGE.fullmatch(i) and not test.startswith((LATER, WHY))})
    waiting = f", {len(later - EDGES)} of them later" if later else ""
    return "\n".join([*lines, f"all: {total} of {sum(AREAS.values())} without a test{waiting}",
                      f"edge cases from the field: {edges} of 80 have a test, the others a reason"])


def main(arguments):
    text = REGISTER.read_text()
    if "--fix" in arguments:
        text = fixed(text)
        REGISTER.write_text(text)
    found = problems(text)
    print("".join(f"{REGISTER.name}: {line}\n" for line in found) + summary(text, "--open" in arguments))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
