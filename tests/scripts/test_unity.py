"""What scripts/unity.py puts together can be compiled, and means what its files mean."""
import subprocess
from pathlib import Path

UNITY = Path(__file__).resolve().parents[2] / "scripts" / "unity.py"
SHOWN = "#pragma once\nint Shown();\nint Sum();\n"


def together(tmp_path, size, **sources):
    """The files that unity.py writes for some sources, as lists of what they include."""
    for name, text in sources.items():
        (tmp_path / f"{name}.cc").write_text(text)
    files = [str(tmp_path / f"{name}.cc") for name in sources]
    run = subprocess.run([UNITY, tmp_path / "out", str(size), *files], capture_output=True, text=True, check=True)
    written = [Path(line) for line in run.stdout.splitlines()]
    return written, [[name for name in sources if f"/{name}.cc\"" in path.read_text()] for path in written]


def result_of(tmp_path, files, more=()):
    """The exit status of the program that the files make."""
    program = tmp_path / "program"
    subprocess.run(["c++", "-std=c++20", "-Wall", "-Werror", "-o", program, *files, *more, f"-I{tmp_path}"], check=True)
    return subprocess.run([program]).returncode


def test_names_that_no_other_file_sees_are_kept_apart(tmp_path):
    (tmp_path / "shown.h").write_text(SHOWN)
    files, groups = together(
        tmp_path, 8,
        one='#include "shown.h"\nnamespace {\nconstexpr int kSize = 1;\nint Twice(int n) { return 2 * n; }\n}  // namespace\n'
            "int Shown() { return Twice(kSize); }\n",
        two='#include "shown.h"\nnamespace {\nenum Column { kSize = 3, kOther };\nint Twice(int n) { return n + n + 1; }\n'
            "}  // namespace\nint Sum() { return Twice(kSize) + Shown(); }\n")
    assert groups == [["one", "two"]]
    (tmp_path / "main.cpp").write_text('#include "shown.h"\nint main() { return Sum(); }\n')
    assert result_of(tmp_path, files, [tmp_path / "main.cpp"]) == 9


def test_two_constants_of_one_line_are_kept_apart_each(tmp_path):
    (tmp_path / "shown.h").write_text(SHOWN)
    files, groups = together(
        tmp_path, 8,
        one='#include "shown.h"\nnamespace {\nconstexpr int kLeast = 1, kMost = 2;\n}  // namespace\nint Shown() { return kLeast + kMost; }\n',
        two='#include "shown.h"\nnamespace {\nconstexpr int kMost = 4;\n}  // namespace\nint Sum() { return kMost + Shown(); }\n')
    assert groups == [["one", "two"]]
    (tmp_path / "main.cpp").write_text('#include "shown.h"\nint main() { return Sum(); }\n')
    assert result_of(tmp_path, files, [tmp_path / "main.cpp"]) == 7


def test_a_name_that_others_see_keeps_it(tmp_path):
    (tmp_path / "shown.h").write_text(SHOWN)
    files, groups = together(
        tmp_path, 8,
        one='#include "shown.h"\nnamespace {\nint Shown(int n) { return n; }\n}  // namespace\nint Sum() { return Shown(4); }\n',
        two='#include "shown.h"\nint Shown() { return 5; }\nint main() { return Shown() + Sum(); }\n')
    assert groups == [["one"], ["two"]]
    assert result_of(tmp_path, files) == 9


def test_a_group_is_bounded_and_unchanged_files_stay(tmp_path):
    sources = {f"part{n}": f"namespace {{\nint kPart{n} = {n};\n}}  // namespace\n" for n in range(5)}
    files, groups = together(tmp_path, 2, **sources)
    assert [len(group) for group in groups] == [2, 2, 1]
    before = [path.stat().st_mtime_ns for path in files]
    again, _ = together(tmp_path, 2, **sources)
    assert (again, [path.stat().st_mtime_ns for path in again]) == (files, before)
