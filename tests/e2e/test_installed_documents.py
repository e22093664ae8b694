"""What messages of an installed walduct name as a document is a file that is there to be opened."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.paths import BINARY, ROOT


@pytest.fixture
def installed(tmp_path):
    """As a package lays it: the program, and beside it the documents."""
    program = tmp_path / "usr" / "bin" / "walduct"
    program.parent.mkdir(parents=True)
    shutil.copy(BINARY, program)
    shutil.copytree(ROOT / "docs", tmp_path / "usr" / "share" / "doc" / "walduct" / "docs", ignore=shutil.ignore_patterns("benchmarks"))
    return program


def run(program, *words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=60)


def named(text):
    return re.findall(r"[^\s(\"']*docs/[\w-]+\.md", text)


def test_every_document_that_is_named_can_be_opened(installed, tmp_path):
    rows = [line for line in run(installed, "explain").stdout.splitlines() if line.startswith("| `") and "docs/" in line]
    reasons = [re.match(r"\| `(\w+)`", row).group(1) for row in rows]
    assert len(reasons) > 30
    folder = tmp_path / "usr" / "share" / "doc" / "walduct"
    for reason in reasons:
        told = named(run(installed, "explain", reason).stdout)
        assert told and all(Path(one).is_file() and Path(one).is_relative_to(folder) for one in told), (reason, told)


def test_in_errors_and_logs_too(installed, tmp_path):
    (tmp_path / "shop.json").write_text('{"name": "shop", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector"}}')
    refused = run(installed, "validate", "-f", tmp_path / "shop.json")
    # The control: without documents the text is that of the sources.
    bare = tmp_path / "walduct"
    os.link(installed, bare)
    assert "docs/not-yet.md" in named(run(bare, "validate", "-f", tmp_path / "shop.json").stdout), refused
    told = named(refused.stdout)
    assert told and all(Path(one).is_file() for one in told), refused


def test_in_the_help_too(installed):
    told = named(run(installed, "help", "recover").stdout + run(installed, "recover", "run", "--help").stdout)
    assert told and all(Path(one).is_file() for one in told), told
