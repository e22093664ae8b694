"""The register of conformance scenarios is in order."""
from conformance import register

TEXT = register.REGISTER.read_text()


def with_row(row):
    return register.fixed(TEXT + row + "\n")


def test_register_is_in_order():
    print(register.summary(TEXT))
    assert register.problems(TEXT) == []


def test_missing_tests_are_found():
    for row, problem in (
            ("TYP-01\tgtest:Values.TYP01_IsNowhere", "TYP-01: Values.TYP01_IsNowhere does not exist"),
            ("TYP-01\tpytest:tests/e2e/test_stream.py::test_typ01_nowhere",
             "TYP-01: tests/e2e/test_stream.py::test_typ01_nowhere does not exist"),
            ("TYP-01\tpytest:tests/e2e/nowhere.py::test_typ01", "TYP-01: tests/e2e/nowhere.py::test_typ01 does not exist"),
            ("TYP-01\tgolden:nowhere", "TYP-01: nowhere is no scenario that tests/golden/run.py keeps equal"),
            ("TYP-01\tby hand", "TYP-01: 'by hand' is none of gtest:, pytest:, golden:, -"),
            ("TYP-01\tgtest:RegisterExample.SaysNothing", "TYP-01: RegisterExample.SaysNothing does not exist")):
        assert register.problems(with_row(row)) == [problem]


def test_names_carry_the_id():
    this = "pytest:tests/scripts/test_conformance.py::test_names_carry_the_id"
    assert register.problem_of_test("TYP-01", this).endswith("does not carry the id in its name")
    assert register.names_id("TYP-01", "Values.TYP01_BooleanIsBoolean") and register.names_id("TYP-01", "test_typ01_boolean[pg15]")
    assert register.names_id("RST-22", "test_RST_01_03_22_clean_stops") and register.names_id("SLT-11", "test_RST_04_07_SLT_11_stop")
    assert not register.names_id("RST-11", "test_RST_04_07_SLT_11_stop")


def test_ids_and_order_are_checked():
    assert register.problems(TEXT + "TYP-01\tgolden:ranges\n")[0].startswith("the rows are not sorted")
    assert "'TYP01' is no id" in register.problems(with_row("TYP01\t-"))
    assert "area TYP: 50 scenarios instead of 49" in register.problems(with_row("TYP-99\t-"))
    assert "area XYZ: 1 scenarios instead of 0" in register.problems(with_row("XYZ-01\t-"))


def test_every_edge_case_has_a_test_or_a_reason():
    without = "".join(line + "\n" for line in TEXT.splitlines() if not line.startswith("E-07\t"))
    assert register.problems(without) == ["E-07: an edge case without a row"]
    assert register.problems(register.fixed(without + "E-07\tgolden:ranges\n")) == []
    assert register.problems(register.fixed(without + "E-07\twhy:a defect of the server\n")) == []
    assert register.problems(register.fixed(without + "E-07\t-\n")) == ["E-07: an edge case without a test has no row"]
    assert register.problems(with_row("E-81\tgolden:ranges")) == ["'E-81' is no id"]
    assert register.problems(with_row("E-07\tgolden:nowhere")) == ["E-07: nowhere is no scenario that tests/golden/run.py keeps equal"]


def test_what_comes_later_has_no_test():
    assert register.problems(with_row("TYP-01\tlater:never")) == ["TYP-01: has a test and a row that says it comes later, or why there is none"]
    assert "ENV-15" in register.without_test(TEXT)["ENV"]


def test_fix_drops_what_a_test_replaces():
    assert register.fixed("id\ttest\nB-01\t-\nA-01\tgolden:x\nA-01\t-\n") == "id\ttest\nA-01\tgolden:x\nB-01\t-\n"
