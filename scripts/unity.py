#!/usr/bin/env python3
"""Sources that can be compiled as one, which takes little longer than one of them: most of the time goes to headers.

  scripts/unity.py FOLDER SIZE FILE...    writes FOLDER/0.cc, 1.cc ..., each of at most SIZE of the files; prints their paths

Two files that declare the same name at the outermost level get a name each; where that cannot be done by the word alone, they
are not put together. CMake calls it (cmake/WalductTargets.cmake); scripts/lint looks at files in groups of the same kind.
"""
import functools
import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "src"


def declared_names(path):
    """What a file declares at the outermost level, roughly: all names, and those that no other file can see."""
    found, inner, anonymous = set(), set(), False
    for line in re.sub(r'R"\(.*?\)"', '""', path.read_text(), flags=re.S).splitlines():
        anonymous = line == "namespace {" or anonymous and not line.startswith("}  // namespace")
        names = set(names_in(line))
        found |= names
        if anonymous or line.startswith("static "):
            inner |= names
    return found, inner


def names_in(line):
    """What one line declares at the outermost level."""
    if not (line[:1].isalpha() or line.startswith("  ") and line.lstrip(" ").startswith("k")):
        return []  # most lines
    test = re.match(r"(?:TEST|TEST_F|TEST_P|TYPED_TEST|INSTANTIATE_TEST_SUITE_P|MATCHER|MATCHER_P\d?)\((\w+)(?:, *(\w+))?", line)
    if test:
        return ["_".join(word for word in test.groups() if word)]
    plain_enum = re.match(r"(?:enum (?:\w+ )?(?:: \w+ )?\{|  (?=k[A-Z]\w*,? *(?://.*)?$))(.*)", line)
    if plain_enum:
        return re.findall(r"\bk[A-Z]\w*", plain_enum.group(1))
    kind = re.match(r"(?:template.*> )?(?:class|struct|enum class|enum|union|using(?! enum)|namespace) (\w+)\b(?!::)", line)
    if kind:
        return [] if line.startswith("namespace walduct") else [kind.group(1)]
    further = re.match(r" {4,}k[A-Z]\w* = ", line)  # constants of the line before
    begins = re.match(r"(?:inline |static )?constexpr ", line)
    constants = re.findall(r"\b(k[A-Z]\w*)(?: =|\[)", line) if begins or further else []
    if further or len(constants) > 1:
        return constants
    other = re.match(r"[A-Za-z][^()={;]*?(?<!:)\b(\w+)(?:\(| =(?: |$)|\[|\{)", line)
    return [other.group(1)] if other and not line.startswith(("using ", "namespace ", "return ")) else []


@functools.cache
def headers():
    """The text of all of ours: read once."""
    return "".join(path.read_text() for path in sorted(SOURCES.rglob("*.h")))


@functools.cache
def enumerators(name):
    """Of an enum of ours, by its last name: what `using enum` brings."""
    return {one for body in re.findall(rf"enum class {name}\b[^{{;]*{{(.*?)}}", headers(), re.S)
            for one in re.findall(r"\bk[A-Z]\w*", body)}


def free_names(path, inner):
    """Those that can be called something else in the whole file: never said of something, as in Kind::kRows."""
    return inner - set(re.findall(r"(?:::|\.|->)(\w+)", path.read_text()))


def head(path):
    """A file's includes, and the macros defined for them; not those under a condition, which the file itself has."""
    lines, depth = [], 0
    for line in path.read_text().splitlines():
        depth += bool(re.match(r"# *if", line)) - bool(re.match(r"# *endif", line))
        if not depth and line.startswith(("#include ", "#define ")):
            lines.append(line)
    while lines and lines[-1].startswith("#define "):
        lines.pop()
    return lines


class Group:
    """Files of one kind that are compiled as one."""

    def __init__(self, kind):
        self.kind = kind
        self.names = set()  # what they declare
        self.used = set()  # what they use by its last name
        self.files = {}  # file -> the names in it that are called something else

    def takes(self, kind, size, used, fixed):
        return (self.kind == kind and len(self.files) < size and not fixed & (self.names | self.used)
                and not used & self.names)

    def add(self, path, used, declared, free):
        self.files[path] = sorted(free & (self.names | self.used))
        self.used |= used
        self.names |= declared

    def text(self):
        """One source that includes all, where a name that two files declare is two names."""
        lines = list(dict.fromkeys(line for path in self.files for line in head(path)))
        for number, (path, renamed) in enumerate(self.files.items()):
            lines += [f"#define {name} {name}_{number}" for name in renamed]
            lines.append(f'#include "{path}"')
            lines += [f"#undef {name}" for name in renamed]
        return "\n".join(lines) + "\n"


def groups(files, size, kind=lambda path: None):
    """The files in groups of at most `size`, all of a group being of one kind."""
    made = []
    for path in files:
        declared, inner = declared_names(path)
        free = free_names(path, inner)
        used = set(re.findall(r"^using [\w:]*::(\w+);", path.read_text(), re.M))
        for name in re.findall(r"^using enum [\w:]*?(\w+);", path.read_text(), re.M):
            used |= enumerators(name)
        for group in made:
            if group.takes(kind(path), size, used, declared - free):
                break
        else:
            group = Group(kind(path))
            made.append(group)
        group.add(path, used, declared, free)
    return made


def main():
    folder, size, files = Path(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]]
    folder.mkdir(parents=True, exist_ok=True)
    for number, group in enumerate(groups(files, size)):
        path, text = folder / f"{number}.cc", group.text()
        if not path.exists() or path.read_text() != text:  # what has not changed is not compiled again
            path.write_text(text)
        print(path)


if __name__ == "__main__":
    main()
