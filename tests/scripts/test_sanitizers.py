"""What tests/support/sanitizers.py promises: no report of a process is overlooked."""
import os
import subprocess

import pytest

from support import sanitizers
from support.paths import ROOT


def test_a_report_fails_the_test_also_of_a_process_that_was_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(sanitizers, "SANITIZER", "tsan")
    monkeypatch.setenv("TSAN_OPTIONS", "history_size=4")
    with pytest.raises(AssertionError, match="data race"), sanitizers.reports_in(tmp_path / "reports"):
        subprocess.run(["sh", "-c", 'echo "data race" > "${TSAN_OPTIONS##*log_path=}.$$"; kill -9 $$'], check=False)
    assert os.environ["TSAN_OPTIONS"] == "history_size=4"


def test_without_a_report_it_passes(tmp_path, monkeypatch):
    monkeypatch.setattr(sanitizers, "SANITIZER", "asan")
    with sanitizers.reports_in(tmp_path / "reports"):
        subprocess.run(["true"], check=True)


def test_the_tests_that_run_under_a_sanitizer_are_there():
    lines = (ROOT / "tests" / "sanitizers" / "e2e.txt").read_text().splitlines()
    named = [line.partition("::") for line in lines if line and not line.startswith("#")]
    assert named
    missing = [(file, test) for file, _, test in named
               if test and f"def {test}(" not in (ROOT / "tests" / "e2e" / file).read_text()]
    assert not missing
